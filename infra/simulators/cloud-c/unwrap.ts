import type { KeyObject } from 'node:crypto'
import { unwrap as unwrapAs, type Wrapping } from '../toolkit/unwrap.ts'
import type { ImportMethod } from './enums.ts'

interface ImportRow extends Wrapping {
  readonly modulusBits: 3072 | 4096
}

const row = (modulusBits: ImportRow['modulusBits'], oaepHash: ImportRow['oaepHash'], twoLayers: boolean) => ({
  modulusBits,
  oaepHash,
  twoLayers,
})

const ROWS: Readonly<Record<ImportMethod, ImportRow>> = {
  RSA_OAEP_3072_SHA1_AES_256: row(3072, 'sha1', true),
  RSA_OAEP_4096_SHA1_AES_256: row(4096, 'sha1', true),
  RSA_OAEP_3072_SHA256_AES_256: row(3072, 'sha256', true),
  RSA_OAEP_4096_SHA256_AES_256: row(4096, 'sha256', true),
  RSA_OAEP_3072_SHA256: row(3072, 'sha256', false),
  RSA_OAEP_4096_SHA256: row(4096, 'sha256', false),
}

export const importRow = (method: ImportMethod): ImportRow => ROWS[method]

/** @returns `undefined` for every failure */
export function unwrap(wrappingKey: KeyObject, method: ImportMethod, wrapped: Buffer): Buffer | undefined {
  try {
    return unwrapAs(wrappingKey, ROWS[method], wrapped)
  } catch {
    return undefined
  }
}
