import type { KeyObject } from 'node:crypto'
import { unwrap as unwrapAs, type Wrapping } from '../../toolkit/unwrap.ts'
import { invalidCiphertext } from '../wire/refusals.ts'
import type { WrappingAlgorithm } from './key-specs.ts'

const WAYS: Readonly<Record<WrappingAlgorithm, Wrapping>> = {
  RSAES_OAEP_SHA_1: { oaepHash: 'sha1', twoLayers: false },
  RSAES_OAEP_SHA_256: { oaepHash: 'sha256', twoLayers: false },
  RSA_AES_KEY_WRAP_SHA_1: { oaepHash: 'sha1', twoLayers: true },
  RSA_AES_KEY_WRAP_SHA_256: { oaepHash: 'sha256', twoLayers: true },
}

/** @throws ServiceError InvalidCiphertextException for every failure */
export function unwrap(wrappingKey: KeyObject, algorithm: WrappingAlgorithm, wrapped: Buffer): Buffer {
  try {
    return unwrapAs(wrappingKey, WAYS[algorithm], wrapped)
  } catch {
    throw invalidCiphertext()
  }
}
