import { at, changesOf, filledFrom } from '../forms/changes.ts'
import { choicesOf, place, type FieldRow, type Values } from '../forms/fields.ts'
import type { AnswerOf } from '../../sdk/calls.ts'

export type JobConfig = AnswerOf<'get', '/v1/scheduler/job-configs/{id}'>
export type Job = AnswerOf<'get', '/v1/scheduler/jobs/{id}'>

/** Operations of a configuration, and the member of the body that names their target. */
export const OPERATIONS = {
  keymgr_synchronization: { title: 'Synchronization', params: 'keymgr_synchronization_params' },
  keymgr_key_rotation: { title: 'Rotation of cloud keys', params: 'keymgr_key_rotation_params' },
  key_rotation: { title: 'Rotation of local keys', params: undefined },
  keymgr_xks_credential_rotation: {
    title: 'Rotation of key store credentials',
    params: 'keymgr_xks_credential_rotation_params',
  },
  'key-backup': { title: 'Backup of keys', params: 'key_backup_params' },
} as const

export const operationTitle = (operation: keyof typeof OPERATIONS): string => OPERATIONS[operation].title

const SYNC = OPERATIONS.keymgr_synchronization.params
const ROTATION = OPERATIONS.keymgr_key_rotation.params
const CLOUD_A_PARAM = `${ROTATION}/cloud_a_param`
const SYNC_CLOUD = `${SYNC}/cloud_name`
const ROTATION_CLOUD = `${ROTATION}/cloud_name`

const SCHEDULE: readonly FieldRow[] = [
  {
    ...{ name: 'run_at', label: 'Runs at', isRequired: true, initial: '0 3 * * *' },
    hint: 'Minute, hour, day of the month, month, day of the week, in UTC: 30 4 * * mon is each Monday at 4:30.',
  },
  { name: 'start_date', label: 'Not before', kind: 'day', hint: 'At midnight, UTC.' },
  { name: 'end_date', label: 'Not after', kind: 'day', hint: 'At midnight, UTC.' },
]

type Shown = (values: Values) => boolean

const syncFields = (isOf: (cloud: string) => Shown, isSynchronization: Shown): readonly FieldRow[] => {
  const list = (member: string, label: string, cloud: string): FieldRow => ({
    ...{ name: `${SYNC}/${member}`, label, kind: 'lines', hint: 'Names, one on each line.' },
    when: (values) => isOf(cloud)(values) && values[`${SYNC}/synchronize_all`] !== 'true',
  })
  return [
    {
      ...{ name: `${SYNC}/synchronize_all`, label: 'All containers of the cloud', kind: 'flag', initial: 'true' },
      when: isSynchronization,
    },
    list('kms', 'KMS', 'cloud-a'),
    list('key_vaults', 'Vaults', 'cloud-b'),
    list('key_rings', 'Key rings', 'cloud-c'),
  ]
}

const rotationFields = (
  isOf: (...clouds: string[]) => Shown,
  isRotation: Shown,
  isByExpiry: Shown = isOf('cloud-a', 'cloud-b'),
): readonly FieldRow[] => [
  {
    ...{ name: `${ROTATION}/rotation_after`, label: 'Rotate when as old as', hint: 'Days, such as 90d.' },
    when: isOf('cloud-a', 'cloud-b'),
  },
  {
    ...{ name: `${ROTATION}/expire_in`, label: 'Rotate when the key expires within', hint: 'Such as 5d.' },
    when: isByExpiry,
  },
  {
    ...{ name: `${ROTATION}/expiration`, label: 'The new key expires after', hint: 'Such as 365d.' },
    when: isRotation,
  },
  {
    ...{ name: `${CLOUD_A_PARAM}/retain_alias`, label: 'The former key keeps its alias', kind: 'flag' },
    when: isOf('cloud-a'),
  },
  {
    ...{
      name: `${CLOUD_A_PARAM}/rotate_material`,
      label: 'Rotate the material of the same key',
      kind: 'flag',
    },
    when: isOf('cloud-a'),
  },
]

const isFor =
  (operation: keyof typeof OPERATIONS): Shown =>
  (values) =>
    values.operation === operation
const syncsOf =
  (cloud: string): Shown =>
  (values) =>
    isFor('keymgr_synchronization')(values) && values[SYNC_CLOUD] === cloud
const rotatesOf =
  (...clouds: readonly string[]): Shown =>
  (values) =>
    isFor('keymgr_key_rotation')(values) && clouds.includes(values[ROTATION_CLOUD] ?? '')

/** All fields of a configuration that is made. */
export const NEW_CONFIG: readonly FieldRow[] = [
  { name: 'name', label: 'Name', isRequired: true },
  {
    ...{ name: 'operation', label: 'Does', isRequired: true, initial: 'keymgr_synchronization' },
    choices: Object.entries(OPERATIONS).map(([value, { title }]) => ({ value, label: title })),
  },
  {
    ...{ name: SYNC_CLOUD, label: 'Cloud', isRequired: true, initial: 'cloud-a' },
    choices: choicesOf('cloud-a', 'cloud-b', 'cloud-c'),
    when: isFor('keymgr_synchronization'),
  },
  {
    ...{ name: `${SYNC}/sync_item/0`, label: 'Reads', isRequired: true, initial: 'key' },
    choices: choicesOf('key', 'secret', 'certificate', 'all'),
    when: syncsOf('cloud-b'),
  },
  ...syncFields(syncsOf, isFor('keymgr_synchronization')),
  {
    ...{ name: ROTATION_CLOUD, label: 'Cloud', isRequired: true, initial: 'cloud-a' },
    choices: choicesOf('cloud-a', 'cloud-b', 'cloud-c', 'docsuite-dke'),
    when: isFor('keymgr_key_rotation'),
  },
  ...rotationFields(rotatesOf, isFor('keymgr_key_rotation')),
  {
    ...{ name: `${OPERATIONS.keymgr_xks_credential_rotation.params}/cloud_name`, label: 'Cloud', isRequired: true },
    ...{ initial: 'cloud-a', choices: choicesOf('cloud-a'), when: isFor('keymgr_xks_credential_rotation') },
  },
  {
    ...{ name: `${OPERATIONS['key-backup'].params}/cloud_name`, label: 'Cloud', isRequired: true },
    ...{ initial: 'cloud-b', choices: choicesOf('cloud-b'), when: isFor('key-backup') },
  },
  ...SCHEDULE,
  { name: 'description', label: 'Description' },
  { name: 'disabled', label: 'Disabled: runs by hand alone', kind: 'flag' },
]

/** The value of a configuration for a field: all parameters stand under one member of it. */
const valueIn = (config: JobConfig, name: string): unknown =>
  at(config, name.replace(new RegExp(`^(${SYNC}|${ROTATION})/`), 'job_config_params/'))

/** Fields of a configuration that can be changed, with their values. Operation and cloud stay. */
export function changeable(config: JobConfig): readonly FieldRow[] {
  const { cloud_name: cloud } = config.job_config_params as { readonly cloud_name?: string } // each kind may have one
  const isOf = (operation: JobConfig['operation'], clouds: readonly string[]) => () =>
    config.operation === operation && (clouds.length === 0 || clouds.includes(cloud ?? ''))
  const isRotationOf = (...clouds: readonly string[]) => isOf('keymgr_key_rotation', clouds)
  // Some have one by which nothing is rotated, such as those of endpoints: it can be taken away.
  const isByExpiry = () =>
    isRotationOf('cloud-a', 'cloud-b')() || valueIn(config, `${ROTATION}/expire_in`) !== undefined
  const fields: readonly FieldRow[] = [
    { name: 'name', label: 'Name', isRequired: true },
    ...SCHEDULE,
    ...syncFields((name) => isOf('keymgr_synchronization', [name]), isOf('keymgr_synchronization', [])),
    ...rotationFields(isRotationOf, isRotationOf(), isByExpiry),
    { name: 'description', label: 'Description' },
    { name: 'disabled', label: 'Disabled: runs by hand alone', kind: 'flag' },
  ]
  return filledFrom(fields, config, (name) => valueIn(config, name))
}

/** The body of a change of a configuration. The service replaces parameters for cloud-a as a whole: those that stay go along. */
export function configChanges(config: JobConfig, body: Record<string, unknown>): Record<string, unknown> {
  const changed = changesOf(changeable(config), body)
  const param = at(changed, CLOUD_A_PARAM) as object | undefined // two flags
  if (param !== undefined)
    place(changed, CLOUD_A_PARAM.split('/'), { ...(valueIn(config, CLOUD_A_PARAM) as object | undefined), ...param })
  return changed
}
