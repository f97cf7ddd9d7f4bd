import { randomBytes } from 'node:crypto'
import {
  currentMaterial,
  lastingMaterials,
  materialId,
  newMaterial,
  type HeldKey,
  type Material,
} from '../keys/keys.ts'
import { partitionOfRegion } from '../accounts/regions.ts'
import type { CloudState } from './cloud-state.ts'
import { DONE_AFTER_MS, isOver } from './passing-states.ts'

export const DAY_MS = 86_400_000

/**
 * Applies the passage of time to a key: material expires, rotations happen, transitional states end, and a key after
 * its waiting period is removed with its aliases. Called before each read of a key; there is no background work.
 */
export function settle(state: CloudState, key: HeldKey): void {
  const now = state.now()
  if (key.keyStore !== undefined) {
    key.keyStore.connected = state.keyStore(key.account, key.region, key.keyStore.id)?.connection.state === 'CONNECTED'
  }
  for (const each of [...state.relatives(key), key]) endDeletion(state, each, now)
  if (!state.shelf(key.account, key.region).keys.has(key.id)) return
  const changes = [arrive(key, now), expire(key, now), rotateByTime(state, key, now), endRotation(state, key, now)]
  if (changes.some(Boolean)) state.save([key])
}

/** Counts one more read of a key in a transitional state. */
export function countRead(key: HeldKey): void {
  if (key.transit !== undefined) key.transit.readsLeft--
  if (key.rotating !== undefined) key.rotating.readsLeft--
}

function endDeletion(state: CloudState, key: HeldKey, now: number): void {
  const at = key.deletionAt
  if (at === undefined || at > now) return
  const others = state.relatives(key)
  state.remove(key)
  for (const other of others) leaveRegion(other, key.region, at)
  state.save(others)
}

/** The waiting period of a primary key begins when its last replica is deleted. */
function leaveRegion(key: HeldKey, region: string, at: number): void {
  const { primary, regions } = key.multiRegion ?? { primary: key.region, regions: [key.region] }
  const left = regions.filter((each) => each !== region)
  key.multiRegion = { primary, regions: left }
  if (left.length > 1 || key.replicaWaitDays === undefined) return
  key.deletionAt = at + key.replicaWaitDays * DAY_MS
  key.replicaWaitDays = undefined
}

function arrive(key: HeldKey, now: number): boolean {
  if (key.transit === undefined || !isOver(key.transit, key.transit.since, now)) return false
  key.transit = undefined
  return true
}

function expire(key: HeldKey, now: number): boolean {
  const due = key.materials.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
  due.forEach(forgetBytes)
  if (due.length > 0) key.materials = key.materials.filter((each) => !due.includes(each) || isLasting(each))
  return due.length > 0
}

/** The id stays, so that the same bytes are recognised again. */
export function forgetBytes(material: Material): void {
  material.bytes = undefined
  material.lazy = false
  material.expiresAt = undefined
}

export const isLasting = ({ state }: Material): boolean => state !== 'PENDING_ROTATION'

/** Rotates an enabled key. A key that was disabled for a while gets a single rotation for all missed ones. */
function rotateByTime(state: CloudState, key: HeldKey, now: number): boolean {
  if (key.rotation === undefined || key.rotation.nextAt > now) return false
  if (!key.enabled || key.deletionAt !== undefined || key.replicaWaitDays !== undefined) return false
  const { nextAt, periodDays } = key.rotation
  rotate(state, key, 'AUTOMATIC', nextAt)
  key.rotation.nextAt = nextAt + periodDays * DAY_MS
  if (key.rotation.nextAt <= now) key.rotation.nextAt = now + periodDays * DAY_MS
  return true
}

function endRotation(state: CloudState, key: HeldKey, now: number): boolean {
  if (key.rotating === undefined || !isOver(key.rotating, key.rotating.startedAt, now)) return false
  rotate(state, key, 'ON_DEMAND', Math.min(now, key.rotating.startedAt + DONE_AFTER_MS))
  key.rotating = undefined
  return true
}

/** Rotates to new material, or to the waiting material of imported keys, in all regions of the key. */
function rotate(state: CloudState, key: HeldKey, rotationType: 'AUTOMATIC' | 'ON_DEMAND', rotatedAt: number): void {
  const made = randomBytes(partitionOfRegion(key.region).symmetricBytes)
  const others = state.relatives(key)
  for (const each of [key, ...others]) {
    if (each.origin === 'AWS_KMS') each.materials.push(newMaterial({ bytes: made, id: materialId(key.id, made) }))
    const next = each.materials.at(-1)
    if (next === undefined) continue
    for (const old of lastingMaterials(each)) old.state = 'NON_CURRENT'
    Object.assign(next, { state: 'CURRENT', rotatedAt, rotationType } satisfies Partial<Material>)
  }
  state.save(others)
}

/** The caller has already required a usable key, so the material exists. */
export function currentOf(key: HeldKey): Material {
  const current = currentMaterial(key)
  if (current === undefined) throw new Error(`The key ${key.id} has no current material.`)
  return current
}
