import type { components } from '../../../sdk/api.d.ts'
import { callTo, type Call } from '../../calls.ts'
import type { FieldRow } from '../../forms/fields.ts'
import { firstOf, keymgr } from '../../service.ts'
import { passportOf, pemFile, PUBLIC_KEY } from '../files.ts'
import { inParts } from '../parts.ts'
import type { BulkAction, KeyAction } from '../row.ts'

export type CloudAKey = components['schemas']['CloudAKey']

type PostPath = Parameters<typeof callTo<'post'>>[1]
const onKey = (path: PostPath, { id }: CloudAKey, body?: Record<string, unknown>): Call =>
  callTo('post', path, { path: { id }, ...(body !== undefined && { body }) })

/** Its first alias, or its id in the cloud. */
export const nameOf = ({ cloud_a_param: { Alias, KeyID } }: CloudAKey): string =>
  Alias[0]?.replace(/^alias\//, '') ?? KeyID

const isPendingDeletion = ({ cloud_a_param: { KeyState } }: CloudAKey): boolean =>
  KeyState === 'PendingDeletion' || KeyState === 'PendingReplicaDeletion'
const isThere = (key: CloudAKey): boolean => !key.gone && !isPendingDeletion(key)
const isHosted = ({ local_hosted_params: hosted }: CloudAKey): boolean => hosted !== undefined
/** Whether the key exists in the cloud and the cloud's services do not own it. */
const isChangeable = (key: CloudAKey): boolean =>
  isThere(key) && key.cloud_a_param.KeyManager !== 'CLOUD_A' && key.local_hosted_params?.linked_state !== false

const isPair = ({ cloud_a_param: { CustomerMasterKeySpec: spec } }: CloudAKey): boolean => /^(RSA|ECC|SM2)/.test(spec)

/** Waiting period of the cloud before it deletes a key, in days. */
const DELETION_DAYS = { min: 7, max: 30, initial: '30' } as const

const ALIAS = { name: 'alias', label: 'Alias', isRequired: true, hint: 'Without the prefix alias/.' } as const

/** A hosted key has no successor: a rotation keeps it and replaces the local key version behind it. */
const OF_SUCCESSOR: readonly FieldRow[] = [
  { name: 'source_key_id', label: 'Local key', hint: 'Its material is used. Without one, a new local key is made.' },
  { name: 'description', label: 'Description' },
  { name: 'retain_alias', label: 'This key keeps its aliases with the time behind them', kind: 'flag' },
  { name: 'disable_encrypt', label: 'This key decrypts only from now on', kind: 'flag' },
]

/** Actions on one key of cloud-a. */
export const CLOUD_A_ACTIONS: readonly KeyAction<CloudAKey>[] = [
  {
    ...{ name: 'rotate', title: 'Rotate', done: 'The key is rotated; this is its successor.', opens: true },
    about: 'Makes a successor with new material, which takes over the aliases. The former material still decrypts.',
    fieldsFor: (key) => (isHosted(key) ? [] : OF_SUCCESSOR),
    applies: (key) => (isHosted(key) ? isThere(key) : isChangeable(key)) && key.rotated_to === undefined,
    call: (key, body) => onKey('/v1/keymgr/cloud-a/keys/{id}/rotate', key, body),
  },
  {
    ...{ name: 'enable', title: 'Enable', done: 'The key is enabled.' },
    about: 'Lets applications use the key again.',
    applies: (key) => isChangeable(key) && !key.cloud_a_param.Enabled,
    call: (key) => onKey('/v1/keymgr/cloud-a/keys/{id}/enable', key),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The key is disabled.' },
    about: 'Refuses every use of the key until it is enabled again.',
    applies: (key) => isChangeable(key) && key.cloud_a_param.Enabled,
    call: (key) => onKey('/v1/keymgr/cloud-a/keys/{id}/disable', key),
  },
  {
    ...{ name: 'refresh', title: 'Refresh', done: 'The key is read again.' },
    about: 'Reads the key from the cloud.',
    applies: ({ gone }) => !gone,
    call: (key) => onKey('/v1/keymgr/cloud-a/keys/{id}/refresh', key),
  },
  {
    ...{ name: 'add-alias', title: 'Add alias', done: 'The key has another alias.' },
    about: 'Gives the key another name by which applications may call it.',
    fields: [ALIAS],
    applies: isChangeable,
    call: (key, body) => onKey('/v1/keymgr/cloud-a/keys/{id}/add-alias', key, body),
  },
  {
    ...{ name: 'delete-alias', title: 'Delete alias', done: 'The alias is deleted.' },
    about: 'Applications that call the key by this alias no longer find it.',
    fields: [ALIAS],
    applies: (key) => isChangeable(key) && key.cloud_a_param.Alias.length > 0,
    call: (key, body) => onKey('/v1/keymgr/cloud-a/keys/{id}/delete-alias', key, body),
  },
  {
    ...{ name: 'describe', title: 'Describe', done: 'The description is changed.' },
    about: 'Changes the description of the key.',
    fields: [{ name: 'description', label: 'Description' }],
    applies: isChangeable,
    call: (key, body) => onKey('/v1/keymgr/cloud-a/keys/{id}/update-description', key, body),
  },
  {
    ...{ name: 'schedule-deletion', title: 'Schedule deletion', done: 'The deletion is scheduled.' },
    about: 'The key refuses every use at once, and the cloud deletes it after the wait. Until then this can be undone.',
    ends: { nameOf, milder: ['disable'] },
    fields: [{ name: 'days', label: 'Wait (days)', kind: 'number', isRequired: true, ...DELETION_DAYS }],
    applies: isChangeable,
    call: (key, body) => onKey('/v1/keymgr/cloud-a/keys/{id}/schedule-deletion', key, body),
  },
  {
    ...{ name: 'cancel-deletion', title: 'Cancel deletion', done: 'The deletion is cancelled; the key is disabled.' },
    about: 'Keeps the key. It is disabled afterwards.',
    applies: (key) => !key.gone && isPendingDeletion(key),
    call: (key) => onKey('/v1/keymgr/cloud-a/keys/{id}/cancel-deletion', key),
  },
  {
    ...{ name: 'delete', title: 'Remove record', done: 'The record is removed.' },
    about: 'Removes what is known here of a key that is gone at the cloud.',
    applies: ({ gone }) => gone,
    call: ({ id }) => callTo('delete', '/v1/keymgr/cloud-a/keys/{id}', { path: { id } }),
  },
  {
    ...PUBLIC_KEY,
    applies: (key) => isThere(key) && isPair(key),
    call: ({ id }) => callTo('get', '/v1/keymgr/cloud-a/keys/{id}/download-public-key', { path: { id } }),
    saves: (key, answer) => pemFile(nameOf(key), String(answer)),
  },
  passportOf('/v1/keymgr/cloud-a/keys/{id}/passport', nameOf),
]

/** Maximum number of keys of a job. */
const KEYS_MOST = 100

const inBulk = (
  operation: string,
  title: string,
  about: string,
  more: Pick<BulkAction, 'fields' | 'isDangerous' | 'isEnding'> = {},
): BulkAction => ({
  ...{ name: operation, title, about },
  ...more,
  calls: (ids, body) =>
    inParts(ids, KEYS_MOST).map((keys) =>
      callTo('post', '/v1/keymgr/cloud-a/bulkjob', { body: { operation, keys, ...body } }),
    ),
  job: {
    noun: 'key',
    load: (id, signal) => keymgr.get('/v1/keymgr/cloud-a/bulkjob/{id}', { path: { id }, signal }),
  },
})

/** Actions on many keys of cloud-a. */
export const CLOUD_A_BULK: readonly BulkAction[] = [
  inBulk('enablekey', 'Enable', 'Lets applications use these keys again.'),
  inBulk('disablekey', 'Disable', 'Refuses every use of these keys until they are enabled again.', {
    isDangerous: true,
  }),
  inBulk(
    'schedulekeydeletion',
    'Schedule deletion',
    'The keys refuse every use at once; the cloud deletes them after the wait.',
    {
      fields: [{ name: 'days', label: 'Wait (days)', kind: 'number', isRequired: true, ...DELETION_DAYS }],
      ...{ isDangerous: true, isEnding: true },
    },
  ),
  inBulk('cancelkeydeletion', 'Cancel deletion', 'Keeps these keys. They are disabled afterwards.'),
  inBulk('applypolicytemplate', 'Apply policy', 'Gives these keys the policy of a template.', {
    fields: [
      {
        ...{ name: 'policy_template_id', label: 'Policy template', isRequired: true },
        choices: async () =>
          (await firstOf('/v1/keymgr/cloud-a/templates')).resources.map(({ id, name }) => ({
            value: id,
            label: name,
          })),
      },
    ],
  }),
  {
    ...{ name: 'refresh', title: 'Refresh', about: 'Reads these keys from the cloud.' },
    calls: (ids) => ids.map((id) => callTo('post', '/v1/keymgr/cloud-a/keys/{id}/refresh', { path: { id } })),
  },
]
