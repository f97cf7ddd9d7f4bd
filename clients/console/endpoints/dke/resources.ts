/** Tenants. Endpoints accept the tokens of their users. */
import { described } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { change, deletion, type ResourceRow } from '../../resources/row.ts'
import { createDkeTenant, listDkeTenants } from './described.ts'

export const RESOURCES: readonly ResourceRow[] = [
  {
    ...{ name: 'tenants', title: 'Tenants of document protection', noun: 'tenant' },
    about: 'Tenants whose users may open documents by endpoints for documents.',
    path: '/v1/keymgr/docsuite/dke/auth-tenants',
    item: '/v1/keymgr/docsuite/dke/auth-tenants/{id}',
    columns: [
      ['tenant_id', 'Tenant id'],
      ['client_id', 'Client id'],
      ['issuer', 'Issuer'],
    ],
    filters: filtersOf(listDkeTenants, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'tenant_id', label: 'Tenant id', isFirst: true },
    ]),
    add: {
      title: 'Add a tenant',
      path: '/v1/keymgr/docsuite/dke/auth-tenants',
      fields: described(createDkeTenant, [
        { name: 'name', label: 'Name' },
        { name: 'tenant_id', label: 'Tenant id' },
        { name: 'client_id', label: 'Client id' },
        { name: 'client_secret', label: 'Client secret', kind: 'secret' },
        { name: 'issuer', label: 'Issuer' },
      ]),
    },
    actions: [
      change('/v1/keymgr/docsuite/dke/auth-tenants/{id}', 'tenant', [
        { name: 'client_id', label: 'Client id' },
        { name: 'client_secret', label: 'Client secret', kind: 'secret' },
      ]),
      deletion('/v1/keymgr/docsuite/dke/auth-tenants/{id}', 'tenant'),
    ],
    empty: 'No tenant is known.',
  },
]
