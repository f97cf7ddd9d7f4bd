import * as z from 'zod'
import { NameOrId, Resource, Time, Uuid } from './common.ts'
import { anyOf, anyText, listQuery } from './query.ts'
import { withRules } from './rules.ts'

export const SYNCHRONIZATION_STATUSES = ['in_progress', 'completed', 'failed', 'aborted'] as const

/** A refresh of one or more containers. The container list stands under each cloud's own name (`kms`). */
const SynchronizationJob = Resource.extend({
  cloud_name: z.string(),
  synchronize_all: z.boolean(),
  overall_status: z.enum(SYNCHRONIZATION_STATUSES),
  detailed_status: z
    .record(z.string(), z.string())
    .meta({ description: 'what became of each container, or account/region of it' }),
  abort: z.boolean(),
  completed_at: Time.optional(),
  added: z.int(),
  updated: z.int(),
  gone: z.int(),
})

/** Cloud-a: regions of accounts. */
export const CloudASynchronizationJob = SynchronizationJob.extend({
  kms: z.array(z.string()).meta({ description: 'names of the containers' }),
  regions: z.array(z.string()).optional(),
})
export type CloudASynchronizationJob = z.infer<typeof CloudASynchronizationJob>

const MOST_CONTAINERS = 100

export const StartCloudASynchronization = withRules(
  z.strictObject({
    kms: z.array(NameOrId).min(1).max(MOST_CONTAINERS).optional(),
    regions: z.array(z.string().min(1).max(32)).min(1).max(64).optional(),
    synchronize_all: z.boolean().optional(),
  }),
  {
    says: 'exactly one of kms and synchronize_all must be given',
    field: 'kms',
    broken: ({ kms, synchronize_all }) => (kms !== undefined) === (synchronize_all === true),
  },
)
export type StartCloudASynchronization = z.infer<typeof StartCloudASynchronization>

export const SynchronizationJobPath = z.strictObject({ id: Uuid })
export const CloudASynchronizationQuery = listQuery(['createdAt', 'overall_status', 'completed_at'], {
  id: anyText().optional(),
  overall_status: anyOf(SYNCHRONIZATION_STATUSES).optional(),
  kms: anyText().optional(),
})
export type CloudASynchronizationQuery = z.infer<typeof CloudASynchronizationQuery>
