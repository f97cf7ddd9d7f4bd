import { containersAsked, listKeys as listed } from '../../../cloud/keys/list-keys.ts'
import { keysFrom } from '../../../cloud/keys/versions/keys-from.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { labelsTest } from '../../../http/lists/selectors.ts'
import { ringKind } from '../rings/kind.ts'
import { keyKind, VIEW, type CloudCTypes } from './kind.ts'
import type { CloudCKey, CloudCKeyQuery } from './model.ts'

/** Keys that the caller may see. */
export async function listKeys(context: Context, query: CloudCKeyQuery): Promise<ResourceList<CloudCKey>> {
  const asked = { named: query.key_ring, ids: query.key_ring_id }
  return listed(keyKind, context, query, {
    containers: await containersAsked<CloudCTypes>(ringKind, context, asked, [VIEW], 'key_ring'),
    direct: await keysFrom<CloudCTypes>(keyKind, context.caller.domain.id, query.local_key_id),
    patterns: { key_name: query.key_name },
    own: ['key_ring', 'key_ring_id', 'labels', 'local_key_id'],
    tests: query.labels === undefined ? [] : [labelsTest(query.labels, 'labels')],
    narrowBy: 'key_ring, createdAfter and createdBefore',
  })
}
