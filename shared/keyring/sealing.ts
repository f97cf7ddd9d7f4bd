import type { KeyObject } from 'node:crypto'
import { aadOf, open, seal } from '../crypto/aead.ts'

/**
 * Seals bytes under a domain key.
 * @param purpose kind and owner of the bytes; bound as AAD with the domain, so that data copied to another record does
 * not open
 * @returns `<domain key id>.<base64>`
 */
export const sealUnder = (
  id: string,
  key: KeyObject,
  domain: string,
  purpose: readonly string[],
  bytes: Uint8Array,
): string => `${id}.${seal(key, bytes, aadOf(domain, ...purpose)).toString('base64')}`

/**
 * Opens the output of `sealUnder` with the same key. Zero the bytes after use if they are secret. @throws Refusal
 * CIPHERTEXT_INVALID
 */
export const openUnder = (key: KeyObject, domain: string, purpose: readonly string[], sealed: string): Buffer =>
  open(key, Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64'), aadOf(domain, ...purpose))

/** Id of the domain key that sealed `sealed`. */
export const sealedUnder = (sealed: string): string => sealed.slice(0, sealed.indexOf('.'))
