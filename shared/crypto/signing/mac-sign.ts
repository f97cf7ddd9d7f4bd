import { Refusal } from '../../base/errors.ts'
import { LOCAL_ALGORITHMS } from '../algorithms.ts'
import type { KeyMaterial } from '../key-material.ts'
import { sign, SIGNATURES, verify, type SignatureName } from './sign.ts'

/** Proof of origin, sent with material in the clear: KMIP's wrapping method MAC/sign. */
export interface MacSignature {
  readonly macSignature: Buffer
  readonly macSignatureAlgorithm: SignatureName
}

const broken = (sentence: string, pointer: string) =>
  new Refusal('RULE_BROKEN', sentence, { errors: [{ pointer, detail: sentence }] })

const ML_DSA: Readonly<Record<number, SignatureName>> = { 44: 'ml-dsa-44', 65: 'ml-dsa-65', 87: 'ml-dsa-87' }

/**
 * The algorithm with which a key MACs or signs. Ours: a key has exactly one, which the receiver derives from the key
 * and not from the message: HMAC with the key's own hash, RSASSA-PSS with SHA-256, ECDSA in DER with a hash as strong
 * as its curve (FIPS 186-5 §6.1.1), Ed25519, ML-DSA.
 */
function algorithmOf({ algorithm, curve, sizeBits }: KeyMaterial): SignatureName | undefined {
  const { family, hash } = LOCAL_ALGORITHMS[algorithm]
  if (hash !== undefined) return `hmac-${hash}`
  if (family === 'rsa') return 'rsa-pss-sha256'
  if (algorithm === 'ml-dsa') return ML_DSA[sizeBits]
  if (family !== 'ec') return undefined
  if (curve === 'curve25519') return 'ed25519'
  return sizeBits <= 256 ? 'ecdsa-sha256' : sizeBits <= 384 ? 'ecdsa-sha384' : 'ecdsa-sha512'
}

function nameFor(key: KeyMaterial): SignatureName {
  const name = algorithmOf(key)
  if (name === undefined || key.objectType === 'Certificate')
    throw broken('wrappingMethod mac/sign takes an HMAC key or an RSA, EC or ML-DSA key', '#/wrapKeyName')
  return name
}

/** @throws Refusal RULE_BROKEN for a key that can neither MAC nor sign */
export function macSign(key: KeyMaterial, bytes: Uint8Array): MacSignature {
  const name = nameFor(key)
  if (key.objectType === 'Public Key') throw broken('signing takes the private half of a pair', '#/wrapKeyName')
  return { macSignature: sign(SIGNATURES[name], key, bytes), macSignatureAlgorithm: name }
}

/** @throws Refusal RULE_BROKEN if the MAC or signature is not that of the key for these bytes, without the reason */
export function assertMacSigned(key: KeyMaterial, bytes: Uint8Array, macSignature: Uint8Array): void {
  if (!verify(SIGNATURES[nameFor(key)], key, bytes, macSignature))
    throw broken('macSignature does not verify', '#/macSignature')
}
