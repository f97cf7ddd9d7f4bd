import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import { filtersOf } from '../../list/filters.tsx'
import { keymgr, read, recordsAt } from '../../service.ts'
import { connectionsTo, type ContainersRow } from '../containers.ts'
import { listDatacustGroups } from './described.ts'

export type DatacustGroup = AnswerOf<'get', '/v1/keymgr/datacust/groups/{id}'>

/** Groups that were added, to choose from. */
export const groups = async () => (await read('/v1/keymgr/datacust/groups', { query: { limit: 1000 } })).resources

export const CONTAINERS: ContainersRow<DatacustGroup> = {
  noun: 'group',
  uri: 'keymgr:datacust-group',
  synchronizedAt: 'datacust',
  ...recordsAt('/v1/keymgr/datacust/groups'),
  summary: ({ id, uri, name, connection, tenant, keystore_provider: provider, refreshed_at: readAt }) => ({
    ...{ id, uri, name, title: name, connection, readAt, state: 'Added', tone: 'good' as const },
    place: [tenant, provider].filter(Boolean).join(' · '),
  }),
  attributes: (group) => [
    ['Id at the cloud', group.group_id],
    ['Description', group.description],
    ['Tenant', group.tenant],
    ['Application', group.application_type],
    ['Keystore', group.keystore_provider],
  ],
  permissions: async () => (await import('./permissions/row.ts')).PERMISSIONS,
  keysBy: 'group',
  filters: filtersOf(listDatacustGroups, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'keystore_provider', label: 'Keystore', isFirst: true },
    { name: 'tenant', label: 'Tenant' },
    { name: 'group_id', label: 'Id at the cloud' },
    { name: 'connection', label: 'Connection' },
  ]),
  actions: [
    {
      ...{ name: 'remove', title: 'Remove', done: 'The group is removed.' },
      about:
        'Removes the group from this service with the records and the backups of its keys. The group itself stays.',
      applies: () => true,
      call: ({ id }) => callTo('delete', '/v1/keymgr/datacust/groups/{id}', { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'group', title: 'Add a group' },
    about: 'Enters a group of the platform, so that its keys can be managed.',
    fields: [
      { name: 'connection', label: 'Connection', isRequired: true, choices: connectionsTo('datacust') },
      {
        ...{ name: 'group_id/0', label: 'Group', isRequired: true, dependsOn: ['connection'] },
        choices: async ({ connection = '' }) => {
          if (connection === '') return []
          const found = await keymgr.post('/v1/keymgr/datacust/get-groups', { body: { connection } })
          return found.groups.map(({ group_id: value, name: label }) => ({ value, label }))
        },
      },
    ],
    call: (body) => callTo('post', '/v1/keymgr/datacust/add-groups', { body }),
  },
}
