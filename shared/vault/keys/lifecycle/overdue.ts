import type { Stored } from '../../../store/entity.ts'
import { pageOf, type Listed } from '../../../store/list.ts'
import { localKeys, MOVES, type StoredLocalKey } from '../store.ts'
import { keyAsOf } from './key-state.ts'

/** A key whose date has passed, before the sweep has changed its state. */
export interface OverdueKey {
  readonly stored: Stored<StoredLocalKey>
  /** in its present state */
  readonly asOfNow: Stored<StoredLocalKey>
}

/** Ours: keys beyond this number are listed in their former state until the sweep, within a minute. */
const OVERDUE_MOST = 1_000

/** The latest versions of keys whose present state differs from the stored one. Usually none: one read. */
export async function overdueKeys(domain: string, now: Date): Promise<OverdueKey[]> {
  const until = now.toISOString()
  const members = await localKeys.membersAfter(domain, MOVES, undefined, OVERDUE_MOST)
  const due = members.filter(({ key }) => key.slice(0, until.length) <= until)
  const stored = await localKeys.getMany(
    domain,
    due.map(({ id }) => id),
    'leave out',
  )
  return stored.flatMap((one) => {
    const item = keyAsOf(one.item, now)
    return item === one.item ? [] : [{ stored: one, asOfNow: { item, rev: one.rev } }]
  })
}

interface Window {
  readonly skip: number
  readonly limit: number
  readonly descending: boolean
}

/**
 * A page of the keys that are in a state now: those stored in it, without those that have left it, and with those that
 * have entered it. It costs a page and the overdue keys, at any `skip`.
 */
export async function pageInState(
  domain: string,
  state: StoredLocalKey['state'],
  overdue: readonly OverdueKey[],
  window: Window,
): Promise<Listed<Stored<StoredLocalKey>>> {
  const { skip, limit, descending } = window
  const left = overdue.filter(({ stored, asOfNow }) => stored.item.state === state && asOfNow.item.state !== state)
  const entered = overdue.flatMap(({ stored, asOfNow }) =>
    stored.item.state !== state && asOfNow.item.state === state ? [asOfNow] : [],
  )
  const base = await pageFrom(domain, state, Math.max(0, skip - entered.length), {
    limit: limit + entered.length + left.length,
    spare: entered.length,
    descending,
  })
  const precedes = (a: string, b: string): boolean => (descending ? a > b : a < b)
  const [first] = base.items
  // Ids before the first stored key that was read: `skip` covers all of them, unless nothing of the set was skipped.
  const before = (id: string): boolean => base.skip > 0 && first !== undefined && precedes(id, first.item.id)
  const leftIds = new Set(left.map(({ stored }) => stored.item.id))
  const enteredBefore = entered.filter(({ item }) => before(item.id)).length
  const start = base.skip - [...leftIds].filter(before).length + enteredBefore
  const merged = [
    ...base.items.filter(({ item }) => !leftIds.has(item.id)),
    ...entered.filter(({ item }) => !before(item.id)),
  ].sort((a, b) => (precedes(a.item.id, b.item.id) ? -1 : 1))
  const from = Math.max(0, skip - start)
  return { total: base.total - left.length + entered.length, items: merged.slice(from, from + limit) }
}

/** Stored keys of a state from `skip` on. Past the end of the set, its last `spare` + 1 keys. */
async function pageFrom(
  domain: string,
  state: string,
  skip: number,
  { limit, spare, descending }: { limit: number; spare: number; descending: boolean },
): Promise<Listed<Stored<StoredLocalKey>> & { readonly skip: number }> {
  const set = `state:${state}`
  const page = await pageOf(localKeys, domain, set, { skip, limit, descending })
  if (page.total === 0) return { ...page, skip: 0 }
  if (page.items.length > 0) return { ...page, skip }
  const earlier = Math.max(0, page.total - spare - 1)
  return { ...(await pageOf(localKeys, domain, set, { skip: earlier, limit, descending })), skip: earlier }
}
