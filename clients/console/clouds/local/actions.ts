import { memberOf } from '../../answers.ts'
import type { components } from '../../../sdk/api.d.ts'
import { choicesOf, type FieldRow } from '../../forms/fields.ts'
import { callTo, type Call } from '../../calls.ts'
import { passportOf, pemFile, PUBLIC_KEY } from '../files.ts'
import { keymgr } from '../../service.ts'
import type { KeyAction } from '../row.ts'
import type { Use } from '../uses.ts'

export type LocalKey = components['schemas']['LocalKey']

/** Its name, with its version unless that is 0. */
export const nameOf = ({ name, version }: LocalKey): string => (version === 0 ? name : `${name} v${version}`)

/** the path names the version on the page */
const onKey = (path: Parameters<typeof callTo<'post'>>[1], { id }: LocalKey, body?: Record<string, unknown>): Call =>
  callTo('post', path, { path: { id }, ...(body !== undefined && { body }) })

const MESSAGE: FieldRow = { name: 'message', label: 'Message', hint: 'Kept with the key.' }

const ENDS = ['CessationOfOperation', 'Superseded', 'Unspecified', 'AffiliationChanged', 'PrivilegeWithdrawn']
const COMPROMISES = ['KeyCompromise', 'CACompromise']
/** The first one is the most frequent reason. */
const reasonOf = (...reasons: readonly string[]): FieldRow => ({
  ...{ name: 'reason', label: 'Reason', isRequired: true, initial: reasons[0] ?? '' },
  choices: choicesOf(...reasons),
})

/** The effect on a use when the key ends. */
const effectOf = (kind: string, haveCopies: boolean): string => {
  if (haveCopies) return 'keep working, but cannot be made again or rotated from here'
  if (kind === 'link' || kind === 'virtual key') return 'end with it'
  return 'fail from then on'
}

/** Everything that depends on a version of a key. */
export async function usesOf({ id, version }: LocalKey, signal: AbortSignal): Promise<readonly Use[]> {
  const { uses } = await keymgr.get('/v1/vault/keys2/{id}/uses', { path: { id }, query: { version }, signal })
  return uses.map(({ kind, count, names, haveCopies }) => ({
    ...{ kind, count, names },
    effect: effectOf(kind, haveCopies),
  }))
}

/** Actions on one version of a local key. */
export const LOCAL_ACTIONS: readonly KeyAction<LocalKey>[] = [
  {
    ...{ name: 'rotate', title: 'Rotate', done: 'The key has a new version.', opens: true },
    about: 'Makes a new version with new material. Former versions still decrypt.',
    applies: ({ objectType, state }) =>
      state === 'Active' && (objectType === 'Symmetric Key' || objectType === 'Private Key'),
    call: (key, body) => onKey('/v1/vault/keys2/{id}/versions', key, body),
  },
  {
    ...{ name: 'edit', title: 'Edit', done: 'The key is changed.' },
    about: 'Changes what is said of the key. Fields that are left empty stay as they are.',
    fields: [
      { name: 'description', label: 'Description' },
      { name: 'rotationFrequencyDays', label: 'Rotate after (days)', kind: 'number', min: 1 },
      { name: 'deactivationDate', label: 'Deactivate on', kind: 'day', hint: 'At midnight, UTC.' },
    ],
    applies: ({ state }) => !state.startsWith('Destroyed'),
    call: ({ id }, body) => callTo('patch', '/v1/vault/keys2/{id}', { path: { id }, body }),
  },
  {
    ...{ name: 'revoke', title: 'Disable or revoke', done: 'The key is revoked.' },
    about: 'Ends the protection of data with this version. A compromised key cannot be made active again.',
    fieldsFor: ({ state }) => [reasonOf(...(state === 'Deactivated' ? [] : ENDS), ...COMPROMISES), MESSAGE],
    applies: ({ state }) => state === 'Active' || state === 'Pre-Active' || state === 'Deactivated',
    call: (key, body) => onKey('/v1/vault/keys2/{id}/revoke', key, body),
  },
  {
    ...{ name: 'reactivate', title: 'Enable', done: 'The key is active.' },
    about: 'Lets this version protect data again.',
    fieldsFor: ({ state }) => [
      state === 'Active'
        ? reasonOf('ActiveProtectStopToActive')
        : reasonOf('DeactivatedToActive', 'DeactivatedToActiveProtectStop'),
      MESSAGE,
    ],
    applies: ({ state, protectStopDate }) =>
      state === 'Deactivated' || (state === 'Active' && Date.parse(protectStopDate ?? '') <= Date.now()),
    call: (key, body) => onKey('/v1/vault/keys2/{id}/reactivate', key, body),
  },
  {
    ...{ name: 'destroy', title: 'Destroy', done: 'The key is destroyed.' },
    about:
      'Erases the material of this version for good. Data encrypted with it can never be read again. The record stays.',
    ends: { nameOf, uses: usesOf, milder: ['revoke'], isForUnused: true },
    applies: ({ undeletable, state }) => !undeletable && ['Pre-Active', 'Deactivated', 'Compromised'].includes(state),
    call: (key) => onKey('/v1/vault/keys2/{id}/destroy', key),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The version is deleted.' },
    about: 'Removes this version and its record. Data encrypted with it can never be read again.',
    ends: { nameOf, uses: usesOf, milder: ['revoke', 'destroy'], isForUnused: true },
    applies: ({ undeletable, state }) => !undeletable && state !== 'Active',
    call: ({ id, version }) => callTo('delete', '/v1/vault/keys2/{id}', { path: { id }, query: { version } }),
  },
  {
    ...{ name: 'canary', title: 'Make a canary', done: 'Any use of the key raises an alarm.' },
    about: 'Any use of the key, by anyone, raises a critical alarm. The key looks like any other.',
    applies: ({ state }) => state === 'Active' || state === 'Pre-Active',
    call: (key) => onKey('/v1/vault/keys2/{id}/canary', key),
  },
  {
    ...PUBLIC_KEY,
    applies: ({ objectType, state }) => objectType === 'Public Key' && !state.startsWith('Destroyed'),
    call: (key) => onKey('/v1/vault/keys2/{id}/export', key, {}),
    saves: (key, answer) => pemFile(nameOf(key), memberOf(answer, 'material')),
  },
  passportOf('/v1/vault/keys2/{id}/passport', nameOf),
]
