import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Bytes of an RSA modulus: the length of its signatures and ciphertexts. @see RFC 8017 §8.1.1, §7.1.1 */
export const modulusBytesOf = ({ asymmetricKeyDetails }: KeyObject): number =>
  Math.ceil((asymmetricKeyDetails?.modulusLength ?? 0) / 8)

/** DER of the SubjectPublicKeyInfo of either half of a pair. */
export const spkiOf = (key: KeyObject): Buffer =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' })
