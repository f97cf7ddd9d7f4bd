import { errorFields, log } from '../base/log.ts'
import type { Sweep } from '../base/time.ts'
import { Changes, Stale } from './changes.ts'
import type { Entity } from './entity.ts'
import { parseItemKey } from './layout.ts'
import { tidyRank } from './rank.ts'
import { queryDue } from './table.ts'

/** Items looked up at a time. */
const DUE_A_TIME = 200

export type DueItem = ReturnType<typeof parseItemKey>

/** The counts that a sweep answers, in the order in which their rows are worked off. */
export const SWEEP_COUNTS = ['moved', 'rotated', 'tidied', 'expired', 'gone_on', 'scheduled', 'purged'] as const

/** Work that the sweeper does on every item due under one name. A row may run twice on an item, and stop anywhere. */
export interface SweepRow {
  /** `what` of the entity's `due` */
  readonly due: string
  /** the count of the sweep's answer that each item adds to */
  readonly counts: (typeof SWEEP_COUNTS)[number]
  readonly work: (item: DueItem, sweep: Sweep) => Promise<unknown>
}

export const STORE_SWEEPS: readonly SweepRow[] = [
  { due: 'tidy-rank', counts: 'tidied', work: ({ domain, entity }) => tidyRank(domain, entity) },
]

/** A row whose items are removed when they are due. */
export const expiring = <T, R>(due: string, entity: Entity<T, R>): SweepRow => ({
  due,
  counts: 'expired',
  work: async ({ domain, id }, { now }) => {
    const stored = await entity.get(domain, id)
    if (stored === undefined) return
    const changes = new Changes()
    changes.remove(entity, domain, stored)
    await changes.commit(now)
  },
})

/** Everything due under a name, oldest first, in batches while there is time; each item once: the index may lag behind. */
export async function* dueItems(
  due: string,
  { now, hasTime }: Sweep,
  aTime = DUE_A_TIME,
): AsyncGenerator<readonly DueItem[], void> {
  const seen = new Set<string>()
  while (hasTime()) {
    const found = (await queryDue(due, now, aTime + seen.size)).map(parseItemKey)
    const fresh = found.filter(({ domain, entity, id }) => !seen.has(`${domain} ${entity} ${id}`))
    if (fresh.length === 0) return
    for (const { domain, entity, id } of fresh) seen.add(`${domain} ${entity} ${id}`)
    yield fresh
  }
}

/**
 * Works on every due item of a row while there is time. A failed item stops no other; it is due again at the next sweep.
 * @returns how many were done
 */
export async function workOff({ due, work }: Pick<SweepRow, 'due' | 'work'>, sweep: Sweep): Promise<number> {
  let done = 0
  for await (const items of dueItems(due, sweep))
    for (const item of items) {
      if (!sweep.hasTime()) break
      try {
        await work(item, sweep)
        done++
      } catch (error) {
        if (!(error instanceof Stale))
          log('error', `${due} failed`, { domain: item.domain, id: item.id, ...errorFields(error) })
      }
    }
  return done
}
