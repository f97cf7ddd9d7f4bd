import * as z from 'zod'
import { fieldsOf, isGiven, isObject, type Fields } from '../../base/json.ts'
import { once } from '../../base/once.ts'
import { workFacts } from '../work-facts.ts'
import { readCron, shortestSpacingMinutes } from '../../base/cron.ts'
import { Name, NameOrId, Resource, Time, Uuid, FreeText } from '../../http/common-fields.ts'
import { anyOf, anyText, flag, listQuery } from '../../http/list-query.ts'
import { notBefore, withRules, type Rule } from '../../http/rules.ts'

/** Operations that do not belong to one cloud alone, and the field of their parameters. */
export const OWN_PARAMS = {
  keymgr_synchronization: 'keymgr_synchronization_params',
  keymgr_key_rotation: 'keymgr_key_rotation_params',
} as const
const OWN_OPERATIONS = ['keymgr_synchronization', 'keymgr_key_rotation', 'key_rotation'] as const

const operationRows = () => workFacts.rows().flatMap(({ jobOperations }) => jobOperations ?? [])

/** Names of all operations that a configuration can ask for. */
export const jobOperations = once((): readonly [string, ...string[]] => {
  const [first, second, last] = OWN_OPERATIONS
  return [first, second, ...operationRows().map(({ name }) => name), last]
})

/** Fields under which a request gives the parameters of its operation, by operation; some have none. */
export const paramsFields = once((): Readonly<Record<string, string>> => ({
  ...OWN_PARAMS,
  ...Object.fromEntries(operationRows().map(({ name, params }) => [name, params.field])),
}))

/** Fields under which the containers of each cloud are listed, by cloud. */
export const containerLists = once((): Readonly<Record<string, string>> =>
  Object.fromEntries(
    workFacts.rows().flatMap(({ name, containerList }) => (containerList === undefined ? [] : [[name, containerList]])),
  ),
)

const rotationRows = once(() =>
  workFacts.rows().flatMap(({ name, rotation }) => (rotation === undefined ? [] : [{ name, ...rotation }])),
)

/** Names of what has keys that are rotated. */
export const rotatedNames = (): string[] => rotationRows().map(({ name }) => name)

const MOST_CONTAINERS = 100
const Containers = z.array(NameOrId).min(1).max(MOST_CONTAINERS)

/** The fields of containers, each of one cloud. */
const listFields = <S extends z.ZodType>(schema: S): Record<string, S> =>
  Object.fromEntries(Object.values(containerLists()).map((list) => [list, schema]))

/** Parameters of a synchronization: containers stand under the field of their cloud. */
export interface SynchronizationParams {
  readonly cloud_name: string
  readonly synchronize_all?: boolean | undefined
  readonly sync_item?: readonly string[] | undefined
  readonly [containerList: string]: unknown
}

const synchronizationParams = once(() => {
  const items = [...new Set(workFacts.rows().flatMap(({ syncItems = [] }) => syncItems))]
  return z.strictObject({
    cloud_name: z.enum(Object.keys(containerLists())),
    ...listFields(Containers.optional()),
    synchronize_all: z.boolean().optional(),
    ...(items.length > 0 && { sync_item: z.array(z.enum(items)).min(1).max(items.length).optional() }),
  })
})

/** Ours: at most 27 years, or 11 of hours; what a cloud allows is checked where it is known. */
const DURATION = /^([1-9]\d{0,3}d|[1-9]\d{0,4}h)$/
const Duration = z
  .string()
  .regex(DURATION, { error: 'must be days such as 30d, or hours such as 12h' })
  .meta({ description: '<X>d days or <Y>h hours' })
const Days = z
  .string()
  .regex(/^[1-9]\d{0,3}d$/, { error: 'must be days such as 90d' })
  .meta({ description: '<X>d days' })

/** Parameters of a rotation of keys; those of one cloud alone stand under a field of their own. */
export interface KeyRotationParams {
  readonly cloud_name?: string | undefined
  readonly expiration?: string | undefined
  readonly expire_in?: string | undefined
  readonly rotation_after?: string | undefined
  readonly [param: string]: unknown
}

const rotationParams = () =>
  rotationRows().flatMap(({ name, param }) => (param === undefined ? [] : [{ name, ...param }]))

const rotationFields = (change: (schema: z.ZodType) => z.ZodType) => ({
  ...Object.fromEntries(rotationParams().map(({ field, schema }) => [field, change(schema())])),
  expiration: change(Duration),
  expire_in: change(Duration),
  rotation_after: change(Days),
})

const keyRotationParams = once(() =>
  z.strictObject({ cloud_name: z.enum(rotatedNames()), ...rotationFields((schema) => schema.optional()) }),
)

/** As stored: rotation without its optional object takes the attached keys of every cloud, and may be changed later. */
const anyParams = once(() =>
  z.union([
    synchronizationParams(),
    keyRotationParams().partial({ cloud_name: true }),
    ...operationRows().map(({ params }) => params.schema()),
  ]),
)

/** Parameters of any operation. */
export type JobParams = Readonly<Record<string, unknown>>

/** Ours: what may stand in one table row, and in one line of a crontab. */
const RUN_AT_CHARACTERS = 256
/** Interface gaps "Run rules". */
const SPACING_MINUTES = 5

/** Five fields, in UTC. What cannot be said to the scheduler, never happens, or happens too often, is refused. */
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

/** A configuration whose parameters and operation were checked when it was made. */
export const StoredJobConfigFields = Resource.extend({
  name: Name,
  description: z.string().optional(),
  operation: z.string(),
  run_at: z.string(),
  run_on: z.literal('any'),
  disabled: z.boolean(),
  start_date: Time.optional(),
  end_date: Time.optional(),
  job_config_params: z.record(z.string(), z.unknown()),
  last_run_at: Time.optional(),
  next_run_at: Time.optional().meta({ description: 'absent when no run will come: disabled, or its time is over' }),
  last_status: z.string().optional(),
})
export type JobConfig = z.infer<typeof StoredJobConfigFields>

/** A configuration as shown. */
export const JobConfig = once(() =>
  StoredJobConfigFields.extend({ operation: z.enum(jobOperations()), job_config_params: anyParams() }),
)

/** Whether parameters as a change leaves them can be stored. */
export const isJobParams = (params: unknown): boolean => anyParams().safeParse(params).success

const within = (body: Fields, name: string): Fields => fieldsOf(body[name])

/** Every operation comes with its own parameters and no others. */
const paramsRules = () =>
  Object.entries(paramsFields()).map(([operation, field]): Rule => {
    const mayBeAbsent = operation === 'keymgr_key_rotation'
    return {
      message: mayBeAbsent
        ? `${field} is only for ${operation}`
        : `${field} must be given for ${operation}, and for no other`,
      field,
      broken: (body) =>
        body.operation === operation
          ? !mayBeAbsent && !isGiven(body[field])
          : typeof body.operation === 'string' && isGiven(body[field]),
    }
  })

const SYNC = OWN_PARAMS.keymgr_synchronization

const oneList: Rule = {
  message: 'exactly one container list must be given, the one that belongs to the cloud; none with synchronize_all',
  field: `${SYNC}/synchronize_all`,
  broken: (body) => {
    if (!isObject(body[SYNC])) return false
    const params = within(body, SYNC)
    const lists = Object.values(containerLists()).filter((list) => isGiven(params[list]))
    if (params.synchronize_all === true)
      return lists.length > 0 ? `synchronize_all goes without ${lists.join(' and ')}` : false
    const own = containerLists()[String(params.cloud_name)]
    if (own === undefined) return false // the field itself is refused
    if (lists.length === 1 && lists[0] === own) return false
    return `${own} must be given for ${String(params.cloud_name)} and no other list, or synchronize_all`
  },
}

function synchronizationRules(): Rule[] {
  const withItems = workFacts.rows().flatMap(({ name, syncItems }) => (syncItems === undefined ? [] : [name]))
  const items: Rule = {
    message: `sync_item must be given for ${withItems.join(' and ')}, and for no other cloud`,
    field: `${SYNC}/sync_item`,
    broken: (body) => {
      const { cloud_name, sync_item } = within(body, SYNC)
      return typeof cloud_name === 'string' && isGiven(sync_item) !== withItems.includes(cloud_name)
    },
  }
  return withItems.length === 0 ? [oneList] : [oneList, items]
}

const ROTATION = OWN_PARAMS.keymgr_key_rotation

/** A parameter that goes with some clouds alone. */
const onlyFor = (field: string, clouds: readonly string[], message: string): Rule => ({
  message,
  field: `${ROTATION}/${field}`,
  broken: (body) => {
    const { cloud_name, [field]: value } = within(body, ROTATION)
    return typeof cloud_name === 'string' && isGiven(value) && !clouds.includes(cloud_name)
  },
})

function rotationRules(): Rule[] {
  const names = (fits: (row: { byAge: boolean; byExpiry: boolean }) => boolean): string[] =>
    rotationRows().flatMap((row) => (fits(row) ? [row.name] : []))
  const byAge = names((row) => row.byAge)
  const notByExpiry = names((row) => !row.byExpiry)
  return [
    onlyFor(
      'expire_in',
      names((row) => row.byExpiry),
      `expire_in is not for ${notByExpiry.join(' and ')}`,
    ),
    onlyFor('rotation_after', byAge, `rotation_after is for ${byAge.join(' and ')} only`),
    ...rotationParams().map(({ name, field }) => onlyFor(field, [name], `${field} is for ${name} only`)),
  ]
}

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
  dates,
])

export const CreateJobConfig = once(() =>
  withRules(
    z.strictObject({
      ...createFields,
      operation: z.enum(jobOperations()),
      [OWN_PARAMS.keymgr_synchronization]: synchronizationParams().optional(),
      [OWN_PARAMS.keymgr_key_rotation]: keyRotationParams().optional(),
      ...Object.fromEntries(operationRows().map(({ params }) => [params.field, params.schema().optional()])),
    }),
    ...jobConfigRules(),
  ),
)
/** A body; the parameters stand under the field of the operation. */
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

/** `operation` and `cloud_name` stay; any other field may change, and `null` takes it away. */
export const UpdateJobConfig = once(() =>
  withRules(
    z.strictObject({
      ...updateFields,
      [OWN_PARAMS.keymgr_synchronization]: z
        .strictObject({ ...listFields(clearable(Containers)), synchronize_all: clearable(z.boolean()) })
        .optional(),
      [OWN_PARAMS.keymgr_key_rotation]: z.strictObject(rotationFields(clearable)).optional(),
    }),
    dates,
  ),
)
export type UpdateJobConfig = z.infer<z.ZodObject<typeof updateFields>> & {
  readonly keymgr_synchronization_params?: JobParams | undefined
  readonly keymgr_key_rotation_params?: JobParams | undefined
}

export const JobConfigPath = z.strictObject({ id: Uuid })
export const JobConfigQuery = once(() =>
  listQuery(['createdAt', 'name', 'operation', 'updatedAt'], {
    id: anyText().optional(),
    name: anyText().optional(),
    operation: anyOf(jobOperations()).optional(),
    disabled: flag().optional(),
    cloud_name: anyOf(rotatedNames()).optional(),
    expire_in: anyText().optional(),
  }),
)
export type JobConfigQuery = z.infer<ReturnType<typeof JobConfigQuery>>

/** An operation of configurations, and the field of its parameters. */
export const JobOperationInfo = once(() =>
  z.object({
    operation: z.enum(jobOperations()),
    description: z.string(),
    params: z.string().optional().meta({ description: 'absent when it has none' }),
  }),
)
export const JobOperationQuery = listQuery(['operation'], {}).pick({ skip: true, limit: true })
export type JobOperationQuery = z.infer<typeof JobOperationQuery>

/** What a configuration would do: the next runs, what each would take, and how long that lasts. */
export const JobConfigPreview = z.object({
  runs: z.array(
    z.object({
      run_at: Time,
      total_count: z.int(),
      lasts_seconds: z.int().meta({ description: 'at least so long under the quotas of the clouds' }),
      resources: z
        .array(
          z.object({
            resource_type: z.string(),
            resource_id: z.string(),
            resource_name: z.string(),
            container: z.string(),
          }),
        )
        .meta({ description: 'the first 100 of what the run would take' }),
    }),
  ),
})
export type JobConfigPreview = z.infer<typeof JobConfigPreview>
