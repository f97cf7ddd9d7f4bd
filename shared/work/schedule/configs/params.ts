import * as z from 'zod'
import { once } from '../../../base/once.ts'
import { NameOrId } from '../../../http/common-fields.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import { ALL_ITEMS, syncWords, workFacts } from '../../work-facts.ts'

/** Operations that do not belong to one cloud alone, and the field of their parameters. */
export const OWN_PARAMS = {
  keymgr_synchronization: 'keymgr_synchronization_params',
  keymgr_key_rotation: 'keymgr_key_rotation_params',
  'add-containers': 'add_containers_params',
} as const
const OWN_OPERATIONS = ['keymgr_synchronization', 'keymgr_key_rotation', 'key_rotation', 'add-containers'] as const

export const operationRows = () => workFacts().flatMap(({ jobOperations }) => jobOperations ?? [])

/** Names of all operations that a configuration can have. */
export const jobOperations = once((): readonly [string, ...string[]] => {
  const [first, second, ...others] = OWN_OPERATIONS
  return [first, second, ...operationRows().map(({ name }) => name), ...others]
})

/** By operation, the field of a request with its parameters; some operations have none. */
export const paramsFields = once((): Readonly<Record<string, string>> => ({
  ...OWN_PARAMS,
  ...Object.fromEntries(operationRows().map(({ name, params }) => [name, params.field])),
}))

/** By cloud, the field that lists its containers. */
export const containerLists = once((): Readonly<Record<string, string>> =>
  Object.fromEntries(
    workFacts().flatMap(({ name, containerList }) => (containerList === undefined ? [] : [[name, containerList]])),
  ),
)

export const rotationRows = once(() =>
  workFacts().flatMap(({ name, rotation }) => (rotation === undefined ? [] : [{ name, ...rotation }])),
)

/** Names of the clouds and protocols whose keys are rotated. */
export const rotatedNames = (): string[] => rotationRows().map(({ name }) => name)

const MOST_CONTAINERS = 100
export const Containers = z.array(NameOrId).min(1).max(MOST_CONTAINERS)

/** A schema's shape with the container field of every cloud. */
export const listFields = <S extends z.ZodType>(schema: S): Record<string, S> =>
  Object.fromEntries(Object.values(containerLists()).map((list) => [list, schema]))

/** Parameters of a synchronization: the containers are in the field of their cloud. */
export interface SynchronizationParams {
  readonly cloud_name: string
  readonly synchronize_all?: boolean | undefined
  readonly sync_item?: readonly string[] | undefined
  readonly [containerList: string]: unknown
}

export const synchronizationParams = once(() => {
  const words = syncWords()
  const items = words.length === 0 ? [] : [...words, ALL_ITEMS]
  return strictObject(() => ({
    cloud_name: z.enum(Object.keys(containerLists())),
    ...listFields(Containers.optional()),
    synchronize_all: z.boolean().optional(),
    ...(items.length > 0 && { sync_item: z.array(z.enum(items)).min(1).max(items.length).optional() }),
  }))
})

/** Ours: at most 27 years, or 11 years in hours; each cloud checks its own limit. */
const DURATION = /^([1-9]\d{0,3}d|[1-9]\d{0,4}h)$/
const Duration = z
  .string()
  .regex(DURATION, { error: 'must be days such as 30d, or hours such as 12h' })
  .meta({ description: '<X>d days or <Y>h hours' })
const Days = z
  .string()
  .regex(/^[1-9]\d{0,3}d$/, { error: 'must be days such as 90d' })
  .meta({ description: '<X>d days' })

/** Parameters of a key rotation; those of a single cloud are in a field of their own. */
export interface KeyRotationParams {
  readonly cloud_name?: string | undefined
  readonly expiration?: string | undefined
  readonly expire_in?: string | undefined
  readonly rotation_after?: string | undefined
  readonly [param: string]: unknown
}

export const rotationParams = () =>
  rotationRows().flatMap(({ name, param }) => (param === undefined ? [] : [{ name, ...param }]))

export const rotationFields = (change: (schema: z.ZodType) => z.ZodType) => ({
  ...Object.fromEntries(rotationParams().map(({ field, schema }) => [field, change(schema())])),
  expiration: change(Duration),
  expire_in: change(Duration),
  rotation_after: change(Days),
})

export const keyRotationParams = once(() =>
  strictObject(() => ({ cloud_name: z.enum(rotatedNames()), ...rotationFields((schema) => schema.optional()) })),
)

/** Parameters of a search for containers. `complete` of the operation adds `cloud_name`. */
export interface AddContainersParams {
  readonly cloud_name?: string | undefined
  readonly connection_id?: string | undefined
  readonly discover_only?: boolean | undefined
  readonly filter?: string | undefined
  readonly regions?: readonly string[] | undefined
  readonly role?: string | undefined
}

const REGIONS_MOST = 100
const FILTER_CHARACTERS = 255
const ROLE_CHARACTERS = 2_048

export const discoveryFields = (change: (schema: z.ZodType) => z.ZodType) => ({
  connection_id: change(NameOrId).meta({ description: 'name or id; without it, every connection to the cloud' }),
  discover_only: change(z.boolean()).meta({ description: 'true: adds nothing' }),
  filter: change(z.string().min(1).max(FILTER_CHARACTERS)).meta({
    description: 'name of the containers; * matches any number of characters, ? one',
  }),
  regions: change(z.array(z.string().min(1).max(64)).min(1).max(REGIONS_MOST)).meta({
    description: 'where to search; everywhere without it',
  }),
  role: change(z.string().min(1).max(ROLE_CHARACTERS)).meta({
    description: 'for clouds with roles: the role that the connection assumes',
  }),
})

export const addContainersParams = once(() => {
  const names = workFacts().flatMap(({ name, discovery }) => (discovery === undefined ? [] : [name]))
  return z.strictObject({
    cloud_name: z.enum(names).optional(),
    ...discoveryFields((schema) => schema.optional()),
  })
})

/**
 * As stored. Rotation parameters are optional: without them the attached keys of every cloud rotate, and a change may
 * add them.
 */
export const anyParams = once(() =>
  z.union([
    synchronizationParams(),
    keyRotationParams().partial({ cloud_name: true }),
    addContainersParams(),
    ...operationRows().map(({ params }) => params.schema()),
  ]),
)

/** Parameters of any operation. */
export type JobParams = Readonly<Record<string, unknown>>
