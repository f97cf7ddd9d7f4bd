import { retryWhenStale, Changes } from '../../store/changes.ts'
import { heartbeat, underWay } from './job.ts'
import type { JobKind, JobState, Standing, WorkItems, WorkItemState } from './kinds.ts'

const PARTS_TOGETHER = 25

/** The items of a job that knows them all from its beginning: one for each place that it covers. */
export interface Parts<J, I> {
  readonly all: (domain: string, job: J) => Promise<readonly I[]>
  /** those that are not written down yet */
  readonly missing: (job: J, there: readonly I[], now: Date) => readonly I[]
}

/** Writes a job's parts down; those that are there stay as they are. @returns ids of the open ones */
export const plan = <J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  parts: Parts<J, I>,
  domain: string,
  id: string,
  now: Date,
): Promise<string[]> =>
  retryWhenStale(async () => {
    const found = await underWay(kind, domain, id)
    if (found === undefined) return []
    const stored = await heartbeat(kind, domain, found, now)
    const missing = parts.missing(stored.item, await parts.all(domain, stored.item), now)
    for (let at = 0; at < missing.length; at += PARTS_TOGETHER) {
      const changes = new Changes()
      changes.rely(kind.entity, domain, stored) // a job that was deleted gets no more parts
      for (const part of missing.slice(at, at + PARTS_TOGETHER)) changes.create(kind.items.entity, domain, part)
      await changes.commit(now)
    }
    return (await parts.all(domain, stored.item)).filter(kind.items.isOpen).map((part) => part.id)
  })

/** Where a job with parts stands. */
export const standingOf =
  <J extends JobState, I extends WorkItemState>({ isOpen }: Pick<WorkItems<J, I>, 'isOpen'>, parts: Parts<J, I>) =>
  async (domain: string, job: J, now: Date): Promise<Standing<J>> => {
    const there = await parts.all(domain, job)
    return {
      isLeft: there.some(isOpen) || parts.missing(job, there, now).length > 0,
      hasMoved: there.some((part) => part.moved_in === job.generation),
    }
  }
