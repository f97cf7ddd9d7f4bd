import * as z from 'zod'
import { uuid } from '../../base/ids.ts'
import { later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import { Time } from '../../http/common-fields.ts'
import { Changes } from '../../store/changes.ts'
import type { SweepRow } from '../../store/due.ts'
import { entity, type Entity } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

/** Ours: how long the request itself does the work; for most containers this is enough. */
const AT_ONCE_MS = 3_000
/**
 * Ours: the sweeper starts when the writes of concurrent requests have ended (29 seconds), so that it sees all of them.
 */
const AFTER_MS = 2 * MINUTE_MS

type Planning = Pick<Context, 'caller' | 'changes' | 'now' | 'afterCommit'>

interface Swept {
  readonly id: string
  /** when the sweeper starts it */
  readonly startAt: string
}

/** Records of such work. Reads served: one by id; those due. @param fields identify the subject of the work */
export const sweptEntity = <F extends z.ZodRawShape>(name: string, due: string, fields: F) =>
  entity({
    name,
    schema: object(() => ({ id: z.uuid(), ...fields, startAt: Time })) as unknown as z.ZodType<
      Swept & z.output<z.ZodObject<F>>
    >,
    id: ({ id }) => id,
    sets: () => ['all'],
    row: () => ({}),
    due: ({ startAt: at }) => ({ what: due, at }),
  })

/**
 * Work on very many records of a container, or of a part of it: the request begins it, the sweeper finishes it. It does
 * not change the cloud.
 * @param due the name under which the sweeper finds it
 * @param work does some of it while there is time, and returns whether it is finished; may be stopped anywhere and run
 * again
 * @param counts the name under which a sweep counts it
 */
export const sweptWork = <W extends Swept>(
  due: string,
  records: Entity<W, object>,
  work: (domain: string, record: W, sweep: Sweep) => Promise<boolean>,
  counts: SweepRow['counts'] = 'purged',
) => {
  type Of = Omit<W, keyof Swept>
  const stage = (changes: Changes, domain: string, now: Date, of: Of): W => {
    const record = { ...of, id: uuid(now), startAt: later(now, AFTER_MS).toISOString() } as W // all of its fields
    changes.create(records, domain, record)
    return record
  }
  return {
    /** Stages work for the sweeper alone. */
    stage,
    /** Stages the work, which begins after the commit. */
    plan: ({ caller, changes, now, afterCommit: afterwards }: Planning, of: Of): void => {
      const record = stage(changes, caller.domain.id, now, of)
      afterwards(() => {
        const until = performance.now() + AT_ONCE_MS
        return work(caller.domain.id, record, { now, hasTime: () => performance.now() < until })
      })
    },
    /** Does the remaining work, and then removes its record. May be stopped anywhere and run again. */
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
