import { usesOfMaterial } from '../../cloud/keys/key-users.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { crmSecrets } from './keys/store.ts'
import { crmOrganizations } from './organizations/store.ts'

/** Tenant secrets with the material of local keys: uploaded, or fetched by the cloud. */
export const crmKeyUser: KeyUser = {
  usesOf: async (context, _name, versions) => [
    await usesOfMaterial(
      {
        noun: 'crm tenant secret',
        entity: crmSecrets,
        containerOf: async (domain, { organization_id }) => (await crmOrganizations.get(domain, organization_id))?.item,
        viewOf: () => 'view',
        nameOf: ({ name }) => name,
        action: 'ReadCrmTenantSecret',
        endpointOf: (_domain, { endpoint_id }) => Promise.resolve(endpoint_id),
      },
      context,
      versions,
    ),
  ],
}
