import type { Moment } from '../../base/moment.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'

/** Seconds for which a record was found to allow something: dates count in seconds, and a warm call has microseconds. */
export type FoundIn = WeakMap<StoredLocalKey, number>

/** `assert`, once a second for each record. @throws what `assert` throws, each time */
export function onceASecond(
  found: FoundIn,
  key: StoredLocalKey,
  { epochMs }: Moment,
  assert: (now: Date) => void,
): void {
  const second = Math.floor(epochMs / 1_000)
  if (found.get(key) === second) return
  assert(new Date(epochMs))
  found.set(key, second)
}
