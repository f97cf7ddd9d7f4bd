import { createCipheriv, createDecipheriv, randomBytes, type CipherGCM, type DecipherGCM } from 'node:crypto'
import { algorithmRow } from '../algorithms.ts'
import { bytesAt, checksum, onlyKnown } from '../body.ts'
import type { Call, Route } from '../call.ts'
import { versionName } from '../describe.ts'
import { invalid } from '../errors.ts'
import type { HeldVersion } from '../held.ts'
import { use } from '../route.ts'
import { base64, usableVersion, VERSION } from './cryptography.ts'

const BLOCK_BYTES = 16
const GCM_IV_BYTES = 12
const TAG_BYTES = { least: 12, standard: 16, most: 16 }
const SOFTWARE_MOST = 65_536
const HARDWARE_MOST = 8_192

interface Mode {
  readonly cipher: `aes-${128 | 256}-${'cbc' | 'ctr'}` | `aes-${128 | 256}-gcm`
  readonly isAuthenticated: boolean
  readonly ivBytes: number
  /** Plaintext and ciphertext must be multiples of it; there is no padding. */
  readonly blockBytes: number
}

function modeOf({ algorithm }: HeldVersion): Mode {
  const { rawCipher } = algorithmRow(algorithm)
  if (rawCipher === undefined) throw new Error(`${algorithm} is no raw cipher.`)
  const isAuthenticated = rawCipher.endsWith('gcm')
  return {
    cipher: rawCipher,
    isAuthenticated,
    ivBytes: isAuthenticated ? GCM_IV_BYTES : BLOCK_BYTES,
    blockBytes: rawCipher.endsWith('cbc') ? BLOCK_BYTES : 1,
  }
}

const AAD = 'additionalAuthenticatedData'
const IV = 'initializationVector'
const withChecksums = (...names: readonly string[]): string[] => names.flatMap((name) => [name, `${name}Crc32c`])

/** @throws ApiError INVALID_ARGUMENT */
function requireSizes({ protectionLevel }: HeldVersion, field: string, bytes: Buffer, aad: Buffer): void {
  const isTooLong =
    protectionLevel === 'HSM'
      ? bytes.length + aad.length > HARDWARE_MOST
      : bytes.length > SOFTWARE_MOST || aad.length > SOFTWARE_MOST
  if (isTooLong) throw invalid(`The ${field} is too long.`)
}

/** @throws ApiError INVALID_ARGUMENT */
function requireFit({ isAuthenticated, blockBytes }: Mode, field: string, bytes: Buffer, aad: Buffer): void {
  if (!isAuthenticated && aad.length > 0) throw invalid('The algorithm takes no additional_authenticated_data.')
  if (bytes.length % blockBytes === 0) return
  throw invalid(`The size of the ${field} must be a multiple of ${blockBytes} bytes: pad it before.`)
}

/** @throws ApiError INVALID_ARGUMENT */
function requireIv({ ivBytes }: Mode, iv: Buffer): void {
  if (iv.length !== ivBytes) throw invalid(`The initialization_vector must have ${ivBytes} bytes.`)
}

const said = (name: string, { verified }: { verified: boolean }): object =>
  verified ? { [`verified${name}Crc32c`]: true } : {}

async function rawEncrypt(call: Call): Promise<object> {
  const body = onlyKnown(call.body, ['name', ...withChecksums('plaintext', AAD, IV)])
  const plaintext = bytesAt(body, 'plaintext')
  const aad = bytesAt(body, AAD)
  const given = bytesAt(body, IV)
  const { key, version, bytes } = await usableVersion(call, 'RAW_ENCRYPT_DECRYPT')
  const mode = modeOf(version)
  requireSizes(version, 'plaintext', plaintext.bytes, aad.bytes)
  requireFit(mode, 'plaintext', plaintext.bytes, aad.bytes)
  if (mode.isAuthenticated && given.bytes.length > 0)
    throw invalid('The algorithm takes no initialization_vector of the caller: one is made and answered.')
  const iv = given.bytes.length > 0 ? given.bytes : randomBytes(mode.ivBytes)
  requireIv(mode, iv)
  const ciphertext = seal(mode, bytes, { iv, aad: aad.bytes, plaintext: plaintext.bytes })
  return {
    ciphertext: base64(ciphertext),
    ciphertextCrc32c: checksum(ciphertext),
    [IV]: base64(iv),
    initializationVectorCrc32c: checksum(iv),
    ...(mode.isAuthenticated && { tagLength: TAG_BYTES.standard }),
    ...said('Plaintext', plaintext),
    ...said('AdditionalAuthenticatedData', aad),
    ...said('InitializationVector', given),
    name: versionName(key, version),
    protectionLevel: version.protectionLevel,
  }
}

function seal(mode: Mode, key: Buffer, { iv, aad, plaintext }: { iv: Buffer; aad: Buffer; plaintext: Buffer }): Buffer {
  const cipher = createCipheriv(mode.cipher, key, iv) as CipherGCM // its methods are only called for such modes
  cipher.setAutoPadding(false)
  if (mode.isAuthenticated) cipher.setAAD(aad)
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return mode.isAuthenticated ? Buffer.concat([sealed, cipher.getAuthTag()]) : sealed
}

async function rawDecrypt(call: Call): Promise<object> {
  const body = onlyKnown(call.body, ['name', 'tagLength', ...withChecksums('ciphertext', AAD, IV)])
  const ciphertext = bytesAt(body, 'ciphertext')
  const aad = bytesAt(body, AAD)
  const iv = bytesAt(body, IV)
  const { version, bytes } = await usableVersion(call, 'RAW_ENCRYPT_DECRYPT')
  const mode = modeOf(version)
  const tagBytes = tagBytesIn(mode, body.tagLength)
  requireSizes(version, 'ciphertext', ciphertext.bytes.subarray(tagBytes), aad.bytes) // without the tag
  requireFit(mode, 'ciphertext', ciphertext.bytes, aad.bytes)
  requireIv(mode, iv.bytes)
  const plaintext = open(mode, bytes, { iv: iv.bytes, aad: aad.bytes, ciphertext: ciphertext.bytes, tagBytes })
  return {
    plaintext: base64(plaintext),
    plaintextCrc32c: checksum(plaintext),
    protectionLevel: version.protectionLevel,
    ...said('Ciphertext', ciphertext),
    ...said('AdditionalAuthenticatedData', aad),
    ...said('InitializationVector', iv),
  }
}

/** Length of the tag at the end of the ciphertext, 0 without a tag. @throws ApiError INVALID_ARGUMENT */
function tagBytesIn({ isAuthenticated }: Mode, given: unknown): number {
  const length = Number(given ?? 0)
  if (!isAuthenticated && length === 0) return 0
  if (!isAuthenticated) throw invalid('The algorithm has no authentication tag.')
  if (length === 0) return TAG_BYTES.standard
  if (Number.isInteger(length) && length >= TAG_BYTES.least && length <= TAG_BYTES.most) return length
  throw invalid(`The tag_length must be ${TAG_BYTES.least} to ${TAG_BYTES.most}.`)
}

interface Sealed {
  readonly iv: Buffer
  readonly aad: Buffer
  readonly ciphertext: Buffer
  readonly tagBytes: number
}

function open({ cipher, isAuthenticated }: Mode, key: Buffer, { iv, aad, ciphertext, tagBytes }: Sealed): Buffer {
  if (!isAuthenticated) {
    const decipher = createDecipheriv(cipher, key, iv).setAutoPadding(false)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  }
  const end = ciphertext.length - tagBytes
  try {
    const options = { authTagLength: tagBytes } as object
    const decipher = createDecipheriv(cipher, key, iv, options) as DecipherGCM
    decipher.setAAD(aad).setAuthTag(ciphertext.subarray(end))
    return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()])
  } catch {
    throw invalid("Decryption failed: verify that 'name' refers to the correct CryptoKeyVersion.")
  }
}

export const rawCryptographyRoutes: readonly Route[] = [
  use('RawEncrypt', `${VERSION}:rawEncrypt`, 'cryptoKeyVersions.useToEncrypt', rawEncrypt),
  use('RawDecrypt', `${VERSION}:rawDecrypt`, 'cryptoKeyVersions.useToDecrypt', rawDecrypt),
]
