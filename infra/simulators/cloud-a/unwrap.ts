import { createPrivateKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { unwrap as unwrapAs, type Wrapping } from '../toolkit/unwrap.ts'
import type { KeySpecRow, WrappingAlgorithm } from './key-specs.ts'
import { incorrectMaterial, invalidCiphertext } from './refusals.ts'

const WAYS: Readonly<Record<WrappingAlgorithm, Wrapping>> = {
  RSAES_OAEP_SHA_1: { oaepHash: 'sha1', twoLayers: false },
  RSAES_OAEP_SHA_256: { oaepHash: 'sha256', twoLayers: false },
  RSA_AES_KEY_WRAP_SHA_1: { oaepHash: 'sha1', twoLayers: true },
  RSA_AES_KEY_WRAP_SHA_256: { oaepHash: 'sha256', twoLayers: true },
}

/** @throws ServiceError InvalidCiphertextException, the same for whatever is wrong */
export function unwrap(wrappingKey: KeyObject, algorithm: WrappingAlgorithm, wrapped: Buffer): Buffer {
  try {
    return unwrapAs(wrappingKey, WAYS[algorithm], wrapped)
  } catch {
    throw invalidCiphertext()
  }
}

/**
 * The material as it is kept: raw bytes, or PKCS #8 as OpenSSL writes it, so that the same key has one form.
 * @throws ServiceError IncorrectKeyMaterialException if it is no key of this spec
 */
export function acceptMaterial(row: KeySpecRow, symmetricBytes: number, bytes: Buffer): Buffer {
  const length = row.family === 'symmetric' ? symmetricBytes : row.bytes
  if (length !== undefined) {
    if (bytes.length === length) return bytes
    throw incorrectMaterial(`Key material of ${row.name} has ${length} bytes, not ${bytes.length}.`)
  }
  const key = privateKeyOf(bytes)
  const { modulusLength, namedCurve } = key?.asymmetricKeyDetails ?? {}
  const fits = row.family === 'rsa' ? modulusLength === row.modulusBits : namedCurve === row.curve
  if (key === undefined || !fits || key.asymmetricKeyType !== row.family) {
    throw incorrectMaterial(`The key material is no private key of ${row.name} in PKCS #8.`)
  }
  return key.export({ format: 'der', type: 'pkcs8' })
}

function privateKeyOf(bytes: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
  } catch {
    return undefined
  }
}
