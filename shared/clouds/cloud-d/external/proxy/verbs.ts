import { randomBytes, type KeyObject } from 'node:crypto'
import { base64In } from '../../../../base/base64.ts'
import { Refusal } from '../../../../base/errors.ts'
import type { Fields } from '../../../../base/json.ts'
import type { Moment } from '../../../../base/moment.ts'
import { decryptGcm, encryptGcm, IV_BYTES, TAG_BYTES } from '../../../../crypto/aead.ts'
import { USAGE } from '../../../../crypto/usage.ts'
import { freshIv } from '../../../../serving/key-use/key-uses.ts'
import { materialOf } from '../../../../serving/key-use/key-version.ts'
import { assertMay, assertUsableNow } from '../../../../serving/key-use/may-use.ts'
import { after, afterBoth, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import type { Verb } from '../../../../serving/pipeline.ts'
import type { Operation } from './address.ts'
import type { ExternalRecord, Serving } from './admit.ts'
import { boundTo } from './bound-to.ts'
import { badRequest, ExternalRefusal } from './errors.ts'
import { servedVersion, type ServedKey, type ServedVersion } from './served-key.ts'

/** A call that a vault serves. */
export interface ExternalCall extends Serving {
  readonly operation: Operation
  /** id of the version in the address */
  readonly version: string | undefined
  /** members of the body; none for metadata */
  readonly fields: Fields
  readonly record: ExternalRecord
  readonly now: Moment
  readonly requestId: string
}

export type ExternalVerb<Input = unknown, Key = unknown> = Verb<ExternalCall, Input, Key>

/** Ours: well above the 4 KiB that the cloud encrypts with a key. */
const PLAINTEXT_BYTES = 65_536
const AAD_BYTES = 65_536
const OPERATIONS = ['ENCRYPT', 'DECRYPT']
const SHAPE = { algorithm: 'AES', length: 256 }
const VENDOR = 'keymgr'

/** Absent and `null` are the same. @throws ExternalRefusal BAD_REQUEST */
function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw badRequest(`${name} must be a string.`)
}

/** Empty when absent. @throws ExternalRefusal BAD_REQUEST */
function bytesIn(fields: Fields, name: string, most: number): Buffer {
  const bytes = base64In(textIn(fields, name) ?? '')
  if (bytes === undefined) throw badRequest(`${name} must be base64.`)
  if (bytes.length > most) throw badRequest(`${name} is longer than ${most} bytes.`)
  return bytes
}

/** @throws ExternalRefusal BAD_REQUEST */
function someBytesIn(fields: Fields, name: string, most: number): Buffer {
  const bytes = bytesIn(fields, name, most)
  if (bytes.length === 0) throw badRequest(`${name} is required.`)
  return bytes
}

/** Ours: GCM is the only mode, so the value of `pad` does not matter. @throws ExternalRefusal BAD_REQUEST */
function assertMode(fields: Fields): void {
  const mode = textIn(fields, 'mode') ?? 'GCM'
  if (!/^(aes[_-]?256[_-]?)?gcm$/i.test(mode)) throw badRequest('mode must be GCM.')
}

/** The key of the address. @throws Error, a fault, for a call without one */
function keyOf({ key }: ExternalCall): ServedKey {
  if (key === undefined) throw new Error('The address of a key names none')
  return key
}

/** @throws ExternalRefusal NOT_FOUND; Refusal UNAVAILABLE */
function versionOf(call: ExternalCall, id: string | undefined): MaybePromise<ServedVersion> {
  return after(servedVersion(keyOf(call), id, call.now), (version) => {
    if (version === undefined) throw new ExternalRefusal('NOT_FOUND')
    call.record.keyVersion = version.id
    return version
  })
}

function isUsable({ local }: ServedVersion, now: Moment): boolean {
  try {
    assertUsableNow(local, 'protect', now)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
/** DISABLED while the key is blocked, and while its local key protects nothing. */
const stateOf = ({ isBlocked }: ServedKey, version: ServedVersion, now: Moment) =>
  !isBlocked && isUsable(version, now) ? 'ENABLED' : 'DISABLED'

/** The first call of the cloud for a vault or a key links it: see `links.ts`. */
function link(record: ExternalRecord, { id, isLinked }: { readonly id: string; readonly isLinked: boolean }): void {
  if (isLinked) return
  record.used = id
  record.audit = true
}

const vaultMetadata: ExternalVerb<void, void> = {
  read: () => undefined,
  key: () => undefined,
  use: ({ vault, record }) => {
    if (!vault.isBlocked) link(record, vault)
    return { state: vault.isBlocked ? 'BLOCKED' : 'ACTIVE', vendor: VENDOR }
  },
}

const keyMetadata: ExternalVerb<void, ServedVersion> = {
  read: () => undefined,
  key: (call) => versionOf(call, undefined),
  use: (call, _input, version) => {
    const key = keyOf(call)
    const state = stateOf(key, version, call.now)
    if (state === 'ENABLED') link(call.record, key)
    return { keyId: key.id, currentKeyVersionId: version.id, keyShape: SHAPE, state, keyOps: OPERATIONS }
  },
}

const versionMetadata: ExternalVerb<void, ServedVersion> = {
  read: () => undefined,
  key: (call) => versionOf(call, call.version),
  use: (call, _input, version) => {
    const key = keyOf(call)
    const state = stateOf(key, version, call.now)
    return { keyId: key.id, keyVersionId: version.id, state, keyVersionOps: OPERATIONS }
  },
}

interface ToEncrypt {
  readonly bytes: Buffer
  readonly aad: Buffer
  readonly versionId: string | undefined
}
interface EncryptingKey {
  readonly version: ServedVersion
  readonly material: KeyObject
  readonly iv: Buffer
}

/** Ours: an `iv` of the caller is ignored, because one that repeats would reveal the key's plaintexts. */
const encrypt: ExternalVerb<ToEncrypt, EncryptingKey> = {
  read: ({ fields }) => {
    assertMode(fields)
    return {
      bytes: someBytesIn(fields, 'plaintext', PLAINTEXT_BYTES),
      aad: bytesIn(fields, 'aad', AAD_BYTES),
      versionId: textIn(fields, 'keyVersionId'),
    }
  },
  key: (call, { versionId }) =>
    after(versionOf(call, versionId), (version) => {
      const { local } = version
      const { domain } = call.vault
      assertMay(local, 'protect', USAGE.encrypt, call.now)
      return afterBoth(
        materialOf(domain, local, call),
        () => freshIv(domain, local.id, call.now),
        (material, iv) => ({ version, material, iv }),
      )
    }),
  use: (call, { bytes, aad }, { version, material, iv }) => {
    const { ciphertext, tag } = encryptGcm(material, bytes, iv, boundTo(keyOf(call), version, aad))
    const { aad: given } = call.fields
    return {
      ciphertext: ciphertext.toString('base64'),
      iv: iv.toString('base64'),
      tag: tag.toString('base64'),
      mode: 'GCM',
      ...(typeof given === 'string' && { aad: given }),
      keyVersionId: version.id,
    }
  },
}

interface ToDecrypt extends ToEncrypt {
  readonly iv: Buffer
  readonly tag: Buffer
}
interface DecryptingKey {
  readonly version: ServedVersion
  readonly material: KeyObject
}

/** @throws ExternalRefusal BAD_REQUEST unless the member has exactly so many bytes */
function exactlyIn(fields: Fields, name: string, length: number): Buffer {
  const bytes = bytesIn(fields, name, length)
  if (bytes.length !== length) throw badRequest(`${name} must have ${length} bytes.`)
  return bytes
}

const decrypt: ExternalVerb<ToDecrypt, DecryptingKey> = {
  read: ({ fields }) => {
    assertMode(fields)
    return {
      bytes: someBytesIn(fields, 'ciphertext', PLAINTEXT_BYTES),
      iv: exactlyIn(fields, 'iv', IV_BYTES),
      tag: exactlyIn(fields, 'tag', TAG_BYTES),
      aad: bytesIn(fields, 'aad', AAD_BYTES),
      versionId: textIn(fields, 'keyVersionId'),
    }
  },
  key: (call, { versionId }) =>
    after(versionOf(call, versionId), (version) => {
      assertMay(version.local, 'process', USAGE.decrypt, call.now)
      return after(materialOf(call.vault.domain, version.local, call), (material) => ({ version, material }))
    }),
  use: (call, { bytes, iv, tag, aad }, { version, material }) => {
    const plaintext = decryptGcm(material, { ciphertext: bytes, tag }, iv, boundTo(keyOf(call), version, aad))
    const answer = { plaintext: plaintext.toString('base64') }
    plaintext.fill(0)
    return answer
  },
}

const RANDOM_BYTES_MOST = 65_535

/** Below a vault, or below a key, which must then be usable. */
const generateRandomBytes: ExternalVerb<number, void> = {
  read: ({ fields: { length } }) => {
    if (typeof length === 'number' && Number.isInteger(length) && length >= 1 && length <= RANDOM_BYTES_MOST)
      return length
    throw badRequest(`length must be between 1 and ${RANDOM_BYTES_MOST}.`)
  },
  key: ({ key, now }) => {
    if (key !== undefined) assertUsableNow(key.current.local, 'protect', now)
  },
  use: (_call, length) => ({ randomBytes: randomBytes(length).toString('base64'), length }),
}

export const VERBS: Readonly<Record<Operation, ExternalVerb>> = {
  vaultMetadata,
  keyMetadata,
  versionMetadata,
  encrypt,
  decrypt,
  generateRandomBytes,
}
