import type { SimulatedKeyView } from '../../infra/simulators/cloud-a/simulator.ts'
import { ROOT_DOMAIN_ID, uuid } from '../../shared/base/ids.ts'
import { keyUri } from '../../shared/clouds/cloud-a/keys/records.ts'
import { cloudAKeys, placeOfKeys, type StoredCloudAKey } from '../../shared/clouds/cloud-a/keys/store.ts'
import { createRecords, firstRecord } from '../records.ts'
import type { SimulatedCloudA } from './simulated.ts'

/** Creates records like the existing one. @param kmsId id of the KMS entry */
export async function recordKeys(cloud: SimulatedCloudA, region: string, kmsId: string): Promise<void> {
  const template = await firstRecord(cloudAKeys, placeOfKeys(kmsId, region))
  const { KeyID } = template.cloud_a_param
  const keys = (await cloud.keysIn(region)).filter(({ id }) => id !== KeyID)
  await createRecords(cloudAKeys, keys, (key, now) => recordLike(template, key, uuid(now)))
}

const recordLike = (template: StoredCloudAKey, key: SimulatedKeyView, id: string): StoredCloudAKey => ({
  ...template,
  id,
  uri: keyUri(ROOT_DOMAIN_ID, id),
  cloud_a_param: {
    ...template.cloud_a_param,
    KeyID: key.id,
    Arn: key.arn,
    Description: key.description,
    CurrentKeyMaterialId: key.materials[0]?.id,
    Alias: key.aliases.map((alias) => alias.replace('alias/', '')),
    Tags: Object.entries(key.tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
    // the policy is the account's default, the same for all
  },
})
