import { record } from '../events/events.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type HeldSecret, type Retries } from '../state/held.ts'
import { idOf } from '../state/ids.ts'
import type { CrmState } from '../state/state.ts'
import { activate } from '../secrets/active.ts'
import { FetchFault, type FetchProblem } from './fetch-fault.ts'
import type { Fetches } from './fetches.ts'

export type FetchOutcome = 'SUCCESS' | FetchProblem

/** After this time a cached key is fetched again. */
const CACHE_MS = 72 * HOUR_MS
/** The user of automated processes. */
const PROCESSES = { id: idOf('User', 9_999) }

/** First every minute for five minutes, then every five minutes. */
const pauseAfter = ({ since, last }: Retries): number => (last - since < 5 * MINUTE_MS ? MINUTE_MS : 5 * MINUTE_MS)

function isDue({ status, fetchedAt = 0, retries }: HeldSecret, now: number): boolean {
  if (retries !== undefined) return now - retries.since <= DAY_MS && now - retries.last >= pauseAfter(retries)
  return status === 'ACTIVE' && now - fetchedAt >= CACHE_MS
}

/** Fetches a cache-only key into the cache. A failure destroys an active key and starts retries. */
export async function refetch(
  { state, fetches }: { readonly state: CrmState; readonly fetches: Fetches },
  secret: HeldSecret,
): Promise<FetchOutcome> {
  const organization = state.organization(secret.organizationId)
  if (organization === undefined || secret.remote === undefined) throw new Error(`${secret.id} is no cache-only key.`)
  try {
    const material = await fetches.keyOf(organization, secret.remote)
    Object.assign(secret, { material, fetchedAt: state.now() })
    if (secret.retries !== undefined) activate(state, secret, PROCESSES)
    else state.save('secret', [secret])
    record({ state, user: PROCESSES }, secret, 'Key Delivered')
    return 'SUCCESS'
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error
    fail(state, secret)
    return error.problem
  }
}

function fail(state: CrmState, secret: HeldSecret): void {
  const now = state.now()
  secret.material = undefined
  if (secret.retries !== undefined) secret.retries = { ...secret.retries, last: now }
  else if (secret.status === 'ACTIVE') {
    Object.assign(secret, { status: 'DESTROYED', changedAt: now, retries: { since: now, last: now } })
  }
  state.save('secret', [secret])
}

/** Makes due retries, and fetches keys whose cache time has ended. Ours: several missed attempts are made as one. */
export async function fetchDue(house: { readonly state: CrmState; readonly fetches: Fetches }): Promise<void> {
  const { state } = house
  const all = state.organizations().flatMap(({ id }) => state.secrets(id))
  for (const secret of all) if (secret.remote !== undefined && isDue(secret, state.now())) await refetch(house, secret)
}
