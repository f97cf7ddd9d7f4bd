import { defined } from '../../../base/fields.ts'
import { presentKey } from '../../../cloud/keys/versions/key-records.ts'
import type { Whole } from '../../../cloud/keys/versions/kind.ts'
import type { VersionedTypes } from '../../../cloud/keys/versions/kind.ts'
import { versionedKeys } from '../../../cloud/keys/versions/versioned-keys.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudDKeyRead, CloudDKeySpec, CloudDPlace, CloudDVersionRead } from '../adapter/types.ts'
import { cloudD } from '../adapter.ts'
import { assertAtCloud } from '../external/external.ts'
import { NAME } from '../name.ts'
import { KEY_TAG, type CloudDParam } from '../param.ts'
import { openVault } from '../place.ts'
import { vaultKind } from '../vaults/kind.ts'
import type { CloudDVaultRow, StoredCloudDVault } from '../vaults/store.ts'
import type { CloudDVersion } from '../versions/model.ts'
import { cloudDVersions, type CloudDVersionRow, type StoredCloudDVersion } from '../versions/store.ts'
import type { CloudDKey } from './model.ts'
import { cloudDKeys, keysOfVault, vaultSet, type CloudDKeyRow, type StoredCloudDKey } from './store.ts'

/** The types of cloud-d's keys and their versions. */
export interface CloudDTypes extends VersionedTypes {
  readonly key: StoredCloudDKey
  readonly row: CloudDKeyRow
  readonly shown: CloudDKey
  readonly container: StoredCloudDVault
  readonly containerRow: CloudDVaultRow
  readonly place: CloudDPlace
  readonly spec: CloudDKeySpec
  readonly read: CloudDKeyRead
  readonly whole: Whole<CloudDTypes>
  readonly version: StoredCloudDVersion
  readonly versionRow: CloudDVersionRow
  readonly versionShown: CloudDVersion
  readonly versionRead: CloudDVersionRead
  readonly versionSpec: object
}

/** The action that lets a caller see the keys of a vault, and external keys. */
export const VIEW = 'view'
export const VIEW_EXTERNAL = 'viewhyokkey'

const AUDITED = [
  'compartment_id',
  'current_key_version',
  'lifecycle_state',
  'time_of_deletion',
  'protection_mode',
  'algorithm',
  'length',
  'defined_tags',
  'freeform_tags',
] as const

/** Description of a key that was created but cannot be read: derived from the request. */
const unreadable = (
  { display_name, is_primary }: StoredCloudDVault,
  ref: string,
  { name, compartment_id, algorithm, length, ...spec }: CloudDKeySpec,
): CloudDParam => ({
  ...{ compartment_id, current_key_version: '', display_name: name, key_id: ref, algorithm, length },
  ...defined({ curve_id: spec.curve_id }),
  ...{ lifecycle_state: 'CREATING', time_created: '', vault_name: display_name },
  defined_tags: spec.defined_tags ?? {},
  freeform_tags: spec.freeform_tags ?? {},
  protection_mode: spec.protection_mode,
  is_primary,
})

/** A key as shown: an external one with its name, state and policy. */
function present({ item, rev }: Stored<StoredCloudDKey>, vault: StoredCloudDVault | undefined): Stored<CloudDKey> {
  const { item: shown } = presentKey({ item, rev }, vault)
  const { policy, policy_hash: _hash, hyok_key_params: external, ...key } = shown
  if (external === undefined) return { item: { ...key, refreshed_at: key.synced_at }, rev }
  const state = external.blocked ? 'DISABLED' : 'ENABLED'
  const name = key.cloud_d_params.display_name
  return { item: { ...key, hyok_key_params: { name, ...external, state, ...defined({ policy: policy?.text }) } }, rev }
}

const versioned = versionedKeys<CloudDTypes>({
  service: NAME,
  entity: cloudDKeys,
  containers: vaultKind,
  containerIdOf: ({ vault_resource_id }) => vault_resource_id,
  setOf: vaultSet,
  familyOf: keysOfVault,
  viewOf: ({ hyok_key_params: external }) => (external === undefined ? VIEW : VIEW_EXTERNAL),
  nameOf: ({ cloud_d_params: { display_name } }) => display_name,
  auditView: (key) => ({
    vault_id: key.vault_id,
    gone: key.gone,
    version_count: key.version_count,
    ...defined({ local_key_id: key.local_key_id, rotation_job: key.labels }),
    ...defined({ hyok_key_params: key.hyok_key_params, policy_hash: key.policy_hash }),
    ...Object.fromEntries(AUDITED.map((field) => [field, key.cloud_d_params[field]])),
  }),
  showsUnchanged: true,
  honoursIfMatch: true,
  cloud: cloudD,
  refOf: ({ cloud_d_params: { key_id } }) => key_id,
  open: openVault,
  withdraw: (place, ref) => cloudD.disable(place, ref),
  unreadable: (vault, _home, ref, spec) => ({ key: { ref, param: unreadable(vault, ref, spec) }, versions: [] }),
  versions: {
    entity: cloudDVersions,
    resource: 'cloud-d-key-version',
    placeIn: (reference) => (reference.startsWith('ocid1.') ? reference : undefined),
    refOf: ({ param: { version_id } }) => version_id,
    rowRefOf: ({ version_id }) => version_id,
    primaryOf: ({ cloud_d_params: { current_key_version: current } }) => (current === '' ? undefined : current),
    paramOf: ({ param }) => param,
    followed: ({ param }) => ({
      state: param.lifecycle_state,
      deleted: param.lifecycle_state === 'DELETED',
      gone: false,
      param,
    }),
    sourceFound: ({ param: { origin } }) => ({ key_material_origin: origin === 'EXTERNAL' ? 'unknown' : 'native' }),
    present: (
      { param, state: _state, deleted: _deleted, ...version },
      { cloud_d_params: key, hyok_key_params: external },
    ) => ({
      ...version,
      ...param,
      key_id: key.key_id,
      is_current: key.current_key_version === param.version_id,
      is_primary: key.is_primary,
      rotation_type: external !== undefined ? 'external' : param.origin === 'EXTERNAL' ? 'byok' : 'native',
    }),
    keyFollowed: ({ param }) => ({ cloud_d_params: param }),
    withinContainer: ({ id, vault_id, tenancy, region, cloud_name }) => ({
      cloud_name,
      vault_id,
      vault_resource_id: id,
      tenancy,
      region,
    }),
    originWithoutVersions: () => 'unknown',
    markOf: ({ param: { freeform_tags } }) => freeform_tags[KEY_TAG],
  },
})

/** Keys of vaults, with their versions. */
export const keyKind: typeof versioned = {
  ...versioned,
  present,
  assertManaged: (key) => {
    assertAtCloud(key)
    versioned.assertManaged(key)
  },
}
