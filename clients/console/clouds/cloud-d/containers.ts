import { listCloudDVaults } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { Choice } from '../../forms/fields.ts'
import { keymgr, recordsAt, read } from '../../service.ts'
import { connectionsTo, type ContainersRow } from '../containers.ts'

export type CloudDVault = AnswerOf<'get', '/v1/keymgr/cloud-d/vaults/{id}'>

/** Vaults that were added, to choose from. */
export const vaults = async () => (await read('/v1/keymgr/cloud-d/vaults', { query: { limit: 1000 } })).resources

/** Compartments that were added, and those of the vaults. */
export async function compartments(): Promise<readonly Choice[]> {
  const { resources } = await read('/v1/keymgr/cloud-d/compartments', { query: { limit: 1000 } })
  const known = [...resources, ...(await vaults()).map((vault) => ({ ...vault, name: vault.compartment_name }))]
  return [...new Map(known.map(({ compartment_id: value, name }) => [value, { value, label: name || value }])).values()]
}

const reached = async (connection: string) =>
  (await keymgr.post('/v1/keymgr/cloud-d/get-compartments', { body: { connection, limit: 1000 } })).compartments

export const CONTAINERS: ContainersRow<CloudDVault> = {
  noun: 'vault',
  uri: 'keymgr:cloud-d-vault',
  synchronizedAt: 'cloud-d',
  ...recordsAt('/v1/keymgr/cloud-d/vaults'),
  summary: ({ id, uri, name, connection, region, compartment_name, lifecycle_state, refreshed_at: readAt }) => ({
    ...{ id, uri, name, title: name, connection, readAt, place: `${compartment_name} · ${region}` },
    ...{ state: lifecycle_state, tone: lifecycle_state === 'ACTIVE' ? 'good' : 'waiting' },
  }),
  attributes: (vault) => [
    ['Id at the cloud', vault.vault_id],
    ['Tenancy', vault.tenancy],
    ['Compartment', vault.compartment_name],
    ['Region', vault.region],
    ['Kind', vault.vault_type],
    ['Bucket with backups', vault.bucket_name],
    ['Deletion', vault.time_of_deletion],
    ['Made at the cloud', vault.time_created],
  ],
  permissions: async () => (await import('./permissions/row.ts')).PERMISSIONS,
  keysBy: 'vault_id',
  filters: filtersOf(listCloudDVaults, [
    { name: 'display_name', label: 'Name', isFirst: true },
    { name: 'region', label: 'Region', isFirst: true },
    { name: 'tenancy', label: 'Tenancy', isFirst: true },
    { name: 'vault_type', label: 'Kind', values: ['DEFAULT', 'VIRTUAL_PRIVATE', 'EXTERNAL'] },
    { name: 'lifecycle_state', label: 'State' },
    { name: 'compartment_id', label: 'Compartment id' },
    { name: 'vault_id', label: 'Id at the cloud' },
    { name: 'connection', label: 'Connection' },
  ]),
  actions: [
    {
      ...{ name: 'remove', title: 'Remove', done: 'The vault is removed.' },
      about: 'Removes the vault from this service with the records of its keys. The vault itself stays.',
      applies: () => true,
      call: ({ id }) => callTo('delete', '/v1/keymgr/cloud-d/vaults/{id}', { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'vault', title: 'Add a vault' },
    about: 'Enters a vault of a region, so that its keys can be managed.',
    fields: [
      { name: 'connection', label: 'Connection', isRequired: true, choices: connectionsTo('cloud-d') },
      {
        ...{ name: 'region', label: 'Region', isRequired: true, dependsOn: ['connection'] },
        choices: async ({ connection = '' }) => {
          if (connection === '') return []
          const { regions } = await keymgr.post('/v1/keymgr/cloud-d/get-subscribed-regions', { body: { connection } })
          return regions.map(({ name: value }) => ({ value }))
        },
      },
      {
        ...{ name: 'vault_id/0', label: 'Vault', isRequired: true, dependsOn: ['connection', 'region'] },
        choices: async ({ connection = '', region = '' }) => {
          if (connection === '' || region === '') return []
          const found = await Promise.all(
            (await reached(connection)).map(async ({ compartment_id, name }) => {
              const body = { connection, region, compartment_id, limit: 1000 }
              const answer = await keymgr.post('/v1/keymgr/cloud-d/get-vaults', { body }).catch(() => ({ vaults: [] }))
              return answer.vaults.map(({ vault_id: value, display_name }) => ({
                value,
                label: `${display_name} (${name})`,
              }))
            }),
          )
          return found.flat()
        },
      },
      { name: 'bucket_name', label: 'Bucket with backups of its keys' },
      { name: 'bucket_namespace', label: 'Namespace of the bucket' },
    ],
    call: (body) => callTo('post', '/v1/keymgr/cloud-d/add-vaults', { body }),
  },
}
