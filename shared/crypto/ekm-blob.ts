import type { KeyObject } from 'node:crypto'
import { ciphertextInvalid, decryptGcm, encryptGcm, TAG_BYTES } from './aead.ts'

/**
 * The blob that `:wrap` answers: one byte for the format, the version of the key (4 bytes, big-endian), a 12-byte iv,
 * the ciphertext, a 16-byte tag; AES-256-GCM.
 */

const FORMAT = 1
const VERSION_AT = 1
const IV_AT = 5
const IV_BYTES = 12
const CIPHERTEXT_AT = IV_AT + IV_BYTES

/** Bytes that a blob adds to its plaintext. */
export const BLOB_OVERHEAD_BYTES = CIPHERTEXT_AT + TAG_BYTES

/** A version of a key, as named in a blob. */
export interface BlobKey {
  /** id of the version */
  readonly id: string
  readonly version: number
}

const LABEL = 'keymgr ekm blob'
const LENGTH_BYTES = 4

/**
 * Label, format, version, id of the version and the caller's AAD, each after its length, so that different lists never
 * give the same bytes.
 */
function boundBytes({ id, version }: BlobKey, aad: Buffer): Buffer {
  const bound = Buffer.allocUnsafe(5 * LENGTH_BYTES + LABEL.length + 1 + 4 + id.length + aad.length)
  let at = bound.writeUInt32BE(LABEL.length, 0)
  at += bound.write(LABEL, at, 'latin1')
  at = bound.writeUInt32BE(1, at)
  at = bound.writeUInt8(FORMAT, at)
  at = bound.writeUInt32BE(4, at)
  at = bound.writeUInt32BE(version, at)
  at = bound.writeUInt32BE(id.length, at)
  at += bound.write(id, at, 'latin1') // hexadecimal digits
  at = bound.writeUInt32BE(aad.length, at)
  bound.set(aad, at)
  return bound
}

/** @param iv 12 bytes, never used before under this key */
export function sealBlob(key: KeyObject, of: BlobKey, plaintext: Buffer, iv: Buffer, aad: Buffer): Buffer {
  const { ciphertext, tag } = encryptGcm(key, plaintext, iv, boundBytes(of, aad))
  const blob = Buffer.allocUnsafe(BLOB_OVERHEAD_BYTES + ciphertext.length)
  blob.writeUInt8(FORMAT, 0)
  blob.writeUInt32BE(of.version, VERSION_AT)
  blob.set(iv, IV_AT)
  blob.set(ciphertext, CIPHERTEXT_AT)
  blob.set(tag, CIPHERTEXT_AT + ciphertext.length)
  return blob
}

/** The version named in a blob. @throws Refusal CIPHERTEXT_INVALID for anything but a blob */
export function versionInBlob(blob: Buffer): number {
  if (blob.length <= BLOB_OVERHEAD_BYTES || blob[0] !== FORMAT) throw ciphertextInvalid()
  return blob.readUInt32BE(VERSION_AT)
}

/**
 * The plaintext of a blob.
 * @throws Refusal CIPHERTEXT_INVALID, the same for every cause
 */
export function openBlob(key: KeyObject, of: BlobKey, blob: Buffer, aad: Buffer): Buffer {
  const tagAt = blob.length - TAG_BYTES
  const parts = { ciphertext: blob.subarray(CIPHERTEXT_AT, tagAt), tag: blob.subarray(tagAt) }
  return decryptGcm(key, parts, blob.subarray(IV_AT, CIPHERTEXT_AT), boundBytes(of, aad))
}
