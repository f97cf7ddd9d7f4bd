import { containersAsked, listKeys as listed } from '../../../cloud/keys/list-keys.ts'
import { keysFrom } from '../../../cloud/keys/versions/keys-from.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { groupKind } from '../groups/kind.ts'
import { keyKind, VIEW, type DatacustTypes } from './kind.ts'
import type { DatacustKey, DatacustKeyQuery } from './model.ts'

/** The keys that the caller may see. */
export async function listKeys(context: Context, query: DatacustKeyQuery): Promise<ResourceList<DatacustKey>> {
  const asked = { named: query.group, ids: undefined }
  return listed(keyKind, context, query, {
    containers: await containersAsked<DatacustTypes>(groupKind, context, asked, [VIEW], 'group'),
    direct: await keysFrom<DatacustTypes>(keyKind, context.caller.domain.id, query.local_key_id),
    patterns: { name: query.name },
    own: ['group', 'local_key_id'],
    tests: [],
    narrowBy: 'group, createdAfter and createdBefore',
  })
}
