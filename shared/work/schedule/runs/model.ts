import * as z from 'zod'
import { Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { once } from '../../../base/once.ts'
import { JobConfig } from '../configs/model.ts'
import { jobOperations, rotatedNames } from '../configs/params.ts'
import { anyOf, anyPatterns, anyText, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { ExpectedEnd } from '../../expected-end.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

/**
 * `aborted`: cancelled, or its configuration was deleted, or the former run of the configuration was still under way.
 */
export const JOB_STATUSES = ['scheduled', 'in_progress', 'completed', 'failed', 'aborted'] as const
/** `skipped`: the run was cancelled, or other work had the resource. */
export const SUB_JOB_STATUSES = ['scheduled', 'in_progress', 'completed', 'failed', 'skipped'] as const
export type SubJobStatus = (typeof SUB_JOB_STATUSES)[number]

const TRIGGERS = ['schedule', 'manual'] as const

/** One run of a job configuration, with the operation and parameters as checked when the configuration was created. */
export const StoredJobFields = extended(Resource, () => ({
  name: z.string().meta({ description: 'of the configuration' }),
  job_config_id: z.string(),
  operation: z.string(),
  cloud_name: z.string().optional(),
  status: z.enum(JOB_STATUSES),
  error_count: z.int().meta({ description: 'items with an error: failed and skipped ones' }),
  errors: z.array(z.string()).meta({ description: 'the first 20 of them' }),
  started_at: Time.optional(),
  completed_at: Time.optional(),
  processing_node: z.string(),
  triggered_by: z.enum(TRIGGERS),
  abort: z.boolean(),
  total_count: z.int(),
  success_count: z.int(),
  skipped_count: z.int(),
  left_count: z.int().meta({ description: 'items that are not done yet' }),
  expected_end_at: ExpectedEnd.optional(),
  job_config_params: z.record(z.string(), z.unknown()),
}))
export type Job = z.infer<typeof StoredJobFields>

/** A run as shown. */
export const Job = once(() =>
  extended(StoredJobFields, () => ({
    operation: z.enum(jobOperations()),
    job_config_params: JobConfig().shape.job_config_params.meta({ description: 'as they were when the run began' }),
  })),
)

/** The result of a search through a connection. */
const Discovery = object(() => ({
  found_count: z.int(),
  known_count: z.int().meta({ description: 'those with a record' }),
  added_count: z.int(),
  refused_count: z.int().meta({ description: 'containers that could not be added, and places that could not be read' }),
  names: z.array(z.string()).meta({ description: 'the first 100 new ones' }),
  errors: z.array(z.string()).meta({ description: 'the first 20 refusals' }),
}))
export type Discovery = z.infer<typeof Discovery>

/** The part of a run for one container, key, key store or connection. */
export const SubJob = object(() => ({
  id: z.string(),
  job_id: z.string(),
  resource_type: z.enum(['container', 'key', 'credential', 'connection']),
  resource_id: z.string(),
  resource_name: z.string(),
  container: z.string(),
  sync_item: z.string().optional().meta({ description: 'parts of the container to synchronize' }),
  status: z.enum(SUB_JOB_STATUSES),
  error: z.string().optional(),
  started_at: Time.optional(),
  completed_at: Time.optional(),
  result_id: z.string().optional().meta({ description: 'the new key, the synchronization job or the credential' }),
  discovered: Discovery.optional().meta({ description: 'the containers that a connection reaches' }),
}))
export type SubJob = z.infer<typeof SubJob>

export const JobPath = z.strictObject({ id: Uuid })
export const JobQuery = once(() =>
  listQuery(Job(), () => ({
    ...anyPatterns('name'),
    ...anyTexts('id', 'job_config_id'),
    operation: anyOf(jobOperations()).optional(),
    status: anyOf(JOB_STATUSES).optional(),
    processing_node: anyText().optional(),
    cloud_name: anyOf(rotatedNames()).optional(),
  })),
)
export type JobQuery = z.infer<ReturnType<typeof JobQuery>>

export const SubJobQuery = listQuery(SubJob, () => ({
  status: anyOf(SUB_JOB_STATUSES).optional(),
  resource_id: anyText().optional(),
}))
export type SubJobQuery = z.infer<typeof SubJobQuery>

/** `job_id` is absent when the run could not be queued in time; it is queued later. */
export const StartedJob = object(() => ({ job_id: z.string().optional(), job_config_id: z.string() }))
