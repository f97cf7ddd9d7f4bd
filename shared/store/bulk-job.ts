import * as z from 'zod'
import { BulkJob } from '../model/bulk-job.ts'
import { Time } from '../model/common.ts'
import { entity } from './entity.ts'
import type { Family } from './layout.ts'
import { Asker } from './saga.ts'

const StoredBulkJob = BulkJob.extend({
  asker: Asker,
  traceId: z.string(),
  clientIp: z.string(),
  /** of the keys: they stay while the job runs */
  container_ids: z.array(z.string()),
  /** times it came to the end of its keys with some that had to wait */
  rounds: z.int(),
  /** until then it belongs to the instance that took it up */
  heldUntil: Time,
  /** when the sweeper takes it up; once it is over, when it is forgotten */
  dueAt: Time,
})
export type StoredBulkJob = z.infer<typeof StoredBulkJob>

const RUNNING = 'running'
export const jobsAskedBy = (sub: string): string => `by:${sub}`

/** Reads served: a job by id; all jobs; those somebody asked for; those that run; those to go on with. */
export const bulkJobs = entity({
  name: 'bulk-job',
  schema: StoredBulkJob,
  id: ({ id }) => id,
  sets: ({ asker }) => ['all', jobsAskedBy(asker.sub)],
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
