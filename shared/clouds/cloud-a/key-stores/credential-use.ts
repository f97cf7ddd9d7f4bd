import { MINUTE_MS } from '../../../base/time.ts'
import { Changes, Stale } from '../../../store/changes.ts'
import { customKeyStores } from './store.ts'

/** Ours: many instances report the same credential; a time this close to the recorded one is not written. */
const CLOSE_MS = 10 * MINUTE_MS

/**
 * Records the last use of a credential. Ours: stored with the store, to within a quarter of an hour. It is not a change
 * of the store, whose `updatedAt` stays; if the store is changed at the same moment, the next use is recorded instead.
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
