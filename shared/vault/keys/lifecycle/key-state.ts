import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { reached } from '../../../base/time.ts'
import type { ReactivateLocalKey, RevokeLocalKey } from '../bodies.ts'
import type { KeyState } from '../model.ts'
import type { StoredLocalKey } from '../store.ts'

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)

export const isDestroyed = (state: KeyState): boolean => state.startsWith('Destroyed')

/** The record without its material. @see NIST SP 800-57 Part 1 §7.5 */
export function withoutMaterial(key: StoredLocalKey, state: KeyState, at: string): StoredLocalKey {
  const { sealed: _, ...rest } = key
  return { ...rest, state, emptyMaterial: true, destroyDate: at, updatedAt: at }
}

/** Later than any date. */
const END_OF_TIME = '9999-12-31T23:59:59Z'

const ends = (key: StoredLocalKey, now: Date): key is StoredLocalKey & { destroyDate: string } =>
  reached(key.destroyDate, now) && !key.undeletable

/** The key in the state that its dates determine at `now`: activated, deactivated, destroyed. */
export function keyAsOf(key: StoredLocalKey, now: Date): StoredLocalKey {
  const endsUnused = ends(key, now) && Date.parse(key.destroyDate) < Date.parse(key.activationDate ?? END_OF_TIME)
  if (key.state === 'Pre-Active' && reached(key.activationDate, now) && !endsUnused)
    return keyAsOf({ ...key, state: 'Active', updatedAt: key.activationDate ?? key.updatedAt }, now)
  if (key.state === 'Active' && reached(key.deactivationDate, now))
    return keyAsOf({ ...key, state: 'Deactivated', updatedAt: key.deactivationDate ?? key.updatedAt }, now)
  const mayEnd = key.state === 'Pre-Active' || key.state === 'Deactivated'
  return mayEnd && ends(key, now) ? withoutMaterial(key, 'Destroyed', key.destroyDate) : key
}

const COMPROMISES: readonly string[] = ['KeyCompromise', 'CACompromise']

/** @throws Refusal STATE_CONFLICT unless the state allows it */
export function revoked(
  key: StoredLocalKey,
  { reason, message, compromiseOccurrenceDate }: RevokeLocalKey,
  now: Date,
): StoredLocalKey {
  const at = now.toISOString()
  const why = { revocationReason: reason, ...defined({ revocationMessage: message }), updatedAt: at }
  if (isDestroyed(key.state)) throw conflict(`A key that is ${key.state} cannot be revoked.`)
  if (COMPROMISES.includes(reason))
    return {
      ...key,
      ...why,
      state: 'Compromised',
      compromiseDate: at,
      ...defined({ compromiseOccurrenceDate }),
    }
  if (key.state !== 'Active' && key.state !== 'Pre-Active')
    throw conflict(`A key that is ${key.state} cannot be deactivated; only Active and Pre-Active ones can.`)
  return { ...key, ...why, state: 'Deactivated', deactivationDate: at }
}

/** @throws Refusal STATE_CONFLICT unless the key is in the state that the reason starts from */
export function reactivated(key: StoredLocalKey, { reason }: ReactivateLocalKey, now: Date): StoredLocalKey {
  const at = now.toISOString()
  const { protectStopDate, deactivationDate: _, revocationReason: __, revocationMessage: ___, ...rest } = key
  if (reason === 'ActiveProtectStopToActive') {
    if (key.state !== 'Active' || !reached(protectStopDate, now))
      throw conflict(`${reason} takes an Active key whose protectStopDate has been reached.`)
    const { protectStopDate: ____, ...open } = key
    return { ...open, updatedAt: at }
  }
  if (key.state !== 'Deactivated') throw conflict(`${reason} takes a Deactivated key; this one is ${key.state}.`)
  if (reason === 'DeactivatedToActive') return { ...rest, state: 'Active', updatedAt: at }
  return { ...rest, state: 'Active', protectStopDate: at, updatedAt: at }
}

/** @throws Refusal UNDELETABLE, STATE_CONFLICT unless Pre-Active, Deactivated or Compromised */
export function destroyed(key: StoredLocalKey, now: Date): StoredLocalKey {
  if (key.undeletable) throw new Refusal('UNDELETABLE', 'The key is flagged undeletable.')
  if (key.state === 'Compromised') return withoutMaterial(key, 'Destroyed Compromised', now.toISOString())
  if (key.state !== 'Pre-Active' && key.state !== 'Deactivated')
    throw conflict(
      `A key that is ${key.state} cannot be destroyed${key.state === 'Active' ? ': revoke it first' : ''}.`,
    )
  return withoutMaterial(key, 'Destroyed', now.toISOString())
}

export function archived(key: StoredLocalKey, now: Date): StoredLocalKey {
  if (isDestroyed(key.state)) throw conflict(`A key that is ${key.state} cannot be archived.`)
  if (key.archiveDate !== undefined) throw conflict('The key is archived already.')
  return { ...key, archiveDate: now.toISOString(), updatedAt: now.toISOString() }
}

export function recovered(key: StoredLocalKey, now: Date): StoredLocalKey {
  const { archiveDate, ...rest } = key
  if (archiveDate === undefined) throw conflict('The key is not archived.')
  return { ...rest, updatedAt: now.toISOString() }
}

/** Protecting creates (encrypt, sign, wrap); processing reverses or verifies (decrypt, verify, unwrap). */
export type Use = 'protect' | 'process'

/**
 * Uses by state: Active keys protect and process; Deactivated and Compromised ones only process; others do neither.
 * @throws Refusal STATE_CONFLICT
 */
export function assertUsable(key: StoredLocalKey, use: Use, now: Date): void {
  const { state, protectStopDate, processStartDate, archiveDate } = keyAsOf(key, now)
  if (archiveDate !== undefined) throw conflict(`The key ${key.name} is archived.`)
  const may: readonly KeyState[] = use === 'protect' ? ['Active'] : ['Active', 'Deactivated', 'Compromised']
  if (!may.includes(state)) throw conflict(`The key ${key.name} is ${state}.`)
  if (use === 'protect' && reached(protectStopDate, now))
    throw conflict(`The key ${key.name} no longer protects: its protectStopDate has been reached.`)
  if (use === 'process' && processStartDate !== undefined && !reached(processStartDate, now))
    throw conflict(`The key ${key.name} does not process before its processStartDate.`)
}

/** Why a key cannot both protect and process now; `undefined` if it can. */
export function whyUnusable(key: StoredLocalKey, now: Date): string | undefined {
  try {
    assertUsable(key, 'protect', now)
    assertUsable(key, 'process', now)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
