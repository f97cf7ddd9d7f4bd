import type { components } from '../../../sdk/api.d.ts'
import { callTo } from '../../calls.ts'
import { changesOf, filledFrom } from '../../forms/changes.ts'
import type { FieldRow } from '../../forms/fields.ts'
import type { Tone } from '../../words/states.tsx'
import { passportOf } from '../files.ts'
import type { KeyAction } from '../row.ts'

export type CrmSecret = components['schemas']['CrmTenantSecret']

const AT = '/v1/keymgr/crm/keys'

/** States of tenant secrets, as the cloud names them. */
export const TONES: Readonly<Record<string, Tone>> = { ACTIVE: 'good', ARCHIVED: 'quiet', DESTROYED: 'bad' }
export const stateOf = ({ gone, crm_param: { status } }: CrmSecret): { readonly state: string; readonly tone: Tone } =>
  gone ? { state: 'Gone', tone: 'waiting' } : { state: status, tone: TONES[status] ?? 'waiting' }

const isRemote = ({ crm_param: { source } }: CrmSecret): boolean => source === 'REMOTE'
const isIn =
  (...states: readonly string[]) =>
  ({ gone, crm_param: { status } }: CrmSecret): boolean =>
    !gone && states.includes(status)
const nameOf = ({ name }: CrmSecret): string => name
const act = (id: string, name: 'activate' | 'destroy' | 'import' | 'delete-backup') =>
  callTo('post', `${AT}/{id}/${name}`, { path: { id } })

const WORDS: readonly FieldRow[] = [
  { name: 'name', label: 'Name', hint: 'Known to this service only.' },
  { name: 'description', label: 'Description', hint: "The cloud's own." },
]
const wordsOf = ({ name, crm_param: { description } }: CrmSecret) => filledFrom(WORDS, { name, description })

/** Actions on one tenant secret. */
export const ACTIONS: readonly KeyAction<CrmSecret>[] = [
  {
    ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The tenant secret is changed.' },
    about: 'Changes the name and the description.',
    fieldsFor: wordsOf,
    applies: ({ gone }) => !gone,
    call: (secret, body) =>
      callTo('patch', `${AT}/{id}`, { path: { id: secret.id }, body: changesOf(wordsOf(secret), body) }),
  },
  {
    ...{ name: 'activate', title: 'Activate', done: 'The cache-only key is active.' },
    about: 'The cloud fetches the key again. The secret that is active now is archived.',
    applies: (secret) => isRemote(secret) && isIn('ARCHIVED', 'DESTROYED')(secret),
    call: ({ id }) => act(id, 'activate'),
  },
  {
    ...{ name: 'destroy', title: 'Destroy', done: 'The tenant secret is destroyed.' },
    about:
      'The cloud can no longer decrypt what the secret protects. An export is kept here, from which it is imported.',
    ends: { nameOf },
    applies: (secret) => !isRemote(secret) && isIn('ARCHIVED')(secret),
    call: ({ id }) => act(id, 'destroy'),
  },
  {
    ...{ name: 'destroy-cached', title: 'Destroy', done: 'The key is no longer given out.' },
    about: 'The cloud drops the key, and key endpoints refuse it until it is activated again.',
    ends: { nameOf },
    applies: (secret) =>
      isRemote(secret) && !secret.gone && (secret.is_served === true || secret.crm_param.status !== 'DESTROYED'),
    call: ({ id }) => act(id, 'destroy'),
  },
  {
    ...{ name: 'import', title: 'Import again', done: 'The tenant secret is archived.' },
    about: 'Brings the destroyed secret back from the export that is kept here.',
    applies: (secret) => secret.backup && isIn('DESTROYED')(secret),
    call: ({ id }) => act(id, 'import'),
  },
  {
    ...{ name: 'delete-backup', title: 'Delete backup', done: 'The backup is deleted.' },
    about: 'Removes the export of the destroyed secret, which is then lost for good.',
    ends: { nameOf },
    applies: (secret) => secret.backup && (secret.gone || isIn('DESTROYED')(secret)),
    call: ({ id }) => act(id, 'delete-backup'),
  },
  passportOf(`${AT}/{id}/passport`, nameOf),
]
