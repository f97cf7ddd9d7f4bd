import type { SimulatedKeyView } from '../../infra/simulators/cloud-d/simulator.ts'
import { resourceUri, ROOT_DOMAIN_ID, uuid } from '../../shared/base/ids.ts'
import { digestOf } from '../../shared/cloud/keys/versions/compare-versions.ts'
import { versionsOf } from '../../shared/cloud/keys/versions/entity.ts'
import { cloudDKeys, keysOfVault, type StoredCloudDKey } from '../../shared/clouds/cloud-d/keys/store.ts'
import { cloudDVersions, type StoredCloudDVersion } from '../../shared/clouds/cloud-d/versions/store.ts'
import { createRecords, firstRecord } from '../records.ts'
import type { SimulatedCloudD } from './simulated.ts'

const uriOf = (resource: string, id: string): string => resourceUri(ROOT_DOMAIN_ID, 'keymgr', resource, id)

/** Creates records of keys and versions like the existing ones. @param vaultId id of the vault's record */
export async function recordKeys(cloud: SimulatedCloudD, vault: string, vaultId: string): Promise<void> {
  const template = await firstRecord(cloudDKeys, keysOfVault(vaultId))
  const version = await firstRecord(cloudDVersions, versionsOf(template.id))
  const others = (await cloud.keysIn(vault)).filter(({ id }) => id !== template.cloud_d_params.key_id)
  const keys = others.map((key) => ({ key, id: uuid(new Date()), version: versionLike(version, key) }))
  await createRecords(cloudDKeys, keys, (one) => keyLike(template, one))
  await createRecords(cloudDVersions, keys, ({ id: parent_key_id, version: like }, now) => {
    const id = uuid(now)
    return { ...like, id, parent_key_id, uri: uriOf('cloud-d-key-version', id) }
  })
}

function versionLike(template: StoredCloudDVersion, { current }: SimulatedKeyView): StoredCloudDVersion {
  return { ...template, param: { ...template.param, version_id: current } }
}

function keyLike(
  template: StoredCloudDKey,
  { key, id, version }: { readonly key: SimulatedKeyView; readonly id: string; readonly version: StoredCloudDVersion },
): StoredCloudDKey {
  return {
    ...template,
    id,
    uri: uriOf('cloud-d-key', id),
    versions_digest: digestOf([{ ref: key.current, param: version.param }]),
    cloud_d_params: {
      ...template.cloud_d_params,
      ...{ key_id: key.id, display_name: key.displayName, current_key_version: key.current },
      freeform_tags: key.freeformTags,
    },
  }
}
