import { MINUTE_MS } from '../../../base/time.ts'
import { Changes, Stale } from '../../../store/changes.ts'
import { customKeyStores } from './store.ts'

/** Ours: many instances tell of the same credential; a time this close to the one that is known is not written. */
const CLOSE_MS = 10 * MINUTE_MS

/**
 * Notes that a credential was used. Ours: kept with the store to within a quarter of an hour. It is no change of the store,
 * whose `updatedAt` stays; if somebody else changes the store at the same moment, the next use is noted instead.
 * @throws Refusal UNAVAILABLE
 */
export async function noteCredentialUse({
  domain,
  store: id,
  credential,
  at,
}: {
  readonly domain: string
  readonly store: string
  readonly credential: string
  readonly at: Date
}): Promise<void> {
  const stored = await customKeyStores.get(domain, id)
  const known = stored?.item.credentials.find((one) => one.id === credential)
  if (stored === undefined || known === undefined) return
  if (at.getTime() - Date.parse(known.last_used_at ?? known.createdAt) < CLOSE_MS && known.last_used_at !== undefined)
    return
  const used = { ...known, last_used_at: at.toISOString() }
  const credentials = stored.item.credentials.map((one) => (one === known ? used : one))
  const changes = new Changes()
  changes.update(customKeyStores, domain, stored, { ...stored.item, credentials })
  try {
    await changes.commit(at)
  } catch (error) {
    if (!(error instanceof Stale)) throw error
  }
}
