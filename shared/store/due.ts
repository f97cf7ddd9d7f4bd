import { inTurn } from '../base/batches.ts'
import { errorFields, log } from '../base/log.ts'
import { loadedOf, type Load } from '../base/room.ts'
import type { Sweep } from '../base/time.ts'
import { Changes, Stale } from './changes.ts'
import { oldestDue, queryDue, queryDueBeside } from './due-index.ts'
import type { Entity } from './entity.ts'
import { duePartition, duePartitions, parseItemKey } from './layout.ts'
import { tidyRank } from './rank.ts'
import { ifIntact } from './salvage.ts'

/** Due time of permanent work, valid even if the clock steps back. */
export const ALWAYS = '1970-01-01T00:00:00.000Z'

/** Items looked up at a time. */
const DUE_A_TIME = 200

export type DueItem = ReturnType<typeof parseItemKey>

/** The counts in a sweep's answer, in the order in which their rows are worked off. */
export const SWEEP_COUNTS = ['moved', 'rotated', 'tidied', 'expired', 'resumed', 'scheduled', 'purged'] as const

/** The work under one due name, as in the entity's `due`. */
export interface DueWork {
  /** its `what` */
  readonly due: string
  readonly spread?: true
}

/** Work that the sweeper does on every item due under one name. A row may run twice on an item, and stop anywhere. */
export interface SweepRow extends DueWork {
  /** the count in the sweep's answer to which each item adds */
  readonly counts: (typeof SWEEP_COUNTS)[number]
  readonly work: (item: DueItem, sweep: Sweep) => Promise<unknown>
}

declare module '../base/room.ts' {
  interface RoomRow {
    /** Its work for the sweeper. */
    readonly sweeps?: Load<readonly SweepRow[]>
  }
}

export const STORE_SWEEPS: readonly SweepRow[] = [
  { due: 'tidy-rank', counts: 'tidied', work: ({ domain, entity }) => tidyRank(domain, entity) },
]

/** A row that removes items when they are due. */
export const expiring = <T, R>(due: string, entity: Entity<T, R>): SweepRow => ({
  due,
  counts: 'expired',
  work: async ({ domain, id }, { now }) => {
    const [stored] = await entity.getMany(domain, [id], 'salvage')
    if (stored === undefined) return
    const dueAt = ifIntact(stored.damage, () => entity.due?.(stored.item)?.at, undefined)
    const isDue = Date.parse(dueAt ?? '') <= now.getTime() // the index may lag behind
    if (!isDue && stored.damage === undefined) return
    const changes = new Changes()
    changes.remove(entity, domain, stored)
    await changes.commit(now)
  },
})

/**
 * All items due under a name while there is time, in batches, oldest first within each partition; each item once: the
 * index may lag behind.
 * @param aTime items looked up at a time in each partition
 */
export async function* dueItems(
  { due, spread }: DueWork,
  { now, hasTime }: Sweep,
  aTime = DUE_A_TIME,
): AsyncGenerator<readonly DueItem[], void> {
  const lookUp = async (partition: Partition): Promise<Partition> => {
    const found = (await queryDue(partition.name, now, aTime + partition.seen.size)).map(parseItemKey)
    const fresh = found.filter((item) => !partition.seen.has(placeOf(item)))
    return { ...partition, fresh, seen: new Set([...partition.seen, ...fresh.map(placeOf)]) }
  }
  let open = (spread ? duePartitions(due) : [due]).map((name): Partition => ({ name, seen: new Set(), fresh: [] }))
  while (hasTime()) {
    open = (await Promise.all(open.map(lookUp))).filter(({ fresh }) => fresh.length > 0)
    if (open.length === 0) return
    yield inTurn(open.map(({ fresh }) => fresh))
  }
}

/**
 * Items due under a spread name that do not belong to the given domains, in the partitions of these domains: if a
 * domain has more items than one read returns, other domains would otherwise wait until it is done.
 */
export async function dueBeside(
  { due }: DueWork,
  { now }: Sweep,
  domains: readonly string[],
  aTime = DUE_A_TIME,
): Promise<DueItem[]> {
  const shared = [...Map.groupBy(domains, (domain) => duePartition(due, domain))]
  const found = await Promise.all(
    shared.map(([partition, crowding]) => queryDueBeside(partition, now, aTime, crowding)),
  )
  return found.flat().map(parseItemKey)
}

/** When the oldest item came due (RFC 3339); `undefined` if none is. A read for each partition. */
export async function dueSince({ due, spread }: DueWork, now: Date): Promise<string | undefined> {
  const partitions = spread ? duePartitions(due) : [due]
  const oldest = await Promise.all(partitions.map((partition) => oldestDue(partition, now)))
  return oldest.filter((at) => at !== undefined).sort()[0]
}

/** A partition of the due index that had more at the last look. */
interface Partition {
  readonly name: string
  readonly seen: ReadonlySet<string>
  readonly fresh: readonly DueItem[]
}

const placeOf = ({ domain, entity, id }: DueItem): string => `${domain} ${entity} ${id}`

/**
 * Works on every due item of a row while there is time. A failed item does not stop the others; it is due again at the
 * next sweep.
 * @returns the number of finished items
 */
export async function workOff(row: DueWork & Pick<SweepRow, 'work'>, sweep: Sweep): Promise<number> {
  const { due, work } = row
  let done = 0
  for await (const items of dueItems(row, sweep))
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

/** Works off all that is due: key states, lists to tidy, expired items, work to resume, remains of deleted records. */
export async function sweepDue(sweep: Sweep): Promise<Record<string, number>> {
  const answer: Record<string, number> = {}
  const rows = (await loadedOf('sweeps')).flat()
  for (const name of SWEEP_COUNTS) {
    answer[name] = 0
    for (const row of rows.filter(({ counts }) => counts === name)) answer[name] += await workOff(row, sweep)
  }
  return answer
}
