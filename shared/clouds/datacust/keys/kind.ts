import { defined, without } from '../../../base/fields.ts'
import type { VersionedKind, VersionedTypes, Whole } from '../../../cloud/keys/versions/kind.ts'
import { versionedKeys } from '../../../cloud/keys/versions/versioned-keys.ts'
import type { Stored } from '../../../store/entity.ts'
import type {
  DatacustKeyRead,
  DatacustKeySpec,
  DatacustPlace,
  DatacustVersionRead,
  DatacustVersionSpec,
} from '../adapter/types.ts'
import { datacust } from '../adapter.ts'
import { groupKind } from '../groups/kind.ts'
import type { DatacustGroupRow, StoredDatacustGroup } from '../groups/store.ts'
import { NAME } from '../name.ts'
import type { DatacustParam } from '../param.ts'
import { openGroup } from '../place.ts'
import type { DatacustVersion } from '../versions/model.ts'
import { datacustVersions, placeOf, type DatacustVersionRow, type StoredDatacustVersion } from '../versions/store.ts'
import type { DatacustKey } from './model.ts'
import { datacustKeys, groupSet, keysOfGroup, statusOf, type DatacustKeyRow, type StoredDatacustKey } from './store.ts'

/** The types of datacust's keys and their versions. */
export interface DatacustTypes extends VersionedTypes {
  readonly key: StoredDatacustKey
  readonly row: DatacustKeyRow
  readonly shown: DatacustKey
  readonly container: StoredDatacustGroup
  readonly containerRow: DatacustGroupRow
  readonly place: DatacustPlace
  readonly spec: DatacustKeySpec
  readonly read: DatacustKeyRead
  readonly whole: Whole<DatacustTypes>
  readonly version: StoredDatacustVersion
  readonly versionRow: DatacustVersionRow
  readonly versionShown: DatacustVersion
  readonly versionRead: DatacustVersionRead
  readonly versionSpec: DatacustVersionSpec
}

/** The action that lets a caller see the keys of a group. */
export const VIEW = 'view'

const AUDITED = ['type', 'size', 'operations', 'role', 'enabled', 'exportable', 'description'] as const

/** Description of a key that was created but cannot be read: derived from the request. */
const unreadable = (
  { group_id: groupId }: StoredDatacustGroup,
  id: string,
  { name, type, size, operations, description, exportable, role }: DatacustKeySpec,
): DatacustParam => ({
  id,
  name,
  groupId,
  type,
  size,
  operations: [...operations].sort(),
  enabled: false,
  ...defined({ description, exportable, role }),
})

const versioned = versionedKeys<DatacustTypes>({
  service: NAME,
  entity: datacustKeys,
  containers: groupKind,
  containerIdOf: ({ cckm_group_id }) => cckm_group_id,
  setOf: groupSet,
  familyOf: keysOfGroup,
  viewOf: () => VIEW,
  nameOf: ({ datacust_param: { name } }) => name,
  auditView: (key) => ({
    group: key.datacust_group_name,
    gone: key.gone,
    status: statusOf(key),
    version_count: key.version_count,
    ...defined({ local_key_id: key.local_key_id, rotation_job: key.labels }),
    ...Object.fromEntries(AUDITED.map((field) => [field, key.datacust_param[field]])),
  }),
  showsUnchanged: true,
  honoursIfMatch: true,
  cloud: datacust,
  refOf: ({ datacust_param: { id } }) => id,
  open: openGroup,
  // A key that cannot be finished has no material yet, or is unknown to every user.
  withdraw: (place, ref) => datacust.remove(place, ref),
  unreadable: (group, _home, ref, spec) => ({ key: { ref, param: unreadable(group, ref, spec) }, versions: [] }),
  versions: {
    entity: datacustVersions,
    resource: 'datacust-key-version',
    placeIn: (reference) => (/^\d{1,10}$/.test(reference) ? placeOf(reference) : undefined),
    refOf: ({ param: { version } }) => String(version),
    rowRefOf: ({ version }) => version,
    primaryOf: ({ datacust_param: { meta } }) =>
      meta?.primaryVersion === undefined ? undefined : String(meta.primaryVersion),
    paramOf: ({ param }) => param,
    followed: ({ param }) => ({ state: param.enabled ? 'ENABLED' : 'DISABLED', deleted: false, gone: false, param }),
    sourceFound: ({ param: { imported } }) => ({ key_material_origin: imported === false ? 'native' : 'unknown' }),
    present: ({ param, state: _state, deleted: _deleted, ...version }, { datacust_param: key }) => ({
      ...version,
      ...param,
      version_id: String(param.version),
      origin: version.key_material_origin,
      key_id: key.id,
      ...defined({ source_key_version: version.local_key_version }),
    }),
    keyFollowed: ({ param, kek_id }) => ({ datacust_param: param, deleted: false, ...defined({ kek_id }) }),
    withinContainer: ({ id, name, tenant, application_type, cloud_name }) => ({
      cloud_name,
      cckm_group_id: id,
      datacust_group_name: name,
      ...defined({ tenant, datacust_application: application_type }),
    }),
    originWithoutVersions: () => 'unknown',
    markOf: () => undefined, // the cloud's keys have no marks
  },
})

function presented({ item, rev }: Stored<Omit<StoredDatacustKey, 'versions_digest'>>): Stored<DatacustKey> {
  const { key_material_origin: origin, local_key_id, labels, datacust_param } = item
  const shown: DatacustKey = {
    ...without(item, 'deleted', 'kek_id'),
    status: statusOf(item),
    origin,
    auto_rotate: labels !== undefined,
    ...(local_key_id !== undefined && {
      source_key_identifier: local_key_id,
      source_key_type: datacust_param.type,
      source_key_tier: 'local' as const,
    }),
  }
  return { item: shown, rev }
}

/** Keys of groups, with their versions. */
export const keyKind: VersionedKind<DatacustTypes> = {
  ...versioned,
  present: (stored, container) =>
    presented(versioned.present(stored, container) as unknown as Stored<StoredDatacustKey>), // the record without its digest
}
