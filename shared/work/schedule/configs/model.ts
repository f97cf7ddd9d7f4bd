import * as z from 'zod'
import { once } from '../../../base/once.ts'
import { readCron, shortestSpacingMinutes } from '../../../base/cron.ts'
import { Name, Resource, Time, Uuid, FreeText } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyText, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { notBefore, withRules, type Rule } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import {
  addContainersParams,
  anyParams,
  Containers,
  discoveryFields,
  jobOperations,
  keyRotationParams,
  listFields,
  operationRows,
  OWN_PARAMS,
  rotatedNames,
  rotationFields,
  synchronizationParams,
  type JobParams,
} from './params.ts'
import { discoveryRule, paramsRules, rotationRules, synchronizationRules } from './rules.ts'

/** Ours: fits into one table row, and into one line of a crontab. */
const RUN_AT_CHARACTERS = 256
/** Shortest time between two runs. */
const SPACING_MINUTES = 5

/** Five fields, in UTC. Refuses times that the scheduler cannot express, that never occur, or that are too frequent. */
const RunAt = z
  .string()
  .min(1)
  .max(RUN_AT_CHARACTERS)
  .superRefine((text, context) => {
    const read = readCron(text)
    const fault =
      'fault' in read
        ? read.fault
        : shortestSpacingMinutes(read.cron) < SPACING_MINUTES
          ? `must leave at least ${SPACING_MINUTES} minutes between two runs`
          : undefined
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, input: text })
  })
  .meta({ description: 'cron expression of five fields, in UTC; two runs are at least 5 minutes apart' })

/** A configuration whose parameters and operation were checked when it was created. */
export const StoredJobConfigFields = extended(Resource, () => ({
  name: Name,
  description: z.string().optional(),
  operation: z.string(),
  run_at: z.string(),
  run_on: z.literal('any'),
  disabled: z.boolean(),
  start_date: Time.optional(),
  end_date: Time.optional(),
  job_config_params: z.record(z.string(), z.unknown()),
  warnings: z.array(z.string()).optional().meta({ description: 'runs that a cloud will refuse, by its own limits' }),
  last_run_at: Time.optional(),
  next_run_at: Time.optional().meta({ description: 'absent without a next run: disabled or ended' }),
  last_status: z.string().optional(),
}))
export type JobConfig = z.infer<typeof StoredJobConfigFields>

/** A configuration as shown. */
export const JobConfig = once(() =>
  extended(StoredJobConfigFields, () => ({ operation: z.enum(jobOperations()), job_config_params: anyParams() })),
)

/** Whether the parameters that a change results in can be stored. */
export const isJobParams = (params: unknown): boolean => anyParams().safeParse(params).success

const dates: Rule = {
  ...notBefore('start_date', 'end_date'),
  message: 'end_date must be later than start_date',
  broken: ({ start_date, end_date }) =>
    typeof start_date === 'string' && typeof end_date === 'string' && Date.parse(start_date) >= Date.parse(end_date),
}

const runOn = z.literal('any').meta({ description: 'every instance is as good as any other' })

const createFields = {
  name: Name,
  description: FreeText.optional(),
  run_at: RunAt,
  run_on: runOn.default('any'),
  disabled: z.boolean().default(false),
  start_date: Time.optional(),
  end_date: Time.optional(),
}

/** Rules between the fields of a configuration as a whole. */
export const jobConfigRules = once((): readonly Rule[] => [
  ...paramsRules(),
  ...synchronizationRules(),
  ...rotationRules(),
  discoveryRule,
  dates,
])

export const CreateJobConfig = once(() =>
  withRules(
    strictObject(() => ({
      ...createFields,
      operation: z.enum(jobOperations()),
      [OWN_PARAMS.keymgr_synchronization]: synchronizationParams().optional(),
      [OWN_PARAMS.keymgr_key_rotation]: keyRotationParams().optional(),
      [OWN_PARAMS['add-containers']]: addContainersParams().optional(),
      ...Object.fromEntries(operationRows().map(({ params }) => [params.field, params.schema().optional()])),
    })),
    ...jobConfigRules(),
  ),
)
/** A body; the parameters are in the field named after the operation. */
export type CreateJobConfig = z.infer<z.ZodObject<typeof createFields>> & {
  readonly operation: string
  readonly [params: string]: unknown
}

const clearable = <S extends z.ZodType>(schema: S) => schema.nullable().optional()

const updateFields = {
  name: Name.optional(),
  description: clearable(FreeText),
  run_at: RunAt.optional(),
  run_on: runOn.optional(),
  disabled: z.boolean().optional(),
  start_date: clearable(Time),
  end_date: clearable(Time),
}

/** Operation and cloud cannot change; every other field can, and `null` removes it. */
export const UpdateJobConfig = once(() =>
  withRules(
    strictObject(() => ({
      ...updateFields,
      [OWN_PARAMS.keymgr_synchronization]: z
        .strictObject({ ...listFields(clearable(Containers)), synchronize_all: clearable(z.boolean()) })
        .optional(),
      [OWN_PARAMS.keymgr_key_rotation]: z.strictObject(rotationFields(clearable)).optional(),
      [OWN_PARAMS['add-containers']]: z.strictObject(discoveryFields(clearable)).optional(),
    })),
    dates,
  ),
)
export type UpdateJobConfig = z.infer<z.ZodObject<typeof updateFields>> & {
  readonly keymgr_synchronization_params?: JobParams | undefined
  readonly keymgr_key_rotation_params?: JobParams | undefined
  readonly add_containers_params?: JobParams | undefined
}

export const JobConfigPath = z.strictObject({ id: Uuid })
export const JobConfigQuery = once(() =>
  listQuery(JobConfig(), () => ({
    ...anyPatterns('name'),
    ...anyTexts('id'),
    operation: anyOf(jobOperations()).optional(),
    disabled: flag().optional(),
    cloud_name: anyOf(rotatedNames()).optional(),
    expire_in: anyText().optional(),
  })),
)
export type JobConfigQuery = z.infer<ReturnType<typeof JobConfigQuery>>

/** An operation of configurations, and the field with its parameters. */
export const JobOperationInfo = once(() =>
  object(() => ({
    operation: z.enum(jobOperations()),
    description: z.string(),
    params: z.string().optional().meta({ description: 'absent when it has none' }),
  })),
)
export const JobOperationQuery = once(() => listQuery(JobOperationInfo(), () => ({})))
export type JobOperationQuery = z.infer<ReturnType<typeof JobOperationQuery>>

/** The next runs of a configuration, the resources of each, and its duration. */
export const JobConfigPreview = object(() => ({
  runs: z.array(
    z.object({
      run_at: Time,
      total_count: z.int(),
      lasts_seconds: z.int().meta({ description: 'at least so long under the quotas of the clouds' }),
      calls: z
        .record(z.string(), z.int())
        .optional()
        .meta({ description: 'number of calls that quotas of the cloud count, by kind; absent without such calls' }),
      limited_by: z
        .string()
        .optional()
        .meta({ description: 'the quota that the run occupies longest, with its rate; absent without one' }),
      resources: z
        .array(
          z.object({
            resource_type: z.string(),
            resource_id: z.string(),
            resource_name: z.string(),
            container: z.string(),
            sync_item: z.string().optional(),
          }),
        )
        .meta({ description: 'the first 100 items of the run' }),
    }),
  ),
}))
export type JobConfigPreview = z.infer<typeof JobConfigPreview>
