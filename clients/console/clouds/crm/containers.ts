import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { Choice } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { keymgr, read, recordsAt } from '../../service.ts'
import { connectionsTo, type ContainersRow } from '../containers.ts'
import { listCrmOrganizations } from './described.ts'

export type CrmOrganization = AnswerOf<'get', '/v1/keymgr/crm/organizations/{id}'>

/** Organizations that were added, to choose from. */
export const organizations = async (): Promise<readonly Choice[]> => {
  const { resources } = await read('/v1/keymgr/crm/organizations', { query: { limit: 1000 } })
  return resources.map(({ id: value, name: label }) => ({ value, label }))
}

/** Certificates of an organization that can wrap keys. */
export const certificates = async ({ organization_id }: Readonly<Record<string, string>>) => {
  if (organization_id === undefined || organization_id === '') return []
  const query = { organization_id, platform_encryption: true, gone: false, limit: 1000 }
  const { resources } = await read('/v1/keymgr/crm/certificates', { query })
  return resources.map(({ id: value, name: label }): Choice => ({ value, label }))
}

export const CONTAINERS: ContainersRow<CrmOrganization> = {
  noun: 'organization',
  uri: 'keymgr:crm-organization',
  synchronizedAt: 'crm/keys',
  ...recordsAt('/v1/keymgr/crm/organizations'),
  summary: ({ id, uri, name, connection, organization_type: place, refreshed_at: readAt }) => ({
    ...{ id, uri, name, title: name, connection, readAt, place, state: 'Added', tone: 'good' as const },
  }),
  attributes: (organization) => [
    ['Id at the cloud', organization.organization_id],
    ['Edition', organization.organization_type],
    ['Address', organization.instance_url],
  ],
  permissions: async () => (await import('./permissions/row.ts')).PERMISSIONS,
  keysBy: 'organization_name',
  linesBy: 'organization',
  filters: filtersOf(listCrmOrganizations, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'organization_type', label: 'Edition', isFirst: true },
    { name: 'organization_id', label: 'Id at the cloud' },
    { name: 'connection', label: 'Connection' },
  ]),
  actions: [
    {
      ...{ name: 'read-certificates', title: 'Read certificates', done: 'The certificates are being read.' },
      about: 'Reads the certificates of the organization, which wrap keys.',
      applies: () => true,
      call: ({ id }) =>
        callTo('post', '/v1/keymgr/crm/certificates/synchronization-jobs', { body: { organizations: [id] } }),
    },
    {
      ...{ name: 'remove', title: 'Remove', done: 'The organization is removed.' },
      about:
        'Removes the organization from this service with the records and the backups of its secrets. It stays at the cloud.',
      applies: () => true,
      call: ({ id }) => callTo('delete', '/v1/keymgr/crm/organizations/{id}', { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'organization', title: 'Add an organization' },
    about: 'Enters the organization of a connection, so that its tenant secrets can be managed.',
    fields: [{ name: 'connection', label: 'Connection', isRequired: true, choices: connectionsTo('crm') }],
    call: (body) => callTo('post', '/v1/keymgr/crm/add-organizations', { body }),
  },
}

/** Named credentials of an organization, which lead to key endpoints. */
export const namedCredentials = async ({ organization_id }: Readonly<Record<string, string>>) => {
  if (organization_id === undefined || organization_id === '') return []
  const found = await keymgr.post('/v1/keymgr/crm/get-named-credentials', { body: { organization_id } })
  return found.named_credentials.map(({ id: value, name: label }): Choice => ({ value, label }))
}
