import { defined } from '../../../base/fields.ts'
import type {
  CloudCKeyRead,
  CloudCKeySpec,
  CloudCPlace,
  CloudCVersionRead,
  CloudCVersionSpec,
} from '../adapter/types.ts'
import type { VersionedTypes, Whole } from '../../../cloud/keys/versions/kind.ts'
import { versionedKeys } from '../../../cloud/keys/versions/versioned-keys.ts'
import { versionSortKey } from '../../../store/layout.ts'
import { KEY_LABEL } from '../param.ts'
import { cloudC } from '../adapter.ts'
import { openRing } from '../place.ts'
import { ringKind } from '../rings/kind.ts'
import type { CloudCRingRow, StoredCloudCRing } from '../rings/store.ts'
import type { CloudCVersion } from '../versions/model.ts'
import { cloudCVersions, type CloudCVersionRow, type StoredCloudCVersion } from '../versions/store.ts'
import { NAME } from '../name.ts'
import { NO_PRIMARY, type CloudCKey } from './model.ts'
import { cloudCKeys, keysOfRing, type CloudCKeyRow, type StoredCloudCKey } from './store.ts'

/** The types of cloud-c's keys and their versions. */
export interface CloudCTypes extends VersionedTypes {
  readonly key: StoredCloudCKey
  readonly row: CloudCKeyRow
  readonly shown: CloudCKey
  readonly container: StoredCloudCRing
  readonly containerRow: CloudCRingRow
  readonly place: CloudCPlace
  readonly spec: CloudCKeySpec
  readonly read: CloudCKeyRead
  readonly whole: Whole<CloudCTypes>
  readonly version: StoredCloudCVersion
  readonly versionRow: CloudCVersionRow
  readonly versionShown: CloudCVersion
  readonly versionRead: CloudCVersionRead
  readonly versionSpec: CloudCVersionSpec
}

/** The action that lets a caller see the keys of a ring. */
export const VIEW = 'view'

/** Number of a key's primary version, if it has one. */
export const primaryOf = ({ cloud_c_params: { primary } }: StoredCloudCKey): string | undefined =>
  primary?.slice(primary.lastIndexOf('/') + 1)

const AUDITED = ['purpose', 'primary', 'rotation_period', 'next_rotation_time', 'labels', 'version_template'] as const

/** States of a version whose material the cloud no longer has. */
const DESTROYED: ReadonlySet<string> = new Set([
  'DESTROYED',
  'PENDING_EXTERNAL_DESTRUCTION',
  'EXTERNAL_DESTRUCTION_FAILED',
])
const IMPORTED: ReadonlySet<string> = new Set(['PENDING_IMPORT', 'IMPORT_FAILED'])
const NUMBER = /^[1-9]\d{0,9}$/

/** Keys of key rings, with their versions, which the cloud numbers from 1. */
export const keyKind = versionedKeys<CloudCTypes>({
  service: NAME,
  entity: cloudCKeys,
  containers: ringKind,
  containerIdOf: ({ key_ring_id }) => key_ring_id,
  setOf: (ringId) => `ring:${ringId}`,
  familyOf: keysOfRing,
  viewOf: () => VIEW,
  nameOf: ({ cloud_c_params: { key_name } }) => key_name,
  auditView: (key) => ({
    key_ring: key.key_ring,
    state: key.state,
    gone: key.gone,
    version_count: key.version_count,
    create_status: key.create_status,
    ...defined({ local_key_id: key.local_key_id, rotation_job: key.labels }),
    ...Object.fromEntries(AUDITED.map((field) => [field, key.cloud_c_params[field]])),
  }),
  showsUnchanged: true,
  honoursIfMatch: true,
  cloud: cloudC,
  refOf: ({ cloud_c_params: { key_name } }) => key_name,
  open: openRing,
  versions: {
    entity: cloudCVersions,
    resource: 'cloud-c-key-version',
    placeIn: (reference) => (NUMBER.test(reference) ? versionSortKey(Number(reference)) : undefined),
    refOf: ({ cloud_c_params: { version } }) => version,
    rowRefOf: ({ number }) => number,
    primaryOf,
    paramOf: ({ cloud_c_params }) => cloud_c_params,
    followed: ({ param }) => ({
      state: param.state,
      deleted: DESTROYED.has(param.state),
      gone: false,
      cloud_c_params: param,
    }),
    sourceFound: ({ param }) => ({
      key_material_origin: param.import_time !== undefined || IMPORTED.has(param.state) ? 'unknown' : 'native',
    }),
    present: (version, key) => ({
      ...version,
      version_id: version.id,
      parent_key_name: key.cloud_c_params.name,
      is_primary: primaryOf(key) === version.cloud_c_params.version,
    }),
    keyFollowed: ({ param, primary }) => ({ cloud_c_params: param, state: primary?.param.state ?? NO_PRIMARY }),
    withinContainer: ({ id, name, key_ring_id, project_id, location, cloud_name, organization_name }) => ({
      cloud_name,
      key_ring: name,
      key_ring_id: id,
      key_ring_name: key_ring_id,
      project_id,
      location_id: location,
      ...defined({ organization_name }),
    }),
    originWithoutVersions: ({ cloud_c_params: { import_only } }) => (import_only ? 'unknown' : 'native'),
    markOf: ({ param: { labels } }) => labels[KEY_LABEL],
  },
})
