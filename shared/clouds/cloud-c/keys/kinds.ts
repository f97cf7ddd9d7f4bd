import type {
  CloudC,
  CloudCKeyRead,
  CloudCKeySpec,
  CloudCPlace,
  CloudCVersionRead,
  CloudCVersionSpec,
} from '../adapter/types.ts'
import { containerById } from '../../../cloud/containers/find-container.ts'
import { noLongerThere } from '../../../cloud/keys/find-key.ts'
import type { KeyKind } from '../../../cloud/keys/key-kind.ts'
import { followVersions, readAfter, type FollowsVersions } from '../../../cloud/keys/versions/record-versions.ts'
import type { VersionedTypes } from '../../../cloud/keys/versions/version-kind.ts'
import type { Context } from '../../../http/context.ts'
import { versionSortKey } from '../../../store/layout.ts'
import { cloudC, placeOf } from '../place.ts'
import { ringKind } from '../rings/ring-kind.ts'
import type { CloudCRingRow, StoredCloudCRing } from '../rings/store.ts'
import type { CloudCVersion } from '../versions/model.ts'
import { cloudCVersions, versionsOf, type CloudCVersionRow, type StoredCloudCVersion } from '../versions/store.ts'
import type { CloudCKey } from './model.ts'
import { auditView, gone, isAsRead, presentKey, primaryOf, refreshed, type WholeKey } from './records.ts'
import { cloudCKeys, type CloudCKeyRow, type StoredCloudCKey } from './store.ts'

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
  readonly whole: WholeKey
  readonly own: Omit<CloudC, 'test' | 'create' | 'upload' | 'read' | 'refs' | 'survey'>
  readonly version: StoredCloudCVersion
  readonly versionRow: CloudCVersionRow
  readonly versionShown: CloudCVersion
  readonly versionRead: CloudCVersionRead
  readonly versionSpec: CloudCVersionSpec
}

/** The action that lets a caller see the keys of a ring. */
export const VIEW = 'view'

/** The ring's place for a request. @throws Refusal NOT_FOUND when the ring is gone by now, STATE_CONFLICT */
export const reachRing = async (context: Pick<Context, 'caller' | 'now' | 'once'>, ringId: string) =>
  placeOf(context, (await containerById(ringKind, context.caller.domain.id, ringId)).item)

export const keyKind: KeyKind<CloudCTypes> = {
  service: 'cloud-c',
  entity: cloudCKeys,
  containers: ringKind,
  containerIdOf: ({ key_ring_id }) => key_ring_id,
  setOf: (ringId) => `ring:${ringId}`,
  viewOf: () => VIEW,
  nameOf: ({ cloud_c_params: { key_name } }) => key_name,
  auditView,
  showsUnchanged: true,
  honoursIfMatch: true,
  present: presentKey,
  assertManaged: (key) => {
    if (key.gone) throw noLongerThere()
  },
  cloud: cloudC,
  refOf: ({ cloud_c_params: { key_name } }) => key_name,
  reach: (context, { key_ring_id }) => reachRing(context, key_ring_id),
  readAfter: (context, place, key) => readAfter(versionKind, context, place, key),
  readRefused: async (context, key) => readAfter(versionKind, context, await reachRing(context, key.key_ring_id), key),
  refreshed: async (context, key, whole) => (await followVersions(versionKind, context, key, whole)).key,
}

/** States of a version whose material the cloud no longer has. */
const DESTROYED: ReadonlySet<string> = new Set([
  'DESTROYED',
  'PENDING_EXTERNAL_DESTRUCTION',
  'EXTERNAL_DESTRUCTION_FAILED',
])
const IMPORTED: ReadonlySet<string> = new Set(['PENDING_IMPORT', 'IMPORT_FAILED'])
const NUMBER = /^[1-9]\d{0,9}$/

/** Versions, which their cloud numbers from 1. */
export const versionKind: FollowsVersions<CloudCTypes> = {
  keys: keyKind,
  entity: cloudCVersions,
  cloud: cloudC,
  resource: 'cloud-c-key-version',
  familyOf: versionsOf,
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
  isAsRead,
  keyRead: refreshed,
  keyGone: gone,
}
