import { checkHealth, healthAnswer } from '../../../../crypto/protocols/xks-health-check.ts'
import { Refusal } from '../../../../base/errors.ts'
import type { Moment } from '../../../../base/moment.ts'
import { StaleCache } from '../../../../base/stale-cache.ts'
import { assertUsable } from '../../../../vault/keys/lifecycle/key-state.ts'
import { materialOf, readVersion } from '../../../../serving/key-use/key-version.ts'
import type { ServedStore } from './key-store.ts'

/** The protocol allows cached answers up to a minute old. Only good health is cached. */
const healthy = new StaleCache<true>({ refreshAfterMs: 30_000, staleAfterMs: 60_000, entries: 4_096 })

/** Seals and opens with the health-check key, and opens the sample. `undefined` when the key cannot do so. */
async function check({ domain, id, healthKeyId, healthSample }: ServedStore, now: Moment): Promise<true | undefined> {
  const version = await readVersion(domain, healthKeyId, now.epochMs)
  if (version === undefined) return undefined
  try {
    assertUsable(version, 'protect', new Date(now.epochMs))
    assertUsable(version, 'process', new Date(now.epochMs))
    const key = await materialOf(domain, version, { now, record: {} })
    checkHealth(key, id, healthSample)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.reason !== 'UNAVAILABLE') return undefined
    throw error
  }
}

/** Whether a call to this store would work now; uses no key of its cloud. @throws Refusal UNAVAILABLE */
export async function storeHealth(store: ServedStore, now: Moment): Promise<ReturnType<typeof healthAnswer>> {
  // The cache key contains the health-check key and its sample: another health-check key is checked separately.
  const name = `${store.id} ${store.healthKeyId} ${store.healthSample}`
  const isHealthy = await healthy.get(name, now, () => check(store, now))
  return healthAnswer(isHealthy === true ? 'ACTIVE' : 'UNAVAILABLE')
}
