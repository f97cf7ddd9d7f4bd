import { setting } from '../../../base/environment.ts'
import { Refusal } from '../../../base/errors.ts'
import { findAlgorithm, type AlgorithmRow } from '../../../crypto/algorithms.ts'
import type { StoredLocalKey } from '../store.ts'

const LEGACY = 'KEYMGR_LEGACY_ALGORITHMS'

/** Whether this deployment generates and imports legacy keys. @throws Error, a fault, for an unknown setting */
function allowsLegacy(): boolean {
  const given = setting(LEGACY) || 'refused'
  if (given !== 'allowed' && given !== 'refused') throw new Error(`${LEGACY} must be allowed or refused`)
  return given === 'allowed'
}

/** Whether a key of this size may no longer protect data. For `ec` the size is that of the curve. */
export const isLegacy = ({ legacyBelowBits = 0 }: AlgorithmRow, sizeBits: number): boolean => sizeBits < legacyBelowBits

/** Whether keys of every size are legacy. */
export const isWhollyLegacy = ({ legacyBelowBits }: AlgorithmRow): boolean => legacyBelowBits === Infinity

/** @throws Refusal RULE_BROKEN for a legacy key, unless the deployment allows them */
export function assertNotLegacy(row: AlgorithmRow, sizeBits: number): void {
  if (!isLegacy(row, sizeBits) || allowsLegacy()) return
  const { name, legacyBelowBits } = row
  throw new Refusal(
    'RULE_BROKEN',
    `${name}${isWhollyLegacy(row) ? '' : ` under ${legacyBelowBits} bits`} may no longer protect data (NIST SP 800-131A) and this deployment does not allow legacy algorithms`,
  )
}

/** The mark of a legacy key. It is derived from the record, so keys stored before the rule have it too. */
export function legacyMark({ algorithm, size }: Pick<StoredLocalKey, 'algorithm' | 'size'>): { legacy?: true } {
  const row = findAlgorithm(algorithm)
  return row !== undefined && isLegacy(row, size) ? { legacy: true } : {}
}
