import { constants, createCipheriv, createDecipheriv, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { privateKeyOf } from '../../toolkit/key-pairs.ts'
import { versionOf, type HeldKey, type HeldVersion } from '../state/held.ts'
import { isObject, requiredBytes, requiredText, textAt, wordAt, type Body } from '../wire/body.ts'
import type { Call, Reply, Route } from '../wire/call.ts'
import { invalid, notFound } from '../wire/errors.ts'
import { keyWithId, requireState } from '../wire/found.ts'
import { use } from '../wire/route.ts'
import { sign, verify } from './signing.ts'

const ALGORITHMS = ['AES_256_GCM', 'RSA_OAEP_SHA_1', 'RSA_OAEP_SHA_256'] as const
const [IV_BYTES, TAG_BYTES] = [12, 16]
const ASSOCIATED_CHARACTERS = 4_096

/** A version that can be used now, with its key. @throws ApiError NotAuthorizedOrNotFound, IncorrectState */
export function usable(call: Call, versionId?: string): { readonly key: HeldKey; readonly version: HeldVersion } {
  const key = keyWithId(call, requiredText(call.body, 'keyId'), 'use')
  requireState('The vault', call.vault(), 'ACTIVE')
  requireState('The key', key, 'ENABLED', 'UPDATING', 'BACKUP_IN_PROGRESS')
  const version = versionOf(key, versionId ?? textAt(call.body, 'keyVersionId') ?? key.current)
  if (version === undefined) throw notFound()
  requireState('The key version', version, 'ENABLED')
  return { key, version }
}

/** Associated data in the order of their names. @throws ApiError InvalidParameter */
function associatedIn(body: Body): Buffer {
  const data = body.associatedData ?? {}
  if (!isObject(data)) throw invalid('associatedData must be an object.')
  const text = JSON.stringify(Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1)))
  if (text.length >= ASSOCIATED_CHARACTERS) throw invalid('associatedData is too long.')
  return Buffer.from(text)
}

/** @throws ApiError InvalidParameter for an algorithm of other keys */
function algorithmIn({ body }: Call, { shape }: HeldKey): (typeof ALGORITHMS)[number] {
  const asked = wordAt(body, 'encryptionAlgorithm', ALGORITHMS)
  const algorithm = asked ?? (shape.algorithm === 'RSA' ? 'RSA_OAEP_SHA_256' : 'AES_256_GCM')
  if (shape.algorithm !== algorithm.slice(0, 3)) throw invalid(`${algorithm} does not fit the key.`)
  return algorithm
}

const oaep = (algorithm: string, pkcs8: Buffer) => ({
  key: privateKeyOf(pkcs8),
  padding: constants.RSA_PKCS1_OAEP_PADDING,
  oaepHash: algorithm === 'RSA_OAEP_SHA_1' ? 'sha1' : 'sha256',
})

const cipherOf = (bytes: Buffer) => `aes-${bytes.length * 8}-gcm` as 'aes-256-gcm'

/** Ciphertext of AES keys: version id, iv, tag and encrypted bytes. Its form is ours; the cloud's own is not public. */
export function sealed(bytes: Buffer, versionId: string, associated: Buffer, plaintext: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(cipherOf(bytes), bytes, iv).setAAD(associated)
  const parts = [cipher.update(plaintext), cipher.final()]
  const id = Buffer.from(versionId)
  return Buffer.concat([Buffer.of(id.length), id, iv, cipher.getAuthTag(), ...parts]).toString('base64')
}

const versionIn = (ciphertext: Buffer): string => ciphertext.subarray(1, 1 + (ciphertext[0] ?? 0)).toString()

/** @throws ApiError InvalidParameter for every failure */
function opened(bytes: Buffer, associated: Buffer, ciphertext: Buffer): Buffer {
  const rest = ciphertext.subarray(1 + (ciphertext[0] ?? 0))
  try {
    const decipher = createDecipheriv(cipherOf(bytes), bytes, rest.subarray(0, IV_BYTES))
    decipher.setAAD(associated).setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(rest.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    throw invalid('The ciphertext is not valid for this key.')
  }
}

async function encrypt(call: Call): Promise<Reply> {
  const plaintext = requiredBytes(call.body, 'plaintext')
  const { key, version } = usable(call)
  const encryptionAlgorithm = algorithmIn(call, key)
  const bytes = await call.state.bytesOf(key, version)
  const ciphertext =
    key.shape.algorithm === 'RSA'
      ? publicEncrypt(oaep(encryptionAlgorithm, bytes), plaintext).toString('base64')
      : sealed(bytes, version.id, associatedIn(call.body), plaintext)
  return { body: { ciphertext, keyId: key.id, keyVersionId: version.id, encryptionAlgorithm } }
}

async function decrypt(call: Call): Promise<Reply> {
  const ciphertext = requiredBytes(call.body, 'ciphertext')
  const key = keyWithId(call, requiredText(call.body, 'keyId'), 'use')
  const encryptionAlgorithm = algorithmIn(call, key)
  const isRsa = key.shape.algorithm === 'RSA'
  const known = isRsa ? undefined : versionOf(key, versionIn(ciphertext))
  if (!isRsa && known === undefined) throw invalid('The ciphertext is not valid for this key.')
  const { version } = usable(call, known?.id)
  const bytes = await call.state.bytesOf(key, version)
  const plaintext = isRsa
    ? openedRsa(encryptionAlgorithm, bytes, ciphertext)
    : opened(bytes, associatedIn(call.body), ciphertext)
  return {
    body: {
      plaintext: plaintext.toString('base64'),
      plaintextChecksum: String(crc32(plaintext)),
      ...{ keyId: key.id, keyVersionId: version.id, encryptionAlgorithm },
    },
  }
}

function openedRsa(algorithm: string, pkcs8: Buffer, ciphertext: Buffer): Buffer {
  try {
    return privateDecrypt(oaep(algorithm, pkcs8), ciphertext)
  } catch {
    throw invalid('The ciphertext is not valid for this key.')
  }
}

/** A data key, encrypted by a key and in the clear where the request asks for it. */
async function generateDataKey(call: Call): Promise<Reply> {
  const { key, version } = usable(call)
  if (key.shape.algorithm !== 'AES') throw invalid('Data keys are encrypted by AES keys.')
  const length = isObject(call.body.keyShape) ? Number(call.body.keyShape.length) : NaN
  if (![16, 24, 32].includes(length)) throw invalid('keyShape.length must be 16, 24 or 32.')
  const plaintext = randomBytes(length)
  const bytes = await call.state.bytesOf(key, version)
  return {
    body: {
      ciphertext: sealed(bytes, version.id, associatedIn(call.body), plaintext),
      ...(call.body.includePlaintextKey === true && {
        plaintext: plaintext.toString('base64'),
        plaintextChecksum: String(crc32(plaintext)),
      }),
    },
  }
}

export const cryptographyRoutes: readonly Route[] = [
  use('Encrypt', '/encrypt', encrypt),
  use('Decrypt', '/decrypt', decrypt),
  use('GenerateDataEncryptionKey', '/generateDataEncryptionKey', generateDataKey),
  use('Sign', '/sign', sign),
  use('Verify', '/verify', verify),
]
