import { BoundedCache } from '../../base/bounded-cache.ts'
import { sendGuarded } from '../../base/network/guarded-fetch.ts'
import { KeySetOf, type ReadKeySet } from '../../serving/key-set.ts'
import type { AllowsLoopback } from './address.ts'

/** Ours: a deployment serves users of some hundred identity providers. */
const SETS = 1_024

/**
 * Key sets by their addresses, which administrators of domains configure; a token never decides one. They are read from
 * servers on the public Internet only.
 */
export function guardedKeySets(allowsLoopback: AllowsLoopback): (address: string) => KeySetOf {
  const send: ReadKeySet = (address, bounds) =>
    sendGuarded(
      address,
      { method: 'GET', headers: { accept: 'application/json' } },
      { ...bounds, connectWithinMs: bounds.withinMs, allowsLoopback: allowsLoopback() },
    )
  const named = new BoundedCache<KeySetOf>(SETS)
  return (address) => named.use(address, () => new KeySetOf(address, send))
}
