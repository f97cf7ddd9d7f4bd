import { may } from '../../../cloud/containers/acl.ts'
import { containersAsked, listKeys as listed } from '../../../cloud/keys/list-keys.ts'
import { keysFrom } from '../../../cloud/keys/versions/keys-from.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { vaultKind } from '../vaults/kind.ts'
import type { StoredCloudDVault } from '../vaults/store.ts'
import { keyKind, VIEW, VIEW_EXTERNAL, type CloudDTypes } from './kind.ts'
import type { CloudDKey, CloudDKeyQuery } from './model.ts'
import type { CloudDKeyRow } from './store.ts'

const VIEWS = [VIEW, VIEW_EXTERNAL]

/** Tests that the caller may see a key; none when the caller may see all of the vaults'. */
function viewTests(
  { caller }: Pick<Context, 'caller'>,
  vaults: readonly StoredCloudDVault[] | undefined,
): ((row: CloudDKeyRow) => boolean)[] {
  const denied = new Set(
    vaults?.flatMap((vault) => VIEWS.filter((view) => !may(caller, vault, view)).map((view) => `${vault.id} ${view}`)),
  )
  if (denied.size === 0) return []
  return [({ vault_resource_id: id, blocked }) => !denied.has(`${id} ${blocked === undefined ? VIEW : VIEW_EXTERNAL}`)]
}

/** The keys that the caller may see. */
export async function listKeys(context: Context, query: CloudDKeyQuery): Promise<ResourceList<CloudDKey>> {
  const asked = { named: query.vault_id, ids: undefined }
  const containers = await containersAsked<CloudDTypes>(vaultKind, context, asked, VIEWS, 'vault_id')
  return listed(keyKind, context, query, {
    containers,
    direct: await keysFrom<CloudDTypes>(keyKind, context.caller.domain.id, query.local_key_id),
    patterns: { display_name: query.display_name },
    own: ['vault_id', 'local_key_id'],
    tests: viewTests(context, containers),
    narrowBy: 'vault_id, createdAfter and createdBefore',
  })
}
