import { containersAsked, listKeys } from '../../../cloud/keys/list-keys.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { organizationKind } from '../organizations/kind.ts'
import { secretKind, VIEW, type SecretTypes } from './kind.ts'
import type { CrmSecret, CrmSecretQuery } from './model.ts'

/** The tenant secrets that the caller may see. */
export async function listSecrets(context: Context, query: CrmSecretQuery): Promise<ResourceList<CrmSecret>> {
  const asked = { named: query.organization_id, ids: undefined }
  return listKeys(secretKind, context, query, {
    containers: await containersAsked<SecretTypes>(organizationKind, context, asked, [VIEW], 'organization_id'),
    patterns: { name: query.name, organization_name: query.organization_name },
    own: ['organization_id'],
    tests: [],
    narrowBy: 'organization_id, createdAfter and createdBefore',
  })
}
