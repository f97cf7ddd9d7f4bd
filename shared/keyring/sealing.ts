import type { KeyObject } from 'node:crypto'
import { aadOf, open, seal } from '../crypto/aead.ts'

/**
 * Bytes sealed under a domain's key.
 * @param purpose what they are and whose: bound to the domain, so that a sealing moved elsewhere does not open
 * @returns `<domain key id>.<base64>`
 */
export const sealUnder = (
  id: string,
  key: KeyObject,
  domain: string,
  purpose: readonly string[],
  bytes: Uint8Array,
): string => `${id}.${seal(key, bytes, aadOf(domain, ...purpose)).toString('base64')}`

/** What `sealUnder` sealed under the same key. Zero it after use if it is secret. @throws Refusal CIPHERTEXT_INVALID */
export const openUnder = (key: KeyObject, domain: string, purpose: readonly string[], sealed: string): Buffer =>
  open(key, Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64'), aadOf(domain, ...purpose))

/** Id of the domain key something is sealed under. */
export const sealedUnder = (sealed: string): string => sealed.slice(0, sealed.indexOf('.'))
