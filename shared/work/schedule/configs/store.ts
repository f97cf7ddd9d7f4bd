import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { Initiator } from '../../../http/on-behalf.ts'
import { StoredJobConfigFields } from './model.ts'
import { entity } from '../../../store/entity.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

const StoredJobConfig = extended(
  StoredJobConfigFields.omit({ last_run_at: true, next_run_at: true, last_status: true }),
  () => ({
    cloud_name: z.string().optional(),
    expire_in: z.string().optional(),
    /** the initiator of its runs: the user who created it or changed it last */
    initiator: Initiator,
  }),
)
export type StoredJobConfig = z.infer<typeof StoredJobConfig>

/** Reads served: a configuration by id; by name; all of them. */
export const jobConfigs = entity({
  name: 'job-config',
  schema: StoredJobConfig,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, operation, disabled, cloud_name, expire_in, createdAt, updatedAt }) => ({
    id,
    name,
    operation,
    disabled: String(disabled),
    cloud_name,
    expire_in,
    createdAt,
    updatedAt,
  }),
})

/**
 * The state of a configuration that its runs change, in a separate item, so that the configuration's ETag stays. It
 * outlives the configuration until the schedules are deleted.
 */
const StoredState = object(() => ({
  /** id of the configuration */
  id: z.uuid(),
  /** the run under way */
  job: z.string().optional(),
  last_run_at: Time.optional(),
  last_status: z.string().optional(),
  /** the latest scheduled time with a run: earlier times get none */
  last_occasion: Time.optional(),
  /** changes with every record that relies on the configuration */
  attached_at: Time.optional(),
  /** when its schedules are checked next; at once after each change */
  dueAt: Time,
}))
export type StoredJobConfigState = z.infer<typeof StoredState>

/** Reads served: by id of the configuration; those whose schedules are due for a check. */
export const jobConfigStates = entity({
  name: 'job-config-state',
  schema: StoredState,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ dueAt }) => ({ what: 'keep-schedule', at: dueAt }),
})
