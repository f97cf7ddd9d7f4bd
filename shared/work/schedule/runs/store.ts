import * as z from 'zod'
import { uuidOf } from '../../../base/ids.ts'
import { Time } from '../../../http/common-fields.ts'
import { Initiator } from '../../../http/on-behalf.ts'
import { StoredJobFields, SubJob, type SubJobStatus } from './model.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { extended, object } from '../../../base/lazy-fields.ts'
import { GENERATION_FIELDS, type JobFlow } from '../../engine/generation.ts'
import { TURN_FIELDS } from '../../engine/turn.ts'

const StoredJob = extended(StoredJobFields.omit({ left_count: true, expected_end_at: true }), () => ({
  initiator: Initiator,
  traceId: z.string(),
  clientIp: z.string(),
  /** shortest time between two runs of its configuration, as of the run's beginning */
  spacing_minutes: z.int(),
  /** progress of its planning; `end` once every sub-job is written */
  plan: z.object({ cursor: z.string().optional(), end: z.boolean() }),
  /** names of its quota groups */
  quotaGroups: z.array(z.string()),
  ...GENERATION_FIELDS,
  /** open sub-jobs at the start of this generation, to decide whether it made progress */
  left_before: z.int().optional(),
}))
export type StoredJob = z.infer<typeof StoredJob>

export const RUN_FLOW: JobFlow<StoredJob> = {
  flow: 'run-job',
  input: (domain, { id, job_config_id, generation }) => ({
    domain,
    job_config: job_config_id,
    occasion: id,
    generation,
  }),
}

export const isOver = ({ status }: Pick<StoredJob, 'status'>): boolean =>
  status !== 'scheduled' && status !== 'in_progress'

/**
 * Reads served: a run by id; all runs; runs without a heartbeat. Ours: the runs of one configuration are searched among
 * all runs; a set for each configuration would make the ranks of the other sets expensive.
 */
export const jobs = entity({
  name: 'job',
  schema: StoredJob,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: ({ id, name, job_config_id, operation, cloud_name, status, processing_node, completed_at, createdAt }) => ({
    id,
    name,
    job_config_id,
    operation,
    cloud_name,
    status,
    processing_node,
    completed_at,
    createdAt,
  }),
  due: (job) => ({ what: isOver(job) ? 'forget-job' : 'resume-job', at: job.dueAt }),
})

const StoredSubJob = extended(SubJob, () => ({
  cloud: z.string(),
  /** quota group within the job: its sub-jobs share a quota of their cloud */
  quotaGroup: z.string(),
  /** seconds of the group's time, under the quota of its cloud */
  seconds: z.number(),
  /** failed tries, and when the next one may start */
  failures: z.int(),
  tryAt: Time.optional(),
  /** progress of a search: the last place, and in an unfinished one the last container, both in order of their names */
  searched: z.object({ place: z.string(), key: z.string().optional() }).optional(),
}))
export type StoredSubJob = z.infer<typeof StoredSubJob>

/** The subject of a sub-job, unique within a run: a resource, or an item of it. */
type Subject = Pick<SubJob, 'resource_id' | 'sync_item'>
export const subjectOf = ({ resource_id, sync_item }: Subject): string =>
  sync_item === undefined ? resource_id : `${resource_id} ${sync_item}`
/** The same id for the same subject of the same run. */
export const subJobId = ({ id, createdAt }: Pick<StoredJob, 'id' | 'createdAt'>, of: Subject): string =>
  uuidOf(new Date(createdAt), `${id} ${subjectOf(of)}`)

export const isOpen = ({ status }: Pick<StoredSubJob, 'status'>): boolean =>
  status === 'scheduled' || status === 'in_progress'

export const subJobsOf = (job: string, status?: SubJobStatus): string =>
  status === undefined ? `job:${job}` : `job:${job} ${status}`
/** The family of sub-jobs with an error, whatever their status. */
export const troubledOf = (job: string): string => `troubled:${job}`
export const openIn = (job: string, quotaGroup: string): string => `open:${job} ${quotaGroup}`

/**
 * Reads served: a sub-job by id; those of a run: all, of one status, or with an error; the open ones of a quota group.
 * In order of their ids.
 */
export const subJobs = entity({
  name: 'sub-job',
  schema: StoredSubJob,
  id: ({ id }) => id,
  sets: () => [],
  families: (item): Family[] => [
    { name: subJobsOf(item.job_id), key: item.id },
    { name: subJobsOf(item.job_id, item.status), key: item.id },
    ...(item.error === undefined ? [] : [{ name: troubledOf(item.job_id), key: item.id }]),
    ...(isOpen(item) ? [{ name: openIn(item.job_id, item.quotaGroup), key: item.id }] : []),
  ],
  row: () => ({}),
})

const StoredQuotaGroup = object(() => ({
  /** `<job> <quota group>` */
  id: z.string(),
  ...TURN_FIELDS,
}))
export type StoredQuotaGroup = z.infer<typeof StoredQuotaGroup>

/** Reads served: one by id. They are removed with their run. */
export const jobQuotaGroups = entity({
  name: 'job-quota-group',
  schema: StoredQuotaGroup,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})

/** The remains of a removed run: its sub-jobs and quota groups, cleared away by the sweeper. */
const StoredRemains = object(() => ({ id: z.string(), quotaGroups: z.array(z.string()), dueAt: Time }))

/** Reads served: by id of the run; remains to clear away. */
export const jobRemains = entity({
  name: 'job-remains',
  schema: StoredRemains,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
  due: ({ dueAt }) => ({ what: 'clear-job', at: dueAt }),
})
