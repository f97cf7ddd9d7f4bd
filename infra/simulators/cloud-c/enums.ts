import { invalid } from './errors.ts'

/** Enumerations that the wire may also have as numbers: answers have names, requests either. */
type Words = Readonly<Record<string, number>>

export const PURPOSES = {
  ENCRYPT_DECRYPT: 1,
  ASYMMETRIC_SIGN: 5,
  ASYMMETRIC_DECRYPT: 6,
  RAW_ENCRYPT_DECRYPT: 7,
  MAC: 9,
} as const

export const PROTECTION_LEVELS = { SOFTWARE: 1, HSM: 2 } as const

export const VERSION_STATES = {
  ENABLED: 1,
  DISABLED: 2,
  DESTROYED: 3,
  DESTROY_SCHEDULED: 4,
  PENDING_GENERATION: 5,
  PENDING_IMPORT: 6,
  IMPORT_FAILED: 7,
} as const

export const IMPORT_METHODS = {
  RSA_OAEP_3072_SHA1_AES_256: 1,
  RSA_OAEP_4096_SHA1_AES_256: 2,
  RSA_OAEP_3072_SHA256_AES_256: 3,
  RSA_OAEP_4096_SHA256_AES_256: 4,
  RSA_OAEP_3072_SHA256: 5,
  RSA_OAEP_4096_SHA256: 6,
} as const

export type Purpose = keyof typeof PURPOSES
export type ProtectionLevel = keyof typeof PROTECTION_LEVELS
export type VersionState = keyof typeof VERSION_STATES
export type ImportMethod = keyof typeof IMPORT_METHODS

/**
 * @returns the name; `undefined` if absent or 0
 * @throws ApiError INVALID_ARGUMENT for any other value
 */
export function wordOf<W extends Words>(words: W, value: unknown, field: string): (keyof W & string) | undefined {
  if (value === undefined || value === null || value === 0) return undefined
  const found = Object.entries(words).find(([word, number]) => word === value || number === value)
  if (found === undefined) throw invalid(`Invalid value at '${field}'`)
  return found[0]
}
