import * as z from 'zod'
import { Resource, Time, Uuid } from '../../http/common-fields.ts'
import type { ListQuery } from '../../http/lists/list-query.ts'
import { extended } from '../../base/lazy-fields.ts'

/** Number of unreadable keys that are named. */
export const ERRORS_MOST = 20

export const SYNCHRONIZATION_STATUSES = ['in_progress', 'completed', 'failed', 'aborted'] as const

/** A refresh of one or more containers. The containers are in the field of their cloud (`kms`, `key_rings`). */
export const SynchronizationJob = extended(Resource, () => ({
  cloud_name: z.string(),
  synchronize_all: z.boolean(),
  overall_status: z.enum(SYNCHRONIZATION_STATUSES),
  detailed_status: z
    .record(z.string(), z.string())
    .meta({ description: 'result of each container, or account/region of it' }),
  abort: z.boolean(),
  completed_at: Time.optional(),
  added: z.int(),
  updated: z.int(),
  gone: z.int(),
  // Ours: a key that its cloud does not let us read does not prevent the others from being read.
  unread: z.int().default(0).meta({ description: 'keys that could not be read: their records stay as they were' }),
  errors: z.array(z.string()).default([]).meta({ description: 'the first 20 of these keys, with the reasons' }),
  backups: z.int().optional().meta({ description: 'number of backups; absent if the job takes none' }),
}))
export type SynchronizationJob = z.infer<typeof SynchronizationJob>

export const SynchronizationJobPath = z.strictObject({ id: Uuid })

/** Filters and order of a list of jobs, beside its containers. */
export interface SynchronizationQuery extends ListQuery {
  readonly id?: readonly string[] | undefined
  readonly overall_status?: readonly string[] | undefined
}
