import { constants, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { privateKeyOf } from '../../toolkit/key-pairs.ts'
import { versionOf, type HeldKey, type HeldVersion } from '../state/held.ts'
import { isObject, requiredBytes, requiredText, wordAt, type Body } from '../wire/body.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { invalid } from '../wire/errors.ts'
import { keyWithId } from '../wire/found.ts'
import { use } from '../wire/route.ts'
import { decryptThere, encryptThere, randomThere } from '../external/keys.ts'
import { opened, sealed, versionIn } from './ciphertexts.ts'
import { sign, verify } from './signing.ts'
import { usable } from './usable.ts'

const ALGORITHMS = ['AES_256_GCM', 'RSA_OAEP_SHA_1', 'RSA_OAEP_SHA_256'] as const
const ASSOCIATED_CHARACTERS = 4_096

/** Associated data in the order of the names. @throws ApiError InvalidParameter */
function associatedIn(body: Body): Buffer {
  const data = body.associatedData ?? {}
  if (!isObject(data)) throw invalid('associatedData must be an object.')
  const text = JSON.stringify(Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1)))
  if (text.length >= ASSOCIATED_CHARACTERS) throw invalid('associatedData is too long.')
  return Buffer.from(text)
}

/** @throws ApiError InvalidParameter for an algorithm of other key shapes */
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

/** Encrypts where the material is: here, or at the external key manager. */
async function encrypted(call: Call, key: HeldKey, version: HeldVersion, plaintext: Buffer): Promise<Buffer> {
  const associated = associatedIn(call.body)
  if (key.protectionMode === 'EXTERNAL') return encryptThere(call, key, version, associated, plaintext)
  const bytes = await call.state.bytesOf(key, version)
  return key.shape.algorithm === 'RSA'
    ? publicEncrypt(oaep(algorithmIn(call, key), bytes), plaintext)
    : sealed(bytes, version.id, associated, plaintext)
}

async function encrypt(call: Call): Promise<Reply> {
  const plaintext = requiredBytes(call.body, 'plaintext')
  const { key, version } = usable(call)
  const encryptionAlgorithm = algorithmIn(call, key)
  const ciphertext = (await encrypted(call, key, version, plaintext)).toString('base64')
  return { body: { ciphertext, keyId: key.id, keyVersionId: version.id, encryptionAlgorithm } }
}

/** The version in a ciphertext; RSA ciphertexts contain none. @throws ApiError InvalidParameter for an unknown one */
function versionOfCiphertext(key: HeldKey, ciphertext: Buffer): string | undefined {
  if (key.shape.algorithm === 'RSA') return undefined
  const version = versionOf(key, versionIn(ciphertext))
  if (version === undefined) throw invalid('The ciphertext is not valid for this key.')
  return version.id
}

async function decrypt(call: Call): Promise<Reply> {
  const ciphertext = requiredBytes(call.body, 'ciphertext')
  const asked = keyWithId(call, requiredText(call.body, 'keyId'), 'use')
  const encryptionAlgorithm = algorithmIn(call, asked)
  const { key, version } = usable(call, versionOfCiphertext(asked, ciphertext))
  const plaintext = await decrypted(call, key, version, ciphertext)
  return {
    body: { ...inClear(plaintext), keyId: key.id, keyVersionId: version.id, encryptionAlgorithm },
  }
}

async function decrypted(call: Call, key: HeldKey, version: HeldVersion, ciphertext: Buffer): Promise<Buffer> {
  const associated = associatedIn(call.body)
  if (key.protectionMode === 'EXTERNAL') return decryptThere(call, key, associated, ciphertext)
  const bytes = await call.state.bytesOf(key, version)
  return key.shape.algorithm === 'RSA'
    ? openedRsa(algorithmIn(call, key), bytes, ciphertext)
    : opened(bytes, associated, ciphertext)
}

const inClear = (plaintext: Buffer) => ({
  plaintext: plaintext.toString('base64'),
  plaintextChecksum: String(crc32(plaintext)),
})

function openedRsa(algorithm: string, pkcs8: Buffer, ciphertext: Buffer): Buffer {
  try {
    return privateDecrypt(oaep(algorithm, pkcs8), ciphertext)
  } catch {
    throw invalid('The ciphertext is not valid for this key.')
  }
}

/** A data key, encrypted with a key, and in the clear if the request asks for it. */
async function generateDataKey(call: Call): Promise<Reply> {
  const { key, version } = usable(call)
  if (key.shape.algorithm !== 'AES') throw invalid('Data keys are encrypted by AES keys.')
  const length = isObject(call.body.keyShape) ? Number(call.body.keyShape.length) : NaN
  if (![16, 24, 32].includes(length)) throw invalid('keyShape.length must be 16, 24 or 32.')
  const plaintext = key.protectionMode === 'EXTERNAL' ? await randomThere(call, length) : randomBytes(length)
  const ciphertext = (await encrypted(call, key, version, plaintext)).toString('base64')
  return { body: { ciphertext, ...(call.body.includePlaintextKey === true && inClear(plaintext)) } }
}

export const cryptographyRoutes: readonly Route[] = [
  use('Encrypt', '/encrypt', encrypt),
  use('Decrypt', '/decrypt', decrypt),
  use('GenerateDataEncryptionKey', '/generateDataEncryptionKey', generateDataKey),
  use('Sign', '/sign', sign),
  use('Verify', '/verify', verify),
]
