import { atOnce } from '../base/at-once.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { domains } from '../identity/domains/store.ts'
import { pageOf } from '../store/list.ts'

/**
 * Ours: counting more domains than this would take longer than a scraper waits; then the metric is omitted rather than
 * wrong.
 */
const MOST_DOMAINS = 1_000
const DOMAINS_AT_ONCE = 16

/** Local keys of all domains by the state of their latest version. A read for each domain; `undefined` above 1,000 domains. */
export async function keysByState(): Promise<ReadonlyMap<string, number> | undefined> {
  const { total, items } = await pageOf(domains, ROOT_DOMAIN_ID, 'all', { skip: 0, limit: MOST_DOMAINS })
  if (total > MOST_DOMAINS) return undefined
  const { countKeysByState } = await import('../vault/keys/lists/count.ts')
  const counts = await atOnce(items, DOMAINS_AT_ONCE, ({ item: { id } }) => countKeysByState(id))
  const sums = new Map<string, number>()
  for (const [state, count] of counts.flatMap((each) => Object.entries(each)))
    sums.set(state, (sums.get(state) ?? 0) + count)
  return sums
}
