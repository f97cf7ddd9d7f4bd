import { Refusal } from '../../base/errors.ts'
import type { Moment } from '../../base/moment.ts'
import { assertUsable, type Use } from '../../vault/keys/lifecycle/key-state.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'

/**
 * The second in which a record was last found to allow a use. Dates have whole seconds, and a warm call takes
 * microseconds.
 */
type FoundIn = WeakMap<StoredLocalKey, number>

/** Runs `assert` once a second for each record. @throws as `assert`, each time */
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

const usable: Readonly<Record<Use, FoundIn>> = { protect: new WeakMap(), process: new WeakMap() }

export const usageDenied = (): Refusal => new Refusal('USAGE_DENIED', 'The key does not permit the operation.')

/** Refuses a use that the state and the dates of the version do not allow now. @throws Refusal STATE_CONFLICT */
export const assertUsableNow = (version: StoredLocalKey, use: Use, now: Moment): void =>
  onceASecond(usable[use], version, now, (date) => assertUsable(version, use, date))

/**
 * Refuses a use that the version does not allow now. @param bit of its usage mask. @throws Refusal STATE_CONFLICT,
 * USAGE_DENIED
 */
export function assertMay(version: StoredLocalKey, use: Use, bit: number, now: Moment): void {
  assertUsableNow(version, use, now)
  if ((version.usageMask & bit) === 0) throw usageDenied()
}
