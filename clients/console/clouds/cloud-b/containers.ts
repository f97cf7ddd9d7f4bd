import { listCloudBVaults } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { Choice } from '../../forms/fields.ts'
import { firstOf, keymgr, recordsAt } from '../../service.ts'
import { connectionsTo, type ContainersRow } from '../containers.ts'

export type Vault = AnswerOf<'get', '/v1/keymgr/cloud-b/vaults/{id}'>

/** Managed vaults, as choices. */
export const vaults = async (): Promise<readonly Choice[]> =>
  (await firstOf('/v1/keymgr/cloud-b/vaults')).resources.map(({ name }) => ({ value: name }))

/** Maximum number of vaults of the cloud, as choices. */
const VAULTS_MOST = 100

export const CONTAINERS: ContainersRow<Vault> = {
  noun: 'vault',
  uri: 'keymgr:cloud-b-vault',
  synchronizedAt: 'cloud-b',
  ...recordsAt('/v1/keymgr/cloud-b/vaults'),
  summary: ({ id, uri, name, gone, connection, subscription_name, location, refreshed_at: readAt }) => ({
    ...{ id, uri, name, title: name, connection, readAt, place: `${subscription_name} · ${location}` },
    ...(gone ? { state: 'Gone at the cloud', tone: 'bad' } : { state: 'Active', tone: 'good' }),
  }),
  attributes: (vault) => [
    ['Subscription', `${vault.subscription_name} (${vault.subscription_id})`],
    ['Resource group', vault.resource_group],
    ['Location', vault.location],
    ['Tier', vault.sku],
    ['Address', vault.vault_url],
    ['Tenant', vault.tenant],
    ['Soft deletion', vault.soft_delete_enabled ? `${vault.soft_delete_retention_days ?? ''} days` : 'Off'],
    ['Purge protection', vault.purge_protection ? 'On' : 'Off'],
    ['Backups kept of each key', String(vault.cloud_key_backup_limit)],
    [
      'Tags',
      Object.entries(vault.tags)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
    ],
  ],
  permissions: async () => (await import('./permissions/row.ts')).PERMISSIONS,
  keysBy: 'key_vault',
  filters: filtersOf(listCloudBVaults, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'sku', label: 'Tier', isFirst: true },
    { name: 'connection', label: 'Connection', isFirst: true },
    { name: 'subscription_id', label: 'Subscription' },
    { name: 'location', label: 'Location' },
    { name: 'resource_group', label: 'Resource group' },
  ]),
  actions: [
    {
      ...{ name: 'remove', title: 'Remove', done: 'The vault is removed.' },
      about: 'Removes the vault from this service with the records of its keys. The vault itself stays.',
      applies: () => true,
      call: ({ id }) => callTo('post', '/v1/keymgr/cloud-b/vaults/{id}/remove-vault', { path: { id } }),
    },
  ],
  add: {
    ...{
      name: 'vault',
      title: 'Add a vault',
      about: 'Enters a vault of a subscription, so that its keys can be managed.',
    },
    fields: [
      { name: 'connection', label: 'Connection', isRequired: true, choices: connectionsTo('cloud-b') },
      {
        ...{ name: 'subscription_id', label: 'Subscription', isRequired: true, dependsOn: ['connection'] },
        choices: async ({ connection = '' }) => {
          if (connection === '') return []
          const found = await keymgr.post('/v1/keymgr/cloud-b/get-subscriptions', { body: { connection } })
          return found.subscriptions.map(({ subscription_id: value, display_name: label }) => ({ value, label }))
        },
      },
      {
        ...{ name: 'vaults/0/name', label: 'Vault', isRequired: true, dependsOn: ['connection', 'subscription_id'] },
        choices: async ({ connection = '', subscription_id = '' }) => {
          if (connection === '' || subscription_id === '') return []
          const body = { connection, subscription_id, limit: VAULTS_MOST }
          const { vaults } = await keymgr.post('/v1/keymgr/cloud-b/get-vaults', { body })
          return vaults.map(({ name, location }) => ({ value: name, label: `${name} (${location})` }))
        },
      },
    ],
    call: (body) => callTo('post', '/v1/keymgr/cloud-b/add-vaults', { body }),
  },
}
