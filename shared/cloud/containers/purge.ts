import * as z from 'zod'
import { uuid } from '../../base/ids.ts'
import { later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import { Time } from '../../http/common-fields.ts'
import { Changes } from '../../store/changes.ts'
import type { SweepRow } from '../../store/due.ts'
import { entity, type Entity } from '../../store/entity.ts'

/** Ours: how long the request itself goes on removing; most containers are done with by then. */
const AT_ONCE_MS = 3_000
/** Ours: the sweeper comes when writes of requests that were under way have ended (29 seconds), and has the last look. */
const AFTER_MS = 2 * MINUTE_MS

interface Purge {
  readonly id: string
  /** when the sweeper takes it up */
  readonly startAt: string
}

/** Records of removals. Reads served: one by id; those due. @param fields say what is removed */
export const purgeEntity = <F extends z.ZodRawShape>(name: string, due: string, fields: F) =>
  entity({
    name,
    schema: z.object({ id: z.uuid(), ...fields, startAt: Time }) as unknown as z.ZodType<
      Purge & z.output<z.ZodObject<F>>
    >,
    id: ({ id }) => id,
    sets: () => ['all'],
    row: () => ({}),
    due: ({ startAt: at }) => ({ what: due, at }),
  })

/**
 * The removal of records that go with their container, or with a part of it. The cloud is left alone.
 * @param due the name under which the sweeper finds it
 * @param remove removes some of them while there is time, and says whether none is left; may be stopped anywhere
 */
export const purging = <P extends Purge>(
  due: string,
  purges: Entity<P, object>,
  remove: (domain: string, purge: P, sweep: Sweep) => Promise<boolean>,
) => ({
  /** Stages that the records go; their removal begins once that is committed. */
  plan: ({ caller, changes, now, afterCommit: afterwards }: Context, of: Omit<P, keyof Purge>): void => {
    const purge = { ...of, id: uuid(now), startAt: later(now, AFTER_MS).toISOString() } as P // its fields are these
    changes.create(purges, caller.domain.id, purge)
    afterwards(() => {
      const until = performance.now() + AT_ONCE_MS
      return remove(caller.domain.id, purge, { now, hasTime: () => performance.now() < until })
    })
  },
  /** Removes what is left, and then the purge itself. May be stopped anywhere and run again. */
  sweep: {
    due,
    counts: 'purged',
    work: async ({ domain, id }, sweep) => {
      const stored = await purges.get(domain, id)
      if (stored === undefined || !(await remove(domain, stored.item, sweep))) return
      const done = new Changes()
      done.remove(purges, domain, stored)
      await done.commit(sweep.now)
    },
  } satisfies SweepRow,
})
