import { defined, picked, sameFields, without } from '../../../base/fields.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { noLongerThere } from '../../../cloud/keys/find-key.ts'
import type { KeyKind, KeyTypes } from '../../../cloud/keys/kind.ts'
import type { DatacustPlace, DatacustReferenceRead, DatacustReferenceSpec } from '../adapter/types.ts'
import { datacustReferences } from '../adapter.ts'
import { groupKind } from '../groups/kind.ts'
import type { DatacustGroupRow, StoredDatacustGroup } from '../groups/store.ts'
import { datacustKeys, keysOfGroup } from '../keys/store.ts'
import { NAME } from '../name.ts'
import { openGroup } from '../place.ts'
import type { DatacustReference } from './model.ts'
import {
  datacustReferenceRecords,
  referenceSet,
  referencesOfGroup,
  type DatacustReferenceRow,
  type StoredDatacustReference,
} from './store.ts'

/** The types of dynamic references. */
export interface ReferenceTypes extends KeyTypes {
  readonly key: StoredDatacustReference
  readonly row: DatacustReferenceRow
  readonly shown: DatacustReference
  readonly container: StoredDatacustGroup
  readonly containerRow: DatacustGroupRow
  readonly place: DatacustPlace
  readonly spec: DatacustReferenceSpec
  readonly read: DatacustReferenceRead
  readonly whole: DatacustReferenceRead
}

/** The record of a key of a group, if it has one. */
async function keyOf(
  domain: string,
  group: string,
  { param }: DatacustReferenceRead,
): Promise<Pick<StoredDatacustReference, 'key_id' | 'key_name'>> {
  const ref = param.datacust_key_id
  const id = (await datacustKeys.membersBy(domain, keysOfGroup(group), [ref])).get(ref)
  const key = id === undefined ? undefined : (await datacustKeys.get(domain, id))?.item
  return defined({ key_id: key?.id, key_name: key?.datacust_param.name })
}

/** The record of a reference that was made or found. */
export const referenceRecord = async (
  domain: string,
  group: StoredDatacustGroup,
  read: DatacustReferenceRead,
  id: string,
  now: Date,
): Promise<StoredDatacustReference> => ({
  ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'datacust-reference', id), now),
  cloud_name: group.cloud_name,
  ...defined({ tenant: group.tenant }),
  cckm_group_id: group.id,
  datacust_group_name: group.name,
  ...read.param,
  ...(await keyOf(domain, group.id, read)),
  gone: false,
  synced_at: now.toISOString(),
})

/** The record with the cloud's present description; the same object when nothing changed. */
export async function refreshedReference(
  domain: string,
  record: StoredDatacustReference,
  read: DatacustReferenceRead | undefined,
  now: Date,
): Promise<StoredDatacustReference> {
  const at = { synced_at: now.toISOString(), updatedAt: now.toISOString() }
  if (read === undefined) return record.gone ? record : { ...record, gone: true, ...at }
  const key = await keyOf(domain, record.cckm_group_id, read)
  const after = { ...without(record, 'unread', 'key_id', 'key_name'), ...read.param, ...key, gone: false }
  return sameFields<StoredDatacustReference>(record, after) ? record : { ...after, ...at }
}

/** Dynamic references of groups. They are kept like keys: made at the cloud, found there, and gone from there. */
export const referenceKind: KeyKind<ReferenceTypes> = {
  service: NAME,
  noun: 'dynamic reference',
  entity: datacustReferenceRecords,
  containers: groupKind,
  containerIdOf: ({ cckm_group_id }) => cckm_group_id,
  setOf: referenceSet,
  familyOf: referencesOfGroup,
  viewOf: () => 'view',
  nameOf: ({ name }) => name,
  auditView: (reference) =>
    picked(reference, 'datacust_group_name', 'key_name', 'datacust_key_id', 'allow_underlying_key_exchange', 'gone'),
  honoursIfMatch: true,
  present: ({ item, rev }) => ({ item: without(item, 'unread'), rev }),
  assertManaged: ({ gone }) => {
    if (gone) throw noLongerThere()
  },
  cloud: datacustReferences,
  refOf: ({ reference_id }) => reference_id,
  open: openGroup,
  read: async (place, ref) => datacustReferences.read(place, ref),
  wholeOf: (_place, read) => read,
  made: ({ caller, now }, group, read, { id }) => referenceRecord(caller.domain.id, group, read, id, now),
  refreshed: ({ caller, now }, record, read) => refreshedReference(caller.domain.id, record, read ?? undefined, now),
  // A reference that cannot be finished is deleted: no application uses it yet.
  withdraw: (place, ref) => datacustReferences.remove(place, ref),
  unreadable: (_group, _home, ref, spec) => ({ ref, param: { reference_id: ref, ...spec } }),
}
