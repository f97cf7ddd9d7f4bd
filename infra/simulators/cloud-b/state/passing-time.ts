import { randomBytes } from 'node:crypto'
import type { Vault } from '../directory/directory.ts'
import { addDuration } from '../wire/durations.ts'
import { latest, type HeldItem, type HeldKey, type HeldVersion, type KeyVersion } from '../vaults/held.ts'

/** A deletion or recovery in progress ends after this time, however few reads there are. */
export const TRANSIT_MS = 60_000

export const newId = (): string => randomBytes(16).toString('hex')

/** Applies the passage of time to an item. */
export function settle(item: HeldItem<HeldVersion>, now: number): 'gone' | 'changed' | 'same' {
  if (item.deleted !== undefined && item.deleted.purgeAt <= now) return 'gone'
  if (item.transit !== undefined && item.transit.until <= now) {
    item.transit = undefined
    return 'changed'
  }
  return 'rotationPolicy' in item && rotated(item as HeldKey, now) ? 'changed' : 'same'
}

/** Whether a deleted vault is to be purged. */
export const settleVault = ({ deleted }: Vault, now: number): boolean => deleted !== undefined && deleted.purgeAt <= now

/** Counts one read of an item that is new or in transit. @returns whether the item appears in its final state */
export function look(item: HeldItem<HeldVersion>): boolean {
  const { transit } = item
  if ((item.hiddenLooks ?? 0) > 0) {
    item.hiddenLooks = (item.hiddenLooks ?? 0) - 1
    return false
  }
  if (transit === undefined) return true
  if (transit.looksLeft > 0) {
    transit.looksLeft--
    return false
  }
  item.transit = undefined
  return true
}

/** A new version of a key, like its last one. Its bytes are generated at first use. */
export function rotateNow(key: HeldKey, at: number): KeyVersion {
  const before = latest(key)
  const expiry = key.rotationPolicy?.expiryTime
  const version: KeyVersion = {
    ...before,
    id: newId(),
    createdAt: at,
    updatedAt: at,
    enabled: true,
    nbf: undefined,
    exp: expiry === undefined ? undefined : Math.floor(addDuration(at, expiry) / 1000),
    bytes: undefined,
  }
  key.versions.push(version)
  return version
}

/** The next time at which the key's policy rotates it. */
function rotatesAt(key: HeldKey): number | undefined {
  const action = key.rotationPolicy?.actions.find(({ type }) => type === 'Rotate')
  const { createdAt, exp } = latest(key)
  if (action?.timeAfterCreate !== undefined) return addDuration(createdAt, action.timeAfterCreate)
  if (action?.timeBeforeExpiry === undefined || exp === undefined) return undefined
  return addDuration(exp * 1000, action.timeBeforeExpiry, -1)
}

/** Rotates a key for every missed rotation. */
function rotated(key: HeldKey, now: number): boolean {
  if (key.deleted !== undefined) return false
  let isChanged = false
  for (let at = rotatesAt(key); at !== undefined && at <= now; at = rotatesAt(key)) {
    const { createdAt } = latest(key)
    rotateNow(key, Math.max(at, createdAt + 1))
    isChanged = true
  }
  return isChanged
}
