import { listCloudAKms } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { changesOf, filledFrom } from '../../forms/changes.ts'
import { choicesOf, type Choice, type FieldRow } from '../../forms/fields.ts'
import { callTo } from '../../calls.ts'
import { firstOf, keymgr, recordsAt } from '../../service.ts'
import { connectionsTo, type ContainersRow } from '../containers.ts'

export type Kms = AnswerOf<'get', '/v1/keymgr/cloud-a/kms/{id}'>

/** All KMS entries, as choices. */
const allKms = async () => (await firstOf('/v1/keymgr/cloud-a/kms')).resources
export const kmsNames = async (): Promise<readonly Choice[]> => (await allKms()).map(({ name }) => ({ value: name }))
export const regionsOf = async (kms: string | undefined): Promise<readonly Choice[]> =>
  choicesOf(...((await allKms()).find(({ name }) => name === kms)?.regions ?? []))

const CHANGED: readonly FieldRow[] = [
  { name: 'connection', label: 'Connection', choices: connectionsTo('cloud-a') },
  { name: 'regions', label: 'Regions', kind: 'lines', hint: 'One on each line.' },
]

export const CONTAINERS: ContainersRow<Kms> = {
  noun: 'KMS',
  uri: 'keymgr:cloud-a-kms',
  synchronizedAt: 'cloud-a',
  ...recordsAt('/v1/keymgr/cloud-a/kms'),
  summary: ({ id, uri, name, status, connection, account_id, regions, last_synchronized_at: readAt }) => ({
    ...{ id, uri, name, title: name, connection, readAt, place: `${account_id} · ${regions.join(', ')}` },
    ...(status === 'active' ? { state: 'Active', tone: 'good' } : { state: 'Archived', tone: 'quiet' }),
  }),
  attributes: (kms) => [
    ['Account', kms.account_id],
    ['Regions', kms.regions.join(', ')],
    ['Partition', kms.cloud_name],
    ['Assumed role', kms.assume_role_arn],
    ['Added by a synchronization', kms.auto_added ? 'Yes' : 'No'],
  ],
  permissions: async () => (await import('./permissions/row.ts')).PERMISSIONS,
  keysBy: 'kms',
  filters: filtersOf(listCloudAKms, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'status', label: 'State', isFirst: true },
    { name: 'connection', label: 'Connection', isFirst: true },
    { name: 'account_id', label: 'Account' },
  ]),
  actions: [
    {
      ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The KMS is changed.' },
      about: 'Changes the regions whose keys are read, or the connection.',
      fieldsFor: (kms) => filledFrom(CHANGED, kms),
      applies: ({ status }) => status === 'active',
      call: (kms, body) =>
        callTo('patch', '/v1/keymgr/cloud-a/kms/{id}', {
          path: { id: kms.id },
          body: changesOf(filledFrom(CHANGED, kms), body),
        }),
    },
    {
      ...{ name: 'archive', title: 'Archive', done: 'The KMS is archived.' },
      about: 'Its keys stay listed here, and nothing is done with them until the KMS is recovered.',
      applies: ({ status }) => status === 'active',
      call: ({ id }) => callTo('post', '/v1/keymgr/cloud-a/kms/{id}/archive', { path: { id } }),
    },
    {
      ...{ name: 'recover', title: 'Recover', done: 'The KMS is active.' },
      about: 'Makes an archived KMS active again.',
      applies: ({ status }) => status === 'archived',
      call: ({ id }) => callTo('post', '/v1/keymgr/cloud-a/kms/{id}/recover', { path: { id } }),
    },
    {
      ...{ name: 'remove', title: 'Delete', done: 'The KMS is deleted.' },
      about: 'Removes the KMS with the records of its keys. The keys of the cloud stay.',
      applies: () => true,
      call: ({ id }) => callTo('delete', '/v1/keymgr/cloud-a/kms/{id}', { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'kms', title: 'Add a KMS', about: 'Enters an account of the cloud, so that its keys can be managed.' },
    fields: [
      { name: 'name', label: 'Name', isRequired: true },
      { name: 'connection', label: 'Connection', isRequired: true, choices: connectionsTo('cloud-a') },
      {
        ...{ name: 'account_id', label: 'Account', isRequired: true, dependsOn: ['connection'] },
        choices: async ({ connection = '' }) => {
          if (connection === '') return []
          const { account_id } = await keymgr.post('/v1/keymgr/cloud-a/accounts', { body: { connection } })
          return [{ value: account_id }]
        },
      },
      {
        ...{ name: 'regions', label: 'Regions', kind: 'lines', isRequired: true },
        hint: 'One on each line, such as eu-west-1.',
      },
    ],
    call: (body) => callTo('post', '/v1/keymgr/cloud-a/kms', { body }),
  },
}
