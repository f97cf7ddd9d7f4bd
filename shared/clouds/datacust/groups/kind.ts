import { without } from '../../../base/fields.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { RECORDED_ALONE } from '../../../cloud/containers/model.ts'
import type { DatacustGroup } from './model.ts'
import { datacustGroups, groupsNamed, type DatacustGroupRow, type StoredDatacustGroup } from './store.ts'

const VIEWS: readonly string[] = ['view', 'reportview']

/** Groups, the containers of keys. */
export const groupKind: ContainerKind<StoredDatacustGroup, DatacustGroupRow, DatacustGroup> = {
  entity: datacustGroups,
  noun: 'group',
  nameOf: ({ name }) => name,
  namedBy: 'group',
  sharedNames: { idsOf: groupsNamed, orAs: "the cloud's id" },
  views: VIEWS,
  viewOf: (action) => (VIEWS.includes(action) ? [] : [action.startsWith('report') ? 'reportview' : 'view']),
  audited: ['name', 'group_id', 'connection', 'acls'],
  present: (group) => without(group, ...RECORDED_ALONE),
}
