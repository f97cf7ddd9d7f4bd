import { usersOfVersions } from '../../../cloud/keys/key-users.ts'
import { containersAsked, listKeys } from '../../../cloud/keys/list-keys.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { organizationKind } from '../organizations/kind.ts'
import { secretKind, VIEW, type SecretTypes } from './kind.ts'
import type { CrmSecret, CrmSecretQuery } from './model.ts'
import { crmSecrets, type StoredCrmSecret } from './store.ts'

/** Secrets with material of these versions of local keys; `undefined` when none are given. */
async function secretsFrom(
  domain: string,
  localKeyIds: readonly string[] | undefined,
): Promise<Stored<StoredCrmSecret>[] | undefined> {
  return localKeyIds && crmSecrets.getMany(domain, await usersOfVersions(crmSecrets, domain, localKeyIds), 'salvage')
}

/** The tenant secrets that the caller may see. */
export async function listSecrets(context: Context, query: CrmSecretQuery): Promise<ResourceList<CrmSecret>> {
  const asked = { named: query.organization_id, ids: undefined }
  return listKeys(secretKind, context, query, {
    containers: await containersAsked<SecretTypes>(organizationKind, context, asked, [VIEW], 'organization_id'),
    direct: await secretsFrom(context.caller.domain.id, query.local_key_id),
    patterns: { name: query.name, organization_name: query.organization_name },
    own: ['organization_id', 'local_key_id'],
    tests: [],
    narrowBy: 'organization_id, createdAfter and createdBefore',
  })
}
