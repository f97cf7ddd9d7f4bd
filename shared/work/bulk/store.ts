import * as z from 'zod'
import { BULK_OPERATIONS, BulkJob } from './model.ts'
import { VERSION_OPERATIONS } from '../../clouds/cloud-c/versions/model.ts'
import { Time } from '../../http/common-fields.ts'
import { Initiator } from '../../http/on-behalf.ts'
import { entity } from '../../store/entity.ts'
import type { Family } from '../../store/layout.ts'

const ANY_OPERATION = [...BULK_OPERATIONS, ...VERSION_OPERATIONS] as const
export type AnyBulkOperation = (typeof ANY_OPERATION)[number]

/** Members are keys of cloud-a, or versions of one key of cloud-c by their numbers. */
const StoredBulkJob = BulkJob.extend({
  operation: z.enum(ANY_OPERATION),
  /** the key whose versions are its members */
  key_id: z.string().optional(),
  asker: Initiator,
  traceId: z.string(),
  clientIp: z.string(),
  /** of the keys: they stay while the job runs */
  container_ids: z.array(z.string()),
  /** rounds in a row without progress, in which all keys that are left had to wait */
  rounds: z.int(),
  /** end of the lease: until then it belongs to one instance */
  heldUntil: Time,
  /** when the sweeper takes it up; once it is over, when it is forgotten */
  dueAt: Time,
})
export type StoredBulkJob = z.infer<typeof StoredBulkJob>

const RUNNING = 'running'
/** The jobs of cloud-a, which are listed. */
export const CLOUD_A_JOBS = 'cloud-a'
export const jobsAskedBy = (sub: string): string => `by:${sub}`

/** Reads served: a job by id; all jobs; cloud-a's, and those of one initiator; those that run; those to resume. */
export const bulkJobs = entity({
  name: 'bulk-job',
  schema: StoredBulkJob,
  id: ({ id }) => id,
  sets: ({ asker, cloud_name }) =>
    cloud_name === CLOUD_A_JOBS ? ['all', CLOUD_A_JOBS, jobsAskedBy(asker.sub)] : ['all'],
  families: ({ id, overall_status }): Family[] =>
    overall_status === 'in_progress' ? [{ name: RUNNING, key: id }] : [],
  row: ({ id, operation, overall_status, completed_at, createdAt }) => ({
    id,
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
  const running = await bulkJobs.getMany(domain, await bulkJobs.members(domain, RUNNING))
  return running.some(({ item }) => item.container_ids.includes(container))
}
