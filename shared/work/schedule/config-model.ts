import * as z from 'zod'
import { fieldsOf, isGiven, isObject, type Fields } from '../../base/json.ts'
import { readCron, shortestSpacingMinutes } from '../../base/cron.ts'
import { Name, NameOrId, Resource, Time, Uuid, FreeText } from '../../http/common-fields.ts'
import { anyOf, anyText, flag, listQuery } from '../../http/list-query.ts'
import { notBefore, withRules, type Rule } from '../../http/rules.ts'

export const JOB_OPERATIONS = [
  'keymgr_synchronization',
  'keymgr_key_rotation',
  'keymgr_xks_credential_rotation',
  'key_rotation',
] as const
export type JobOperation = (typeof JOB_OPERATIONS)[number]

/** Under which name a request gives the parameters of an operation that has some. */
export const PARAMS_OF = {
  keymgr_synchronization: 'keymgr_synchronization_params',
  keymgr_key_rotation: 'keymgr_key_rotation_params',
  keymgr_xks_credential_rotation: 'keymgr_xks_credential_rotation_params',
} as const
export const paramsFieldOf = (operation: JobOperation): string | undefined =>
  (PARAMS_OF as Partial<Record<JobOperation, string>>)[operation]

/** Under which name the containers of each cloud are listed. */
export const CONTAINERS_OF = {
  'cloud-a': 'kms',
  'cloud-b': 'key_vaults',
  'cloud-c': 'key_rings',
  'cloud-d': 'cloud_d_vaults',
  crm: 'organizations',
  datacust: 'groups',
} as const
export type SynchronizedName = keyof typeof CONTAINERS_OF
const SYNCHRONIZED_NAMES = Object.keys(CONTAINERS_OF) as [SynchronizedName, ...SynchronizedName[]] // one at least
export const CONTAINER_LISTS = Object.values(CONTAINERS_OF)

export const ROTATED_NAMES = ['cloud-a', 'cloud-b', 'cloud-c', 'docsuite-dke', 'cloud-d', 'crm', 'datacust'] as const
const WITH_ROTATION_AFTER: readonly string[] = ['cloud-a', 'cloud-b']
const CREDENTIAL_NAMES = ['cloud-a'] as const

const SYNC_ITEMS = ['key', 'secret', 'certificate', 'all'] as const
const MOST_CONTAINERS = 100
const Containers = z.array(NameOrId).min(1).max(MOST_CONTAINERS)

const containerLists = {
  kms: Containers.optional(),
  key_vaults: Containers.optional(),
  key_rings: Containers.optional(),
  cloud_d_vaults: Containers.optional(),
  organizations: Containers.optional(),
  groups: Containers.optional(),
  synchronize_all: z.boolean().optional(),
}

export const SynchronizationParams = z.strictObject({
  cloud_name: z.enum(SYNCHRONIZED_NAMES),
  ...containerLists,
  sync_item: z.array(z.enum(SYNC_ITEMS)).min(1).max(SYNC_ITEMS.length).optional(),
})
export type SynchronizationParams = z.infer<typeof SynchronizationParams>

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

const RotationCloudAParam = z.strictObject({
  retain_alias: z.boolean().optional(),
  rotate_material: z
    .boolean()
    .optional()
    .meta({ description: 'rotate inside the same cloud key instead of making a new one' }),
})
const CRM_KEY_TYPES = ['Data', 'EventBus', 'SearchIndex', 'DeterministicData', 'Analytics'] as const
const CrmParam = z.strictObject({
  certificate_id: z.string().min(1).max(255).optional(),
  key_source: z.enum(['native', 'keymgr']).optional(),
  key_derivation_mode: z.enum(['PBKDF2', 'NONE']).optional(),
  key_type: z.array(z.enum(CRM_KEY_TYPES)).min(1).max(CRM_KEY_TYPES.length).optional(),
  organization_id: z.string().min(1).max(255).optional(),
})

export const KeyRotationParams = z.strictObject({
  cloud_name: z.enum(ROTATED_NAMES),
  cloud_a_param: RotationCloudAParam.optional(),
  expiration: Duration.optional(),
  expire_in: Duration.optional(),
  rotation_after: Days.optional(),
  crm_param: CrmParam.optional(),
})
export type KeyRotationParams = z.infer<typeof KeyRotationParams>

export const CredentialRotationParams = z.strictObject({ cloud_name: z.enum(CREDENTIAL_NAMES) })
export type CredentialRotationParams = z.infer<typeof CredentialRotationParams>

/** As stored: rotation without its optional object takes the attached keys of every cloud, and may be changed later. */
const Params = z.union([
  SynchronizationParams,
  KeyRotationParams.partial({ cloud_name: true }),
  CredentialRotationParams,
])

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

export const JobConfig = Resource.extend({
  name: Name,
  description: z.string().optional(),
  operation: z.enum(JOB_OPERATIONS),
  run_at: z.string(),
  run_on: z.literal('any'),
  disabled: z.boolean(),
  start_date: Time.optional(),
  end_date: Time.optional(),
  job_config_params: Params,
  last_run_at: Time.optional(),
  next_run_at: Time.optional().meta({ description: 'absent when no run will come: disabled, or its time is over' }),
  last_status: z.string().optional(),
})
export type JobConfig = z.infer<typeof JobConfig>

const within = (body: Fields, name: string): Fields => fieldsOf(body[name])

/** Every operation comes with its own parameters and no others. */
const paramsRules = Object.entries(PARAMS_OF).map(([operation, field]): Rule => {
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

const SYNC = PARAMS_OF.keymgr_synchronization
const listsGiven = (params: Fields): string[] => CONTAINER_LISTS.filter((list) => isGiven(params[list]))

export const synchronizationRules: readonly Rule[] = [
  {
    message: 'exactly one container list must be given, the one that belongs to the cloud; none with synchronize_all',
    field: `${SYNC}/synchronize_all`,
    broken: (body) => {
      if (!isObject(body[SYNC])) return false
      const params = within(body, SYNC)
      const lists = listsGiven(params)
      if (params.synchronize_all === true)
        return lists.length > 0 ? `synchronize_all goes without ${lists.join(' and ')}` : false
      const own = CONTAINERS_OF[params.cloud_name as SynchronizedName] as string | undefined // any text: looked up
      if (own === undefined) return false // the field itself is refused
      if (lists.length === 1 && lists[0] === own) return false
      return `${own} must be given for ${String(params.cloud_name)} and no other list, or synchronize_all`
    },
  },
  {
    message: 'sync_item must be given for cloud-b, and for no other cloud',
    field: `${SYNC}/sync_item`,
    broken: (body) => {
      const { cloud_name, sync_item } = within(body, SYNC)
      return typeof cloud_name === 'string' && isGiven(sync_item) !== (cloud_name === 'cloud-b')
    },
  },
]

const ROTATION = PARAMS_OF.keymgr_key_rotation
const onlyWith = (field: string, message: string, fits: (cloud: string) => boolean): Rule => ({
  message,
  field: `${ROTATION}/${field}`,
  broken: (body) => {
    const { cloud_name, [field]: value } = within(body, ROTATION)
    return typeof cloud_name === 'string' && isGiven(value) && !fits(cloud_name)
  },
})

export const rotationRules: readonly Rule[] = [
  onlyWith('expire_in', 'expire_in is not for cloud-c', (cloud) => cloud !== 'cloud-c'),
  onlyWith('rotation_after', `rotation_after is for ${WITH_ROTATION_AFTER.join(' and ')} only`, (cloud) =>
    WITH_ROTATION_AFTER.includes(cloud),
  ),
  onlyWith('cloud_a_param', 'cloud_a_param is for cloud-a only', (cloud) => cloud === 'cloud-a'),
  onlyWith('crm_param', 'crm_param is for crm only', (cloud) => cloud === 'crm'),
]

const dates: Rule = {
  ...notBefore('start_date', 'end_date'),
  message: 'end_date must be later than start_date',
  broken: ({ start_date, end_date }) =>
    typeof start_date === 'string' && typeof end_date === 'string' && Date.parse(start_date) >= Date.parse(end_date),
}

const runOn = z.literal('any').meta({ description: 'every instance is as good as any other' })

export const CreateJobConfig = withRules(
  z.strictObject({
    name: Name,
    description: FreeText.optional(),
    operation: z.enum(JOB_OPERATIONS),
    run_at: RunAt,
    run_on: runOn.default('any'),
    disabled: z.boolean().default(false),
    start_date: Time.optional(),
    end_date: Time.optional(),
    keymgr_synchronization_params: SynchronizationParams.optional(),
    keymgr_key_rotation_params: KeyRotationParams.optional(),
    keymgr_xks_credential_rotation_params: CredentialRotationParams.optional(),
  }),
  ...paramsRules,
  ...synchronizationRules,
  ...rotationRules,
  dates,
)
export type CreateJobConfig = z.infer<typeof CreateJobConfig>

const clearable = <S extends z.ZodType>(schema: S) => schema.nullable().optional()

/** `operation` and `cloud_name` stay; what else may change stands here, `null` takes it away. */
export const UpdateJobConfig = withRules(
  z.strictObject({
    name: Name.optional(),
    description: clearable(FreeText),
    run_at: RunAt.optional(),
    run_on: runOn.optional(),
    disabled: z.boolean().optional(),
    start_date: clearable(Time),
    end_date: clearable(Time),
    keymgr_synchronization_params: z
      .strictObject({
        kms: clearable(Containers),
        key_vaults: clearable(Containers),
        key_rings: clearable(Containers),
        cloud_d_vaults: clearable(Containers),
        organizations: clearable(Containers),
        groups: clearable(Containers),
        synchronize_all: clearable(z.boolean()),
      })
      .optional(),
    keymgr_key_rotation_params: z
      .strictObject({
        cloud_a_param: clearable(RotationCloudAParam),
        crm_param: clearable(CrmParam),
        expire_in: clearable(Duration),
        expiration: clearable(Duration),
        rotation_after: clearable(Days),
      })
      .optional(),
  }),
  dates,
)
export type UpdateJobConfig = z.infer<typeof UpdateJobConfig>

export const JobConfigPath = z.strictObject({ id: Uuid })
export const JobConfigQuery = listQuery(['createdAt', 'name', 'operation', 'updatedAt'], {
  id: anyText().optional(),
  name: anyText().optional(),
  operation: anyOf(JOB_OPERATIONS).optional(),
  disabled: flag().optional(),
  cloud_name: anyOf(ROTATED_NAMES).optional(),
  expire_in: anyText().optional(),
})
export type JobConfigQuery = z.infer<typeof JobConfigQuery>

/** What an operation is for, and the name of its parameters. */
export const JobOperationInfo = z.object({
  operation: z.enum(JOB_OPERATIONS),
  description: z.string(),
  params: z.string().optional().meta({ description: 'absent when it has none' }),
})
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
