import * as z from 'zod'
import { Resource, Time } from '../../http/common-fields.ts'
import { Initiator } from '../../http/on-behalf.ts'
import { entity } from '../../store/entity.ts'
import type { Family } from '../../store/layout.ts'
import { ifIntact } from '../../store/salvage.ts'
import { ExpectedEnd } from '../expected-end.ts'
import { extended } from '../../base/lazy-fields.ts'

export const BULK_STATUSES = ['in_progress', 'completed', 'failed', 'aborted'] as const

/** The same action on many members, in sequence. The operation belongs to a cloud. */
export const BulkJobFields = extended(Resource, () => ({
  keys: z.array(z.string()),
  operation: z.string(),
  days: z.int().optional(),
  policy_template_id: z.string().optional(),
  cloud_name: z.string(),
  overall_status: z
    .enum(BULK_STATUSES)
    .meta({ description: 'failed when a key failed, however many of the others were changed' }),
  detailed_status: z
    .record(z.string(), z.string())
    .meta({ description: 'result of each finished key: Success, or the reason of the failure' }),
  abort: z.boolean(),
  completed_at: Time.optional(),
  expected_end_at: ExpectedEnd.optional(),
}))

/** Members are keys of a cloud, or with `key_id` the versions of one key by their numbers. */
const StoredBulkJob = extended(BulkJobFields.omit({ expected_end_at: true }), () => ({
  /** the key whose versions are the members */
  key_id: z.string().optional(),
  /** whether the members are deleted even if their backups fail */
  delete_if_backup_fails: z.boolean().optional(),
  initiator: Initiator,
  traceId: z.string(),
  clientIp: z.string(),
  /** containers of the keys; they cannot be removed while the job runs */
  container_ids: z.array(z.string()),
  /** consecutive passes without progress, in which every remaining key had to wait */
  failures: z.int(),
  leaseUntil: Time,
  /** when the sweeper takes the job up; after its end, when the record is removed */
  dueAt: Time,
}))
export type StoredBulkJob = z.infer<typeof StoredBulkJob>

const RUNNING = 'running'
export const jobsOfInitiator = (sub: string): string => `by:${sub}`

/**
 * Reads served: a job by id; all jobs; jobs over the keys of a cloud, all or by one user; running jobs; jobs to resume.
 */
export const bulkJobs = entity({
  name: 'bulk-job',
  schema: StoredBulkJob,
  id: ({ id }) => id,
  sets: ({ initiator, cloud_name, key_id }) =>
    key_id === undefined ? ['all', cloud_name, jobsOfInitiator(initiator.sub)] : ['all'],
  families: ({ id, overall_status }): Family[] =>
    overall_status === 'in_progress' ? [{ name: RUNNING, key: id }] : [],
  row: ({ id, cloud_name, operation, overall_status, completed_at, createdAt }) => ({
    id,
    cloud_name,
    operation,
    overall_status,
    completed_at,
    createdAt,
  }),
  due: ({ overall_status, dueAt }) => ({
    what: overall_status === 'in_progress' ? 'run-bulk-job' : 'forget-bulk-job',
    at: dueAt,
  }),
})

/** Whether a job runs on keys of a container. Two reads. */
export async function isWorkedOnInBulk(domain: string, container: string): Promise<boolean> {
  const running = await bulkJobs.getMany(domain, await bulkJobs.members(domain, RUNNING), 'salvage')
  return running.some(({ item, damage }) => ifIntact(damage, () => item.container_ids.includes(container), false))
}
