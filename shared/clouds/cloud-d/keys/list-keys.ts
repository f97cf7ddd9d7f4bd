import { containersAsked, listKeys as listed } from '../../../cloud/keys/list-keys.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { vaultKind } from '../vaults/kind.ts'
import { keyKind, VIEW, type CloudDTypes } from './kind.ts'
import type { CloudDKey, CloudDKeyQuery } from './model.ts'

/** The keys that the caller may see. */
export async function listKeys(context: Context, query: CloudDKeyQuery): Promise<ResourceList<CloudDKey>> {
  const asked = { named: query.vault_id, ids: undefined }
  return listed(keyKind, context, query, {
    containers: await containersAsked<CloudDTypes>(vaultKind, context, asked, [VIEW], 'vault_id'),
    patterns: { display_name: query.display_name },
    own: ['vault_id'],
    tests: [],
    narrowBy: 'vault_id, createdAfter and createdBefore',
  })
}
