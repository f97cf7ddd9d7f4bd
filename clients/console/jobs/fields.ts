import { CLOUDS } from '../clouds.ts'
import { WORK } from '../described.ts'
import { at, changesOf, filledFrom } from '../forms/changes.ts'
import { choicesOf, place, type FieldRow, type Values } from '../forms/fields.ts'
import type { AnswerOf } from '../../sdk/calls.ts'

export type JobConfig = AnswerOf<'get', '/v1/scheduler/job-configs/{id}'>
export type Job = AnswerOf<'get', '/v1/scheduler/jobs/{id}'>

/** Operations of configurations for the keys of a cloud, or of a protocol. */
interface Work {
  readonly containers?: string
  readonly items?: readonly string[]
  readonly discovery?: { readonly byRegion: boolean; readonly byRole: boolean }
  readonly rotation?: { readonly byAge: boolean; readonly byExpiry: boolean; readonly param?: string }
  readonly operations?: Readonly<Record<string, string>>
}
const ALL_WORK = Object.entries<Work>(WORK)
const workOf = (cloud: string): Work => Object.fromEntries(ALL_WORK)[cloud] ?? {}
const namesOf = (holds: (work: Work) => boolean): string[] =>
  ALL_WORK.flatMap(([name, work]) => (holds(work) ? [name] : []))

/** Titles of the operations of configurations. */
const TITLES: Readonly<Record<string, string>> = {
  keymgr_synchronization: 'Synchronization',
  keymgr_key_rotation: 'Rotation of cloud keys',
  key_rotation: 'Rotation of local keys',
  'add-containers': 'Discovery of containers',
  ...Object.fromEntries(CLOUDS.flatMap(({ jobs }) => Object.entries(jobs?.operations ?? {}))),
}
export const operationTitle = (operation: string): string => TITLES[operation] ?? operation

const SYNC = 'keymgr_synchronization_params'
const ROTATION = 'keymgr_key_rotation_params'
const SYNC_CLOUD = `${SYNC}/cloud_name`
const ROTATION_CLOUD = `${ROTATION}/cloud_name`
const FOUND = 'add_containers_params'
const FOUND_CLOUD = `${FOUND}/cloud_name`

const SCHEDULE: readonly FieldRow[] = [
  {
    ...{ name: 'run_at', label: 'Runs at', isRequired: true, initial: '0 3 * * *' },
    hint: 'Minute, hour, day of the month, month, day of the week, in UTC: 30 4 * * mon is each Monday at 4:30.',
  },
  { name: 'start_date', label: 'Not before', kind: 'day', hint: 'At midnight, UTC.' },
  { name: 'end_date', label: 'Not after', kind: 'day', hint: 'At midnight, UTC.' },
]

type Shown = (values: Values) => boolean
/** Whether a field is shown, by the cloud of an operation. */
type ShownFor = (holds?: (work: Work, cloud: string) => boolean) => Shown

const syncFields = (shown: ShownFor): readonly FieldRow[] => [
  {
    ...{ name: `${SYNC}/synchronize_all`, label: 'All containers of the cloud', kind: 'flag', initial: 'true' },
    when: shown(),
  },
  ...CLOUDS.map(({ name, keys }): FieldRow => {
    const isShown = shown((_, cloud) => cloud === name)
    return {
      ...{
        name: `${SYNC}/${WORK[name].containers}`,
        label: keys.place,
        kind: 'lines',
        hint: 'Names, one on each line.',
      },
      when: (values) => isShown(values) && values[`${SYNC}/synchronize_all`] !== 'true',
    }
  }),
]

const rotationFields = (shown: ShownFor, isByExpiry: Shown): readonly FieldRow[] => [
  {
    ...{ name: `${ROTATION}/rotation_after`, label: 'Rotate when as old as', hint: 'Days, such as 90d.' },
    when: shown(({ rotation }) => rotation?.byAge === true),
  },
  {
    ...{ name: `${ROTATION}/expire_in`, label: 'Rotate when the key expires within', hint: 'Such as 5d.' },
    when: isByExpiry,
  },
  {
    ...{ name: `${ROTATION}/expiration`, label: 'The new key expires after', hint: 'Such as 365d.' },
    when: shown(),
  },
  ...CLOUDS.flatMap(({ name, jobs }) =>
    (jobs?.rotation ?? []).map((field) => ({
      ...field,
      name: `${ROTATION}/${workOf(name).rotation?.param ?? ''}/${field.name}`,
      when: shown((_, cloud) => cloud === name),
    })),
  ),
]

const discoveryFields = (shown: ShownFor): readonly FieldRow[] => [
  {
    ...{ name: `${FOUND}/connection_id`, label: 'Connection', when: shown() },
    hint: 'Name or id. Empty: every connection to the cloud.',
  },
  { name: `${FOUND}/filter`, label: 'Name', hint: '* and ? stand for other characters.', when: shown() },
  {
    ...{ name: `${FOUND}/regions`, label: 'Regions', kind: 'lines', hint: 'One on each line. Empty: all.' },
    when: shown(({ discovery }) => discovery?.byRegion === true),
  },
  {
    ...{ name: `${FOUND}/role`, label: 'Role', hint: 'The role that the connection assumes.' },
    when: shown(({ discovery }) => discovery?.byRole === true),
  },
  { name: `${FOUND}/discover_only`, label: 'Only list them', kind: 'flag', when: shown() },
]

/** In the form of a new configuration. */
const inForm =
  (operation: string, field: string): ShownFor =>
  (holds = () => true) =>
  (values) => {
    const cloud = values[field] ?? ''
    return values.operation === operation && holds(workOf(cloud), cloud)
  }
const synchronizes = inForm('keymgr_synchronization', SYNC_CLOUD)
const rotates = inForm('keymgr_key_rotation', ROTATION_CLOUD)
const discovers = inForm('add-containers', FOUND_CLOUD)

const cloudField = (name: string, clouds: readonly string[], when: Shown): FieldRow => ({
  ...{ name, label: 'Cloud', isRequired: true, initial: clouds[0] ?? '', choices: choicesOf(...clouds), when },
})

/** All fields of a new configuration. */
export const NEW_CONFIG: readonly FieldRow[] = [
  { name: 'name', label: 'Name', isRequired: true },
  {
    ...{ name: 'operation', label: 'Does', isRequired: true, initial: 'keymgr_synchronization' },
    choices: Object.entries(TITLES).map(([value, label]) => ({ value, label })),
  },
  cloudField(
    SYNC_CLOUD,
    namesOf(({ containers }) => containers !== undefined),
    synchronizes(),
  ),
  ...ALL_WORK.flatMap(([name, { items = [] }]): FieldRow[] => {
    const [first] = items
    if (first === undefined) return []
    return [
      {
        ...{ name: `${SYNC}/sync_item/0`, label: 'Reads', isRequired: true, initial: first },
        ...{ choices: choicesOf(...items), when: synchronizes((_, cloud) => cloud === name) },
      },
    ]
  }),
  ...syncFields(synchronizes),
  cloudField(
    ROTATION_CLOUD,
    namesOf(({ rotation }) => rotation !== undefined),
    rotates(),
  ),
  ...rotationFields(
    rotates,
    rotates(({ rotation }) => rotation?.byExpiry === true),
  ),
  cloudField(
    FOUND_CLOUD,
    namesOf(({ discovery }) => discovery !== undefined),
    discovers(),
  ),
  ...discoveryFields(discovers),
  ...ALL_WORK.flatMap(([name, { operations = {} }]) =>
    Object.entries(operations).map(([operation, params]) =>
      cloudField(`${params}/cloud_name`, [name], (values) => values.operation === operation),
    ),
  ),
  ...SCHEDULE,
  { name: 'description', label: 'Description' },
  { name: 'disabled', label: 'Disabled: runs by hand alone', kind: 'flag' },
]

/** The value of a configuration for a field: all parameters are in one member. */
const valueIn = (config: JobConfig, name: string): unknown =>
  at(config, name.replace(new RegExp(`^(${SYNC}|${ROTATION}|${FOUND})/`), 'job_config_params/'))

/** Fields of a configuration that can be changed, with their values. Operation and cloud cannot. */
export function changeable(config: JobConfig): readonly FieldRow[] {
  const { cloud_name: cloud = '' } = config.job_config_params as { readonly cloud_name?: string } // optional
  const shownFor =
    (operation: JobConfig['operation']): ShownFor =>
    (holds = () => true) =>
    () =>
      config.operation === operation && holds(workOf(cloud), cloud)
  const ofRotation = shownFor('keymgr_key_rotation')
  // A rotation that selects no keys, such as one for keys of every cloud, can be removed.
  const isByExpiry = ofRotation(
    ({ rotation }) => rotation?.byExpiry === true || valueIn(config, `${ROTATION}/expire_in`) !== undefined,
  )
  const fields: readonly FieldRow[] = [
    { name: 'name', label: 'Name', isRequired: true },
    ...SCHEDULE,
    ...syncFields(shownFor('keymgr_synchronization')),
    ...rotationFields(ofRotation, isByExpiry),
    ...discoveryFields(shownFor('add-containers')),
    { name: 'description', label: 'Description' },
    { name: 'disabled', label: 'Disabled: runs by hand alone', kind: 'flag' },
  ]
  return filledFrom(fields, config, (name) => valueIn(config, name))
}

/** The body of a change. The service replaces all parameters of one cloud, so unchanged ones are sent too. */
export function configChanges(config: JobConfig, body: Record<string, unknown>): Record<string, unknown> {
  const changed = changesOf(changeable(config), body)
  for (const [, { rotation }] of ALL_WORK) {
    const name = `${ROTATION}/${rotation?.param ?? ''}`
    const param = rotation?.param === undefined ? undefined : (at(changed, name) as object | undefined)
    if (param !== undefined)
      place(changed, name.split('/'), { ...(valueIn(config, name) as object | undefined), ...param })
  }
  return changed
}
