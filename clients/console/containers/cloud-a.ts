import type { AnswerOf } from '../../sdk/calls.ts'
import { changesOf, filledFrom } from '../forms/changes.ts'
import type { FieldRow } from '../forms/fields.ts'
import { callTo } from '../calls.ts'
import { keymgr, read } from '../service.ts'
import { connectionsTo, type ContainersRow } from './row.ts'

type Kms = AnswerOf<'get', '/v1/keymgr/cloud-a/kms/{id}'>

const JOBS = '/v1/keymgr/cloud-a/synchronization-jobs'
const CHANGED: readonly FieldRow[] = [
  { name: 'connection', label: 'Connection', choices: connectionsTo('cloud-a') },
  { name: 'regions', label: 'Regions', kind: 'lines', hint: 'One on each line.' },
]

export const CLOUD_A_CONTAINERS: ContainersRow<Kms> = {
  cloud: 'cloud-a',
  title: 'Cloud-a',
  noun: 'KMS',
  list: (query, signal) => read('/v1/keymgr/cloud-a/kms', { query, ...(signal && { signal }) }),
  get: (id, signal) => keymgr.get('/v1/keymgr/cloud-a/kms/{id}', { path: { id }, signal }),
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
  keysBy: 'kms',
  filters: [
    { name: 'name', label: 'Name', values: 'text', isFirst: true },
    { name: 'status', label: 'State', values: ['active', 'archived'], isFirst: true },
    { name: 'connection', label: 'Connection', values: 'text', isFirst: true },
    { name: 'account_id', label: 'Account', values: 'text' },
  ],
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
      ...{ name: 'archive', title: 'Archive', done: 'The KMS is archived.', isDangerous: true },
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
      ...{ name: 'remove', title: 'Delete', done: 'The KMS is deleted.', isDangerous: true },
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
  testConnection: (id) =>
    callTo('post', '/v1/connectionmgmt/services/cloud-a/connections/{id}/test', { path: { id }, body: {} }),
  synchronizations: {
    listedAs: 'kms',
    list: (query, signal) => read(JOBS, { query, signal }),
    get: (id, signal) => keymgr.get(`${JOBS}/{id}`, { path: { id }, signal }),
    start: (kms) => callTo('post', JOBS, { body: kms === undefined ? { synchronize_all: true } : { kms } }),
    cancel: (id) => callTo('post', `${JOBS}/{id}/cancel`, { path: { id } }),
  },
}
