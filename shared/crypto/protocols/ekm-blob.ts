import type { KeyObject } from 'node:crypto'
import { aadOf, ciphertextInvalid, openFrame, SEAL_OVERHEAD_BYTES, sealFrame } from '../aead.ts'

/**
 * The blob returned by `:wrap`: one byte for the format, the version of the key (4 bytes, big-endian), a 12-byte iv,
 * the ciphertext, a 16-byte tag; AES-256-GCM.
 */

const FORMAT = Buffer.of(1)
const VERSION_AT = 1
const HEADER_BYTES = 5

/** Bytes that a blob adds to its plaintext. */
export const BLOB_OVERHEAD_BYTES = HEADER_BYTES + SEAL_OVERHEAD_BYTES

/** A version of a key, as named in a blob. */
export interface BlobKey {
  /** id of the version */
  readonly id: string
  readonly version: number
}

const LABEL = 'keymgr ekm blob'

function versionBytes({ version }: BlobKey): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(version)
  return bytes
}

const boundBytes = (of: BlobKey, aad: Buffer): Buffer => aadOf(LABEL, FORMAT, versionBytes(of), of.id, aad)

/** @param iv 12 bytes, never used before under this key */
export const sealBlob = (key: KeyObject, of: BlobKey, plaintext: Buffer, iv: Buffer, aad: Buffer): Buffer =>
  sealFrame(key, Buffer.concat([FORMAT, versionBytes(of)]), plaintext, iv, boundBytes(of, aad))

/** The version named in a blob. @throws Refusal CIPHERTEXT_INVALID for anything but a blob */
export function versionInBlob(blob: Buffer): number {
  if (blob.length <= BLOB_OVERHEAD_BYTES || blob[0] !== FORMAT[0]) throw ciphertextInvalid()
  return blob.readUInt32BE(VERSION_AT)
}

/**
 * The plaintext of a blob.
 * @throws Refusal CIPHERTEXT_INVALID, the same for every cause
 */
export const openBlob = (key: KeyObject, of: BlobKey, blob: Buffer, aad: Buffer): Buffer =>
  openFrame(key, HEADER_BYTES, blob, boundBytes(of, aad))
