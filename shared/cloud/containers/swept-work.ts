import * as z from 'zod'
import { uuid } from '../../base/ids.ts'
import { later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import { Time } from '../../http/common-fields.ts'
import { Changes } from '../../store/changes.ts'
import type { SweepRow } from '../../store/due.ts'
import { entity, type Entity } from '../../store/entity.ts'

/** Ours: how long the request itself goes on with it; most containers are done with by then. */
const AT_ONCE_MS = 3_000
/** Ours: the sweeper comes when writes of requests that were under way have ended (29 seconds), and has the last look. */
const AFTER_MS = 2 * MINUTE_MS

interface Swept {
  readonly id: string
  /** when the sweeper takes it up */
  readonly startAt: string
}

/** Records of such work. Reads served: one by id; those due. @param fields say what is worked on */
export const sweptEntity = <F extends z.ZodRawShape>(name: string, due: string, fields: F) =>
  entity({
    name,
    schema: z.object({ id: z.uuid(), ...fields, startAt: Time }) as unknown as z.ZodType<
      Swept & z.output<z.ZodObject<F>>
    >,
    id: ({ id }) => id,
    sets: () => ['all'],
    row: () => ({}),
    due: ({ startAt: at }) => ({ what: due, at }),
  })

/**
 * Work on very many records of a container, or of a part of it: the request begins with it, the sweeper finishes it.
 * The cloud is left alone.
 * @param due the name under which the sweeper finds it
 * @param work does some of it while there is time, and says whether nothing is left; may be stopped anywhere and run again
 * @param counts what a sweep counts it as
 */
export const sweptWork = <W extends Swept>(
  due: string,
  records: Entity<W, object>,
  work: (domain: string, record: W, sweep: Sweep) => Promise<boolean>,
  counts: SweepRow['counts'] = 'purged',
) => {
  type Of = Omit<W, keyof Swept>
  const stage = (changes: Changes, domain: string, now: Date, of: Of): W => {
    const record = { ...of, id: uuid(now), startAt: later(now, AFTER_MS).toISOString() } as W // its fields are these
    changes.create(records, domain, record)
    return record
  }
  return {
    /** Stages work that the sweeper alone does. */
    stage,
    /** Stages the work, which begins once that is committed. */
    plan: ({ caller, changes, now, afterCommit: afterwards }: Context, of: Of): void => {
      const record = stage(changes, caller.domain.id, now, of)
      afterwards(() => {
        const until = performance.now() + AT_ONCE_MS
        return work(caller.domain.id, record, { now, hasTime: () => performance.now() < until })
      })
    },
    /** Does what is left, and then removes the record of the work. May be stopped anywhere and run again. */
    sweep: {
      due,
      counts,
      work: async ({ domain, id }, sweep) => {
        const stored = await records.get(domain, id)
        if (stored === undefined || !(await work(domain, stored.item, sweep))) return
        const done = new Changes()
        done.remove(records, domain, stored)
        await done.commit(sweep.now)
      },
    } satisfies SweepRow,
  }
}
