import * as z from 'zod'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { entity } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

/** The sweeper's progress through the schedules of all domains. */
const ScheduleSweep = object(() => ({
  /** prefix of the schedules' names */
  id: z.string(),
  /** the scheduler's token for the next page; absent at the start of a sweep */
  token: z.string().optional(),
}))

/** The scheduler does not know domains: the root domain keeps the record for all of them. */
export const SCHEDULE_SWEEPS_DOMAIN = ROOT_DOMAIN_ID

/** Reads served: one by id. */
export const scheduleSweeps = entity({
  name: 'schedule-sweep',
  schema: ScheduleSweep,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})
