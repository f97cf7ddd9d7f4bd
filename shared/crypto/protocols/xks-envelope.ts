import { hash, type KeyObject } from 'node:crypto'
import { decryptGcm, encryptGcm } from '../aead.ts'

/**
 * The construction that the external key store protocol, version 1, requires: AES-256-GCM, an AAD of two
 * length-prefixed values, and a digest over the whole answer.
 */

const NOTHING = Buffer.alloc(0)
/** The caller's AAD has a length prefix of two bytes, the metadata one of one byte. */
const AAD_LENGTH_BYTES = 2
const METADATA_LENGTH_BYTES = 1

/** The values of one encryption, as in the protocol. */
export interface Envelope {
  readonly ciphertext: Buffer
  readonly iv: Buffer
  /** 16 bytes */
  readonly tag: Buffer
  readonly aad: Buffer
  readonly metadata: Buffer
}

/** len16(AAD) ‖ AAD ‖ len8(metadata) ‖ metadata: the lengths prevent shifting bytes between the two. */
export function gcmAad(aad: Buffer, metadata: Buffer): Buffer {
  const metadataAt = AAD_LENGTH_BYTES + aad.length
  const joined = Buffer.allocUnsafe(metadataAt + METADATA_LENGTH_BYTES + metadata.length)
  joined.writeUInt16BE(aad.length, 0)
  joined.set(aad, AAD_LENGTH_BYTES)
  joined.writeUInt8(metadata.length, metadataAt)
  joined.set(metadata, metadataAt + METADATA_LENGTH_BYTES)
  return joined
}

/** Base64 of SHA-256 over AAD ‖ metadata ‖ IV ‖ ciphertext ‖ tag. */
export const integrityValue = ({ aad, metadata, iv, ciphertext, tag }: Envelope): string =>
  hash('sha256', Buffer.concat([aad, metadata, iv, ciphertext, tag]), 'base64')

/** @param iv never used before under this key */
export function encryptEnvelope(
  key: KeyObject,
  plaintext: Buffer,
  { iv, aad = NOTHING, metadata = NOTHING }: Pick<Envelope, 'iv'> & Partial<Pick<Envelope, 'aad' | 'metadata'>>,
): Envelope {
  return { ...encryptGcm(key, plaintext, iv, gcmAad(aad, metadata)), iv, aad, metadata }
}

/** The plaintext. @throws Refusal CIPHERTEXT_INVALID, the same for every cause */
export const decryptEnvelope = (key: KeyObject, { ciphertext, iv, tag, aad, metadata }: Envelope): Buffer =>
  decryptGcm(key, { ciphertext, tag }, iv, gcmAad(aad, metadata))

/** The steps of `encryptVerified`; a test replaces one. */
export interface EnvelopeSteps {
  readonly encrypt: typeof encryptEnvelope
  readonly integrity: typeof integrityValue
  readonly decrypt: typeof decryptEnvelope
}
const STEPS: EnvelopeSteps = { encrypt: encryptEnvelope, integrity: integrityValue, decrypt: decryptEnvelope }

/**
 * Encrypts, computes the digest, then decrypts the values about to be returned. This order detects corruption between
 * any two steps.
 * @throws Error, a fault, when the ciphertext does not decrypt to the plaintext
 */
export function encryptVerified(
  key: KeyObject,
  plaintext: Buffer,
  bound: Parameters<typeof encryptEnvelope>[2],
  { encrypt, integrity, decrypt }: EnvelopeSteps = STEPS,
): { envelope: Envelope; integrityValue: string } {
  const envelope = encrypt(key, plaintext, bound)
  const digest = integrity(envelope)
  let verified: Buffer
  try {
    verified = decrypt(key, envelope)
  } catch (cause) {
    throw new Error('What was encrypted does not decrypt', { cause })
  }
  // The caller knows the plaintext: the comparison need not take constant time.
  if (!verified.equals(plaintext)) throw new Error('What was encrypted decrypts to something else')
  return { envelope, integrityValue: digest }
}
