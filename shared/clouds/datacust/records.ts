import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { containerRecords } from '../../cloud/containers/entity.ts'
import { countOf } from '../../store/list.ts'
import { removing } from '../../store/remove-some.ts'
import { groupPurge } from './groups/purge-group.ts'
import { datacustGroups } from './groups/store.ts'
import { datacustKeys } from './keys/store.ts'
import { datacustReferenceRecords } from './references/store.ts'

export const datacustRecords: CloudRecords = {
  containers: [containerRecords(datacustGroups, 'removing groups')],
  countKeys: (domain) => countOf(datacustKeys, domain, 'all'),
  purge: [...groupPurge.steps, removing(datacustReferenceRecords, 'all'), removing(datacustGroups, 'all')],
}
