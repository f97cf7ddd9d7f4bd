import { hash, type KeyObject } from 'node:crypto'
import { decryptGcm, encryptGcm } from './gcm.ts'

/*
 * What a cloud's external key store asks for: AES-256-GCM, the AAD made of two values with their lengths, and a digest
 * over everything that is answered. Protocol of external key stores, version 1, "Cryptographic construction".
 */

const NOTHING = Buffer.alloc(0)
/** The length before the caller's AAD has two bytes, that before the metadata one. */
const AAD_LENGTH_BYTES = 2
const METADATA_LENGTH_BYTES = 1

/** The values of one encryption, as they leave and come back. */
export interface Envelope {
  readonly ciphertext: Buffer
  readonly iv: Buffer
  /** 16 bytes */
  readonly tag: Buffer
  readonly aad: Buffer
  readonly metadata: Buffer
}

/** len16(AAD) ‖ AAD ‖ len8(metadata) ‖ metadata: neither can be passed off as the other. */
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

/** The plaintext. @throws Refusal CIPHERTEXT_INVALID, the same for whatever was changed */
export const decryptEnvelope = (key: KeyObject, { ciphertext, iv, tag, aad, metadata }: Envelope): Buffer =>
  decryptGcm(key, { ciphertext, tag }, iv, gcmAad(aad, metadata))

/** What `encryptVerified` is made of: a test puts a step of its own between them. */
export interface EnvelopeSteps {
  readonly encrypt: typeof encryptEnvelope
  readonly integrity: typeof integrityValue
  readonly decrypt: typeof decryptEnvelope
}
const STEPS: EnvelopeSteps = { encrypt: encryptEnvelope, integrity: integrityValue, decrypt: decryptEnvelope }

/**
 * Encrypts, takes the digest, then decrypts the very values that are about to be answered: in this order, so that a
 * corruption between any two of them is found.
 * @throws Error, a fault, when what was encrypted does not decrypt to the plaintext
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
  // Not secret from whoever sent it: the comparison need not take constant time.
  if (!verified.equals(plaintext)) throw new Error('What was encrypted decrypts to something else')
  return { envelope, integrityValue: digest }
}
