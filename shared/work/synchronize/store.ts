import * as z from 'zod'
import { SynchronizationJob } from './model.ts'
import { Stale, type Changes } from '../../store/changes.ts'
import { Initiator } from '../../http/on-behalf.ts'
import { entity } from '../../store/entity.ts'
import { guardKey } from '../../store/layout.ts'
import { extended, object } from '../../base/lazy-fields.ts'
import { GENERATION_FIELDS, type JobFlow } from '../engine/generation.ts'
import { TURN_FIELDS } from '../engine/turn.ts'

const StoredJob = extended(SynchronizationJob, () => ({
  /** names of its containers; shown in the field that its cloud has for them */
  containers: z.array(z.string()),
  /** regions to read; absent means all regions of the containers */
  regions: z.array(z.string()).optional(),
  /** whether it takes backups; absent for resources without them */
  take_cloud_key_backup: z.boolean().optional(),
  /** the kind of resource it reads; absent means keys */
  of: z.string().optional(),
  /** its initiator: `sub` of their token */
  initiator: z.string(),
  /** ids of its containers, as many as are guarded against a second job */
  container_ids: z.array(z.string()),
  /** the caller in whose name it takes backups of the keys that it has read; absent if it takes none */
  behalf: z.object({ initiator: Initiator, traceId: z.string(), clientIp: z.string() }).optional(),
  /** its places, as they were when the job began */
  places: z.array(z.object({ container: z.string(), name: z.string(), region: z.string() })),
  ...GENERATION_FIELDS,
}))
export type StoredSynchronizationJob = z.infer<typeof StoredJob>

/** The name of a source: `cloud-a`, `cloud-a/key-stores`. */
export const sourceOf = ({ cloud_name, of }: Pick<StoredSynchronizationJob, 'cloud_name' | 'of'>): string =>
  of === undefined ? cloud_name : `${cloud_name}/${of}`

/** The jobs of a source, all or by one initiator. */
export const jobsOf = (source: string, initiator?: string): string =>
  initiator === undefined ? `cloud:${source}` : `cloud:${source} by:${initiator}`

/**
 * Reads served: a job by id; the jobs of a cloud's keys or of its key stores, newest first, all or by one initiator;
 * those under way; jobs without a heartbeat.
 */
export const synchronizationJobs = entity({
  name: 'synchronization-job',
  schema: StoredJob,
  id: ({ id }) => id,
  unique: ({ overall_status, container_ids }) => (overall_status === 'in_progress' ? { container: container_ids } : {}),
  sets: (job) => [
    jobsOf(sourceOf(job)),
    jobsOf(sourceOf(job), job.initiator),
    ...(job.overall_status === 'in_progress' ? ['in_progress'] : []),
  ],
  row: ({ id, containers, overall_status, createdAt, completed_at }) => ({
    id,
    containers,
    overall_status,
    createdAt,
    completed_at,
  }),
  due: ({ overall_status, dueAt }) => ({
    what: overall_status === 'in_progress' ? 'resume-synchronization' : 'forget-synchronization',
    at: dueAt,
  }),
})

export const SYNCHRONIZATION_FLOW: JobFlow<StoredSynchronizationJob> = {
  flow: 'synchronize',
  input: (domain, { id, generation }) => ({ domain, job: id, generation }),
}

/** Makes a change conditional on no job running on the container; the verb, run again, then finds the job. */
export const relyOnNoJob = (changes: Changes, domain: string, container: string): void =>
  changes.plan(
    {
      check: guardKey(domain, synchronizationJobs.name, 'container', container),
      condition: 'attribute_not_exists(pk)',
    },
    () => new Stale('A synchronization of the container began'),
  )

/**
 * Progress of one place: first the keys on record are read again, then the cloud's list is searched for others, and
 * then backups are taken where the job wants them.
 */
export const PART_PHASES = ['known', 'listing', 'backing_up', 'done', 'failed', 'aborted'] as const
const OPEN_PHASES: readonly string[] = ['known', 'listing', 'backing_up']

export const isOpen = ({ phase }: StoredSynchronizationPart): boolean => OPEN_PHASES.includes(phase)

const StoredPart = object(() => ({
  id: z.uuid(),
  job: z.uuid(),
  container: z.string(),
  region: z.string(),
  /** as in the job's `detailed_status` */
  name: z.string(),
  phase: z.enum(PART_PHASES),
  /** within the phase: the last key read, or the cloud's own cursor */
  cursor: z.string().optional(),
  /** why it failed */
  message: z.string().optional(),
  added: z.int(),
  updated: z.int(),
  gone: z.int(),
  /** number of unreadable keys, and the first of them with the reasons */
  unread: z.int().default(0),
  errors: z.array(z.string()).default([]),
  /** backups that were taken, and keys without one */
  backups: z.int().default(0),
  not_backed_up: z.int().default(0),
  ...TURN_FIELDS,
}))
export type StoredSynchronizationPart = z.infer<typeof StoredPart>

/** The unreadable keys of a place, as its job lists them. */
export const errorsOf = ({ name, errors }: StoredSynchronizationPart): string[] =>
  errors.map((each) => `${name} ${each}`)

export const partsOfJob = (job: string): string => `job:${job}`

/** Reads served: a part by id; the parts of a job, one for each place. They are removed after the end of their job. */
export const synchronizationParts = entity({
  name: 'synchronization-part',
  schema: StoredPart,
  id: ({ id }) => id,
  sets: () => [],
  families: ({ job, container, region }) => [{ name: partsOfJob(job), key: `${container}/${region}`, exclusive: true }],
  row: () => ({}),
})
