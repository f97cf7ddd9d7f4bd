import { createPublicKey, hash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Bytes of an RSA modulus: the length of its signatures and ciphertexts. @see RFC 8017 §8.1.1, §7.1.1 */
export const modulusBytesOf = ({ asymmetricKeyDetails }: KeyObject): number =>
  Math.ceil((asymmetricKeyDetails?.modulusLength ?? 0) / 8)

/** DER of the SubjectPublicKeyInfo of either half of a pair. */
export const spkiOf = (key: KeyObject): Buffer =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' })

/** SHA-256 of the SubjectPublicKeyInfo, the same for both halves of a pair. */
export const spkiHashOf = (key: KeyObject): Buffer => hash('sha256', spkiOf(key), 'buffer')
