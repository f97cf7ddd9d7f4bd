import * as z from 'zod'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { entity } from '../../store/entity.ts'

/** How far the sweeper has come through the schedules of all domains. */
const ScheduleSweep = z.object({
  /** prefix of the schedules' names */
  id: z.string(),
  /** the scheduler's token of the list's next page; none at the start of a sweep */
  token: z.string().optional(),
})

/** The scheduler knows no domains: the record for all of them stands in the root's. */
export const SCHEDULE_SWEEPS_DOMAIN = ROOT_DOMAIN_ID

/** Reads served: one by id. */
export const scheduleSweeps = entity({
  name: 'schedule-sweep',
  schema: ScheduleSweep,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})
