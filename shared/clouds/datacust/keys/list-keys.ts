import { containersAsked, listKeys as listed } from '../../../cloud/keys/list-keys.ts'
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
    patterns: { name: query.name },
    own: ['group'],
    tests: [],
    narrowBy: 'group, createdAfter and createdBefore',
  })
}
