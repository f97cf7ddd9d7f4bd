import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { timingSafeEqual } from 'node:crypto'
import { publicKeyOf } from '../../toolkit/key-pairs.ts'
import { algorithmRow } from '../algorithms.ts'
import { bytesAt, checksum, objectAt, onlyKnown, type Body } from '../body.ts'
import type { Call, Route } from '../call.ts'
import { versionName } from '../describe.ts'
import { PROTECTION_LEVELS, wordOf, type Purpose } from '../enums.ts'
import { invalid, precondition } from '../errors.ts'
import { keyNamed, requireLocation, versionNamed } from '../found.ts'
import { primaryOf, versionNumbered, type HeldKey, type HeldVersion } from '../held.ts'
import { decryptRsa, signData, signOver } from '../pair-algorithms.ts'
import { readKey, use } from '../route.ts'

const KEY = '/v1/projects/*/locations/*/keyRings/*/cryptoKeys/*'
export const VERSION = `${KEY}/cryptoKeyVersions/*`
const IV_BYTES = 12
const TAG_BYTES = 16
const PLAINTEXT_MOST = 65_536

interface Usable {
  readonly key: HeldKey
  readonly version: HeldVersion
  readonly bytes: Buffer
}

/** @throws ApiError INVALID_ARGUMENT for another purpose, FAILED_PRECONDITION unless it is enabled */
async function usable(call: Call, key: HeldKey, version: HeldVersion | undefined, purpose: Purpose): Promise<Usable> {
  if (key.purpose !== purpose) throw invalid(`${key.name} is of purpose ${key.purpose}, not ${purpose}.`)
  if (version === undefined) throw precondition(`${key.name} has no primary version.`, 'KEY_DISABLED', key.name)
  const name = versionName(key, version)
  if (version.state !== 'ENABLED') {
    const type = version.state === 'DISABLED' ? 'KEY_DISABLED' : `KEY_${version.state}`
    throw precondition(`${name} is not enabled, current state is: ${version.state}.`, type, name)
  }
  return { key, version, bytes: await call.state.bytesOf(key, version) }
}

/** The version that a request names. */
export const usableVersion = (call: Call, purpose: Purpose): Promise<Usable> => {
  const { key, version } = versionNamed(call, call.name)
  return usable(call, key, version, purpose)
}

export const base64 = (bytes: Buffer): string => bytes.toString('base64')

async function encrypt(call: Call): Promise<object> {
  const body = onlyKnown(call.body, [
    ...['plaintext', 'plaintextCrc32c', 'additionalAuthenticatedData', 'additionalAuthenticatedDataCrc32c', 'name'],
  ])
  const plaintext = bytesAt(body, 'plaintext')
  const aad = bytesAt(body, 'additionalAuthenticatedData')
  if (plaintext.bytes.length + aad.bytes.length > PLAINTEXT_MOST) throw invalid('The plaintext is too long.')
  const isVersion = call.name.includes('/cryptoKeyVersions/')
  const found = isVersion ? versionNamed(call, call.name) : { key: keyNamed(call, call.name), version: undefined }
  const { key, version, bytes } = await usable(
    call,
    found.key,
    found.version ?? primaryOf(found.key),
    'ENCRYPT_DECRYPT',
  )
  const head = Buffer.alloc(4)
  head.writeUInt32BE(version.number)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(aad.bytes)
  const ciphertext = Buffer.concat([head, iv, cipher.update(plaintext.bytes), cipher.final(), cipher.getAuthTag()])
  return {
    name: versionName(key, version),
    ciphertext: base64(ciphertext),
    ciphertextCrc32c: checksum(ciphertext),
    ...(plaintext.verified && { verifiedPlaintextCrc32c: true }),
    ...(aad.verified && { verifiedAdditionalAuthenticatedDataCrc32c: true }),
    protectionLevel: version.protectionLevel,
  }
}

async function decrypt(call: Call): Promise<object> {
  const body = onlyKnown(call.body, [
    ...['ciphertext', 'ciphertextCrc32c', 'additionalAuthenticatedData', 'additionalAuthenticatedDataCrc32c', 'name'],
  ])
  const { bytes: ciphertext } = bytesAt(body, 'ciphertext')
  const { bytes: aad } = bytesAt(body, 'additionalAuthenticatedData')
  const key = keyNamed(call, call.name)
  const broken = () => invalid("Decryption failed: verify that 'name' refers to the correct CryptoKey.")
  if (ciphertext.length < 4 + IV_BYTES + TAG_BYTES) throw broken()
  const sealedBy = versionNumbered(key, ciphertext.readUInt32BE())
  if (sealedBy === undefined) throw broken()
  const { version, bytes } = await usable(call, key, sealedBy, 'ENCRYPT_DECRYPT')
  let plaintext: Buffer
  try {
    const decipher = createDecipheriv('aes-256-gcm', bytes, ciphertext.subarray(4, 4 + IV_BYTES))
    decipher.setAAD(aad).setAuthTag(ciphertext.subarray(-TAG_BYTES))
    plaintext = Buffer.concat([decipher.update(ciphertext.subarray(4 + IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    throw broken()
  }
  return {
    plaintext: base64(plaintext),
    plaintextCrc32c: checksum(plaintext),
    ...(version.number === key.primary && { usedPrimary: true }),
    protectionLevel: version.protectionLevel,
  }
}

async function asymmetricSign(call: Call): Promise<object> {
  const body = onlyKnown(call.body, ['data', 'dataCrc32c', 'digest', 'digestCrc32c', 'name'])
  const { key, version, bytes } = await usableVersion(call, 'ASYMMETRIC_SIGN')
  const row = algorithmRow(version.algorithm)
  const data = bytesAt(body, 'data')
  const digest = digestIn(body, row.hash)
  if ((digest === undefined) === (data.bytes.length === 0)) throw invalid('Exactly one of data and digest must be set.')
  const signature = digest === undefined ? signData(row, bytes, data.bytes) : signOver(row, bytes, digest.bytes)
  return {
    name: versionName(key, version),
    signature: base64(signature),
    signatureCrc32c: checksum(signature),
    ...(data.verified && { verifiedDataCrc32c: true }),
    ...(digest?.verified && { verifiedDigestCrc32c: true }),
    protectionLevel: version.protectionLevel,
  }
}

/** The digest of a request, in the member of its hash. @throws ApiError INVALID_ARGUMENT for another hash */
function digestIn(body: Body, hash: string | undefined) {
  if (body.digest === undefined || body.digest === null) return undefined
  const digest = objectAt(body, 'digest')
  if (hash === undefined || Object.keys(digest).join() !== hash) throw invalid('The digest is not of the key’s hash.')
  const checksum = body.digestCrc32c
  return bytesAt({ ...digest, ...(checksum !== undefined && { [`${hash}Crc32c`]: checksum }) }, hash)
}

/** Random bytes of a location's hardware. */
function generateRandomBytes(call: Call): object {
  const body = onlyKnown(call.body, ['lengthBytes', 'protectionLevel', 'location'])
  requireLocation(call.name)
  const length = Number(body.lengthBytes ?? 0)
  if (!Number.isInteger(length) || length < 8 || length > 1_024) throw invalid('length_bytes must be 8 to 1024.')
  if (wordOf(PROTECTION_LEVELS, body.protectionLevel, 'protection_level') !== 'HSM')
    throw invalid('protection_level must be HSM.')
  const data = randomBytes(length)
  return { data: base64(data), dataCrc32c: checksum(data) }
}

async function asymmetricDecrypt(call: Call): Promise<object> {
  const body = onlyKnown(call.body, ['ciphertext', 'ciphertextCrc32c', 'name'])
  const { version, bytes } = await usableVersion(call, 'ASYMMETRIC_DECRYPT')
  const ciphertext = bytesAt(body, 'ciphertext')
  const plaintext = decryptRsa(algorithmRow(version.algorithm), bytes, ciphertext.bytes)
  return {
    plaintext: base64(plaintext),
    plaintextCrc32c: checksum(plaintext),
    ...(ciphertext.verified && { verifiedCiphertextCrc32c: true }),
    protectionLevel: version.protectionLevel,
  }
}

/** A MAC over the body's `data`. */
async function macOf(call: Call, members: readonly string[]) {
  const body = onlyKnown(call.body, ['data', 'dataCrc32c', 'name', ...members])
  const { key, version, bytes } = await usableVersion(call, 'MAC')
  const data = bytesAt(body, 'data')
  const mac = createHmac(algorithmRow(version.algorithm).hash ?? '', bytes)
    .update(data.bytes)
    .digest()
  const said = { ...(data.verified && { verifiedDataCrc32c: true }), protectionLevel: version.protectionLevel }
  return { body, mac, said: { name: versionName(key, version), ...said } }
}

async function macSign(call: Call): Promise<object> {
  const { mac, said } = await macOf(call, [])
  return { ...said, mac: base64(mac), macCrc32c: checksum(mac) }
}

async function macVerify(call: Call): Promise<object> {
  const { body, mac, said } = await macOf(call, ['mac', 'macCrc32c'])
  const given = bytesAt(body, 'mac')
  const success = given.bytes.length === mac.length && timingSafeEqual(given.bytes, mac)
  return {
    ...said,
    ...(success && { success, verifiedSuccessIntegrity: true }),
    ...(given.verified && { verifiedMacCrc32c: true }),
  }
}

async function getPublicKey(call: Call): Promise<object> {
  const { key, version } = versionNamed(call, call.name)
  if (key.purpose !== 'ASYMMETRIC_SIGN' && key.purpose !== 'ASYMMETRIC_DECRYPT')
    throw invalid(`Keys of purpose ${key.purpose} have no public key.`)
  const { bytes } = await usable(call, key, version, key.purpose)
  const pem = publicKeyOf(bytes).export({ format: 'pem', type: 'spki' }).toString()
  return {
    name: versionName(key, version),
    pem,
    algorithm: version.algorithm,
    pemCrc32c: checksum(Buffer.from(pem)),
    protectionLevel: version.protectionLevel,
  }
}

const RANDOM = 'locations.generateRandomBytes'
const may = (use: string): string => `cryptoKeyVersions.${use}`

export const cryptographyRoutes: readonly Route[] = [
  use('GenerateRandomBytes', '/v1/projects/*/locations/*:generateRandomBytes', RANDOM, generateRandomBytes),
  use('Encrypt', `${KEY}:encrypt`, may('useToEncrypt'), encrypt),
  use('Encrypt', `${VERSION}:encrypt`, may('useToEncrypt'), encrypt),
  use('Decrypt', `${KEY}:decrypt`, may('useToDecrypt'), decrypt),
  use('AsymmetricSign', `${VERSION}:asymmetricSign`, may('useToSign'), asymmetricSign),
  use('AsymmetricDecrypt', `${VERSION}:asymmetricDecrypt`, may('useToDecrypt'), asymmetricDecrypt),
  use('MacSign', `${VERSION}:macSign`, may('useToSign'), macSign),
  use('MacVerify', `${VERSION}:macVerify`, may('useToVerify'), macVerify),
  readKey('GetPublicKey', `${VERSION}/publicKey`, may('viewPublicKey'), getPublicKey),
]
