import { newOcid } from '../directory/ocids.ts'
import { DAY_MS, type HeldKey, type HeldVersion, type Living } from './held.ts'

/** Starts a change: its transitional state, and its final state. */
export function begin<State extends string>(living: Living<State>, passing: State, to: State, endsAt: number): void {
  living.state = passing
  living.transit = { to, endsAt }
  living.revision++
}

/** Schedules a deletion. @param at when it happens */
export function scheduleDeletion(living: Living<DeletionState>, at: number, endsAt: number): void {
  living.before = living.state
  living.deleteAt = at
  begin(living, 'SCHEDULING_DELETION', 'PENDING_DELETION', endsAt)
}

/** Cancels a deletion and restores the former state. */
export function cancelDeletion(living: Living<DeletionState>, endsAt: number): void {
  const { before = 'DISABLED' } = living
  living.before = undefined
  living.deleteAt = undefined
  begin(living, 'CANCELLING_DELETION', before, endsAt)
}

/** States of every resource that can be deleted, in addition to its own states. */
type DeletionState =
  'SCHEDULING_DELETION' | 'PENDING_DELETION' | 'CANCELLING_DELETION' | 'DELETING' | 'DELETED' | (string & {})

/** Applies the passage of time to a life cycle. @returns whether it changed */
export function settle(living: Living<DeletionState>, now: number, transitMs: number): boolean {
  const { transit, deleteAt } = living
  if (transit !== undefined && transit.endsAt <= now) {
    living.state = transit.to
    living.transit = undefined
  } else if (living.state === 'PENDING_DELETION' && deleteAt !== undefined && deleteAt <= now) {
    living.state = 'DELETING'
    living.transit = { to: 'DELETED', endsAt: deleteAt + transitMs }
  } else return false
  living.revision++
  settle(living, now, transitMs)
  return true
}

/** Applies the passage of time to a key and its versions. @returns whether something changed */
export function settleKey(key: HeldKey, now: number, transitMs: number): boolean {
  const changes = [settle(key, now, transitMs), ...key.versions.map((version) => settle(version, now, transitMs))]
  if (key.next !== undefined && key.transit === undefined) {
    key.current = key.next
    key.next = undefined
  }
  if (key.state === 'DELETED') key.versions.forEach(deleteNow)
  for (const version of key.versions) if (version.state === 'DELETED') deleteNow(version)
  return rotated(key, now) || changes.includes(true)
}

/** Deletes a version with its bytes. */
export function deleteNow(version: HeldVersion): void {
  version.bytes?.fill(0)
  version.bytes = undefined
  version.state = 'DELETED'
  version.transit = undefined
}

/** Adds a version whose material the cloud generates at first use. */
export function newVersion(
  key: Pick<HeldKey, 'id' | 'versions'>,
  version: Omit<HeldVersion, 'id' | 'revision'>,
  id = newOcid('keyversion', key.id),
): HeldVersion {
  const made: HeldVersion = { ...version, id, revision: 1 }
  key.versions.push(made)
  return made
}

/** Rotates a key when it is due. One version replaces all missed rotations, at the time of the first. */
function rotated(key: HeldKey, now: number): boolean {
  const { autoRotation } = key
  if (autoRotation === undefined || autoRotation.nextAt > now || key.state !== 'ENABLED') return false
  const { days, nextAt } = autoRotation
  const made = newVersion(key, { state: 'ENABLED', createdAt: nextAt, origin: 'INTERNAL', isAutoRotated: true })
  const periodMs = days * DAY_MS
  key.current = made.id
  key.autoRotation = { days, lastAt: nextAt, nextAt: nextAt + Math.ceil((now - nextAt + 1) / periodMs) * periodMs }
  key.revision++
  return true
}
