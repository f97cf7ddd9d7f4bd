import type { SimulatedKeyView } from '../../infra/simulators/cloud-b/simulator.ts'
import { resourceUri, ROOT_DOMAIN_ID, uuid } from '../../shared/base/ids.ts'
import { versionsIn } from '../../shared/clouds/cloud-b/items/item.ts'
import { cloudBKeys, type StoredCloudBKey } from '../../shared/clouds/cloud-b/keys/store.ts'
import { createRecords, firstRecord } from '../records.ts'
import type { SimulatedCloudB } from './simulated.ts'

/** Creates records like the existing one. @param vaultId id of the vault's record */
export async function recordKeys(cloud: SimulatedCloudB, vault: string, vaultId: string): Promise<void> {
  const template = await firstRecord(cloudBKeys, versionsIn(vaultId))
  const keys = (await cloud.keysIn(vault)).filter(({ name }) => name !== template.key_name)
  await createRecords(cloudBKeys, keys, (key, now) => recordLike(template, key, uuid(now)))
}

/** Ours: keeps the template's public key, because lists do not contain public keys. */
function recordLike(template: StoredCloudBKey, { name, versions }: SimulatedKeyView, id: string): StoredCloudBKey {
  const [version] = versions
  if (version === undefined) throw new Error(`${name} has no version`)
  const { cloud_b_param: param, key_name, version: ofTemplate } = template
  const kid = param.key.kid.replace(`/${key_name}/${ofTemplate}`, `/${name}/${version.id}`)
  return {
    ...template,
    id,
    uri: resourceUri(ROOT_DOMAIN_ID, 'keymgr', 'cloud-b-key', id),
    key_name: name,
    version: version.id,
    cloud_b_param: { ...param, key: { ...param.key, kid }, tags: { ...version.tags } },
  }
}
