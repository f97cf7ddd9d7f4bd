import type { KeyObject } from 'node:crypto'
import { aadOf, ciphertextInvalid, openFrame, SEAL_OVERHEAD_BYTES, sealFrame } from '../aead.ts'

/**
 * A wrapped key of Workspace client-side encryption: one byte for the format, one for the kind, the version of the kek (4
 * bytes, big-endian), a 12-byte iv, the ciphertext of three fields, each after its length (2 bytes, big-endian), a 16-byte
 * tag; AES-256-GCM. Bound to the endpoint and the version's id.
 */

const FORMAT = 1
const KINDS = { dek: 1, 'private-key': 2 } as const
const KIND_AT = 1
const VERSION_AT = 2
const HEADER_BYTES = 6
const LENGTH_BYTES = 2
const FIELDS = 3

/** A blob contains at least the lengths of its fields. */
const LEAST_BYTES = HEADER_BYTES + SEAL_OVERHEAD_BYTES + FIELDS * LENGTH_BYTES

const LABEL = 'keymgr kacls blob'

/** The key comes first, then its context. At most 65,535 bytes each. */
export type BlobFields = readonly [Buffer, Buffer, Buffer]

export interface BlobOf {
  readonly kind: keyof typeof KINDS
  /** id of the endpoint */
  readonly endpoint: string
  /** version of the kek */
  readonly key: { readonly id: string; readonly version: number }
}

function headerOf({ kind, key }: BlobOf): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES)
  header.writeUInt8(FORMAT, 0)
  header.writeUInt8(KINDS[kind], KIND_AT)
  header.writeUInt32BE(key.version, VERSION_AT)
  return header
}

const boundBytes = (header: Buffer, { endpoint, key }: BlobOf): Buffer => aadOf(LABEL, header, endpoint, key.id)

/** @throws RangeError for a field that is too long: a fault, the caller checks it */
function joined(fields: BlobFields): Buffer {
  const bytes = Buffer.allocUnsafeSlow(fields.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0))
  let at = 0
  for (const field of fields) {
    at = bytes.writeUInt16BE(field.length, at)
    bytes.set(field, at)
    at += field.length
  }
  return bytes
}

/** Parts of `bytes`, not copies. `undefined` for anything but three fields. */
function separated(bytes: Buffer): BlobFields | undefined {
  let rest = bytes
  const next = (): Buffer | undefined => {
    if (rest.length < LENGTH_BYTES) return undefined
    const end = LENGTH_BYTES + rest.readUInt16BE()
    if (rest.length < end) return undefined
    const field = rest.subarray(LENGTH_BYTES, end)
    rest = rest.subarray(end)
    return field
  }
  const [first, second, third] = [next(), next(), next()]
  return first && second && third && rest.length === 0 ? [first, second, third] : undefined
}

/** @param kek AES-256 @param iv 12 bytes, never used before under this key */
export function sealFields(kek: KeyObject, of: BlobOf, fields: BlobFields, iv: Buffer): Buffer {
  const header = headerOf(of)
  const plaintext = joined(fields)
  try {
    return sealFrame(kek, header, plaintext, iv, boundBytes(header, of))
  } finally {
    plaintext.fill(0)
  }
}

/** The version of the kek in a blob. @throws Refusal CIPHERTEXT_INVALID for anything but a blob of this kind */
export function versionInBlob(blob: Buffer, kind: BlobOf['kind']): number {
  if (blob.length < LEAST_BYTES || blob[0] !== FORMAT || blob[KIND_AT] !== KINDS[kind]) throw ciphertextInvalid()
  return blob.readUInt32BE(VERSION_AT)
}

/**
 * The fields of a blob. They share one separate buffer: the caller zeroes the secret one after use.
 * @throws Refusal CIPHERTEXT_INVALID, the same for every cause
 */
export function openFields(kek: KeyObject, of: BlobOf, blob: Buffer): BlobFields {
  if (versionInBlob(blob, of.kind) !== of.key.version) throw ciphertextInvalid()
  const plaintext = openFrame(kek, HEADER_BYTES, blob, boundBytes(headerOf(of), of))
  const fields = separated(plaintext)
  if (fields !== undefined) return fields
  plaintext.fill(0)
  throw ciphertextInvalid()
}
