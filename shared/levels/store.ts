import * as z from 'zod'
import { uuidOf } from '../base/ids.ts'
import { object } from '../base/lazy-fields.ts'
import { DAY_MS, HOUR_MS, later } from '../base/time.ts'
import { expiring, type SweepRow } from '../store/due.ts'
import { entity } from '../store/entity.ts'
import { removing, type PurgeStep } from '../store/remove-some.ts'

export const SPANS = { hour: HOUR_MS, day: DAY_MS } as const
export type Span = keyof typeof SPANS

/** Ours: retention of the records of hours (as for audit records) and of days (13 months), in days. */
export const KEPT_DAYS: Readonly<Record<Span, number>> = { hour: 90, day: 400 }

const Count = z.int().nonnegative()
/** Counts as in `Tally`. */
export const TALLY_FIELDS = {
  calls: Count,
  refused: Count,
  errors: Count,
  late: Count,
  buckets: z.record(z.string().regex(/^-?\d{1,2}$/), Count),
}

const StoredLevels = object(() => ({
  id: z.string(),
  endpoint: z.string(),
  span: z.enum(['hour', 'day']),
  /** begin of the hour or day, in UTC */
  from: z.string(),
  callers: z.array(z.object({ caller: z.string(), ...TALLY_FIELDS })),
  others: z.object(TALLY_FIELDS),
  /** latest counted deliveries, so that a repeated one is not counted again; empty in the record of a day */
  deliveries: z.array(z.string()),
}))
export type StoredLevels = z.infer<typeof StoredLevels>

export const levelsId = (endpoint: string, span: Span, from: Date): string => uuidOf(from, `${span} of ${endpoint}`)

/** Supported read: the calls of an endpoint in an hour or a day of UTC. The id is derived from endpoint and time. */
export const serviceLevels = entity({
  name: 'service-level',
  schema: StoredLevels,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
  due: ({ span, from }) => ({
    what: 'expire-service-level',
    at: later(new Date(from), KEPT_DAYS[span] * DAY_MS).toISOString(),
  }),
})

export const LEVEL_SWEEPS: readonly SweepRow[] = [expiring('expire-service-level', serviceLevels)]

/** Removes the service levels of a deleted domain. */
export const LEVEL_PURGE: readonly PurgeStep[] = [removing(serviceLevels, 'all')]
