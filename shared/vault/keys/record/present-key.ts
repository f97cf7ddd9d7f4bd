import type { Subject } from '../../../http/context.ts'
import { usageSummary } from '../../../crypto/algorithms.ts'
import type { LocalKey } from '../model.ts'
import type { Stored } from '../../../store/entity.ts'
import type { StoredLocalKey } from '../store.ts'
import { DAY_MS } from '../../../base/time.ts'
import { keyAsOf } from '../lifecycle/key-state.ts'
import { legacyMark } from './legacy.ts'

/** A key as shown, in its state at `now`. */
export function presentKey(stored: StoredLocalKey, now: Date): LocalKey {
  const { latest: _, sealed: __, origin: ___, clonedFrom: ____, canary: _____, ...key } = keyAsOf(stored, now)
  const days = key.rotationFrequencyDays
  return {
    ...key,
    usage: usageSummary(key.usageMask),
    ...legacyMark(key),
    ...(days !== undefined &&
      days > 0 && { rotationDateReached: Date.parse(key.createdAt) + days * DAY_MS <= now.getTime() }),
  }
}

/** A key before a change, for the audit record and for policies. */
export const subjectOf = (key: StoredLocalKey, now: Date): Subject => ({
  uri: key.uri,
  name: key.name,
  record: presentKey(key, now),
})

export const presentStored =
  (now: Date) =>
  ({ item }: Stored<StoredLocalKey>): LocalKey =>
    presentKey(item, now)
