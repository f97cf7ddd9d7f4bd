import { createCipheriv, createDecipheriv, type CipherGCMTypes } from 'node:crypto'
import { ByteReader, number } from './bytes.ts'
import { nextTrafficSecret, trafficKeys } from './key-schedule.ts'
import { TlsRefusal } from './refusals.ts'
import type { Suite } from './suites.ts'

/** @see RFC 8446 §5.1 */
export const CONTENT = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const

const HEADER_BYTES = 5
const TAG_BYTES = 16
/** The largest content of a record. @see RFC 8446 §5.1 */
export const CONTENT_BYTES = 16_384
/** @see RFC 8446 §5.2 */
const PROTECTED_BYTES = CONTENT_BYTES + 256
/** Ours: below the limit of AES-GCM, 2^24.5 records. @see RFC 8446 §5.5 */
const RECORDS_MOST = 2 ** 24

export interface TlsRecord {
  readonly type: number
  readonly header: Buffer
  readonly body: Buffer
}

/** Content that a record protects, with its type. */
export interface Content {
  readonly type: number
  readonly bytes: Buffer
}

const isType = (type: number): boolean => type >= CONTENT.changeCipherSpec && type <= CONTENT.applicationData

function readRecord(reader: ByteReader): TlsRecord {
  const header = reader.take(HEADER_BYTES)
  const type = header.readUInt8(0)
  const length = header.readUInt16BE(3)
  if (!isType(type)) throw new TlsRefusal('unexpected_message')
  // Ours: only versions that the standards write here (1.0 in a first ClientHello).
  if (header[1] !== 3 || header.readUInt8(2) < 1 || header.readUInt8(2) > 3) throw new TlsRefusal('protocol_version')
  if (length > (type === CONTENT.applicationData ? PROTECTED_BYTES : CONTENT_BYTES))
    throw new TlsRefusal('record_overflow')
  return { type, header, body: reader.take(length) }
}

/** Whole records, one or more. @throws TlsRefusal */
export function recordsIn(bytes: Buffer): TlsRecord[] {
  const reader = new ByteReader(bytes)
  const records = [readRecord(reader)]
  while (reader.left > 0) records.push(readRecord(reader))
  return records
}

const header = (type: number, length: number): Buffer =>
  Buffer.concat([number(1, type), number(2, 0x0303), number(2, length)])

/** A record without protection. @param content at most 16,384 bytes */
export const clearRecord = (type: number, content: Uint8Array): Buffer =>
  Buffer.concat([header(type, content.byteLength), content])

/** The three ciphers share the interface of GCM. */
const gcmLike = ({ cipher }: Suite): CipherGCMTypes => cipher as CipherGCMTypes

/**
 * One direction of a connection: its traffic secret and the number of its next record. Each record uses up a number.
 * @see RFC 8446 §5.2
 */
export class Direction {
  readonly suite: Suite
  readonly secret: Buffer
  #sequence: number
  #keys: ReturnType<typeof trafficKeys> | undefined

  /** @param secret taken over: `destroy` zeroes it */
  constructor(suite: Suite, secret: Buffer, sequence = 0) {
    this.suite = suite
    this.secret = secret
    this.#sequence = sequence
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Key and nonce of the next record. @see RFC 8446 §5.3 */
  #next() {
    if (this.#sequence >= RECORDS_MOST) throw new TlsRefusal('internal_error')
    const { key, iv } = (this.#keys ??= trafficKeys(this.suite, this.secret))
    const nonce = Buffer.from(iv)
    const count = number(6, this.#sequence++)
    for (let at = 0; at < count.length; at++) nonce[6 + at] = (nonce[6 + at] ?? 0) ^ (count[at] ?? 0)
    return { key, nonce }
  }

  /** Content as records, each as full as it may be. */
  protect(type: number, content: Buffer): Buffer {
    const records: Buffer[] = []
    for (let at = 0; at < content.length || records.length === 0; at += CONTENT_BYTES)
      records.push(this.#protectOne(type, content.subarray(at, at + CONTENT_BYTES)))
    return Buffer.concat(records)
  }

  #protectOne(type: number, content: Buffer): Buffer {
    const { key, nonce } = this.#next()
    const head = header(CONTENT.applicationData, content.length + 1 + TAG_BYTES)
    const cipher = createCipheriv(gcmLike(this.suite), key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(head)
    const sealed = [cipher.update(content), cipher.update(number(1, type)), cipher.final()]
    return Buffer.concat([head, ...sealed, cipher.getAuthTag()])
  }

  /** @throws TlsRefusal bad_record_mac, record_overflow, unexpected_message for content without a type */
  unprotect({ header: head, body }: TlsRecord): Content {
    if (body.length <= TAG_BYTES) throw new TlsRefusal('bad_record_mac')
    const { key, nonce } = this.#next()
    const decipher = createDecipheriv(gcmLike(this.suite), key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(head)
    decipher.setAuthTag(body.subarray(-TAG_BYTES))
    const inner = decipher.update(body.subarray(0, -TAG_BYTES))
    try {
      decipher.final()
    } catch {
      inner.fill(0)
      throw new TlsRefusal('bad_record_mac')
    }
    if (inner.length > CONTENT_BYTES + 1) throw new TlsRefusal('record_overflow')
    let end = inner.length - 1
    while (end >= 0 && inner[end] === 0) end-- // padding
    const type = inner[end]
    if (type === undefined) throw new TlsRefusal('unexpected_message')
    return { type, bytes: inner.subarray(0, end) }
  }

  /** The direction after a KeyUpdate. Zeroes this one. */
  updated(): Direction {
    const next = new Direction(this.suite, nextTrafficSecret(this.suite, this.secret))
    this.destroy()
    return next
  }

  destroy(): void {
    this.secret.fill(0)
    this.#keys?.key.fill(0)
    this.#keys?.iv.fill(0)
  }
}
