import type { SimulatedKeyView } from '../infra/simulators/cloud-a/simulator.ts'
import { keyUri } from '../shared/clouds/cloud-a/keys/records.ts'
import { ROOT_DOMAIN_ID, uuid } from '../shared/base/ids.ts'
import { Changes, TRANSACTION_WRITES } from '../shared/store/changes.ts'
import { cloudAKeys, placeOfKeys, type StoredCloudAKey } from '../shared/clouds/cloud-a/keys/store.ts'
import { tidyRank } from '../shared/store/rank.ts'
import type { CloudService } from './cloud-service.ts'

const SIDE_BY_SIDE = 2
/** The item, its rows in two sets and its place in its region; the rank takes one write in all. */
const A_COMMIT = Math.floor((TRANSACTION_WRITES - 1) / 4)

/**
 * Keys at the cloud, and the records of them that a first synchronization would leave: one key is synchronized, the
 * other records are like its, and go in through the store's own writes.
 */
export async function seedCloudKeys(service: CloudService, region: string, count: number): Promise<void> {
  const { cloud, kmsId } = service
  await cloud.seed(region, 1)
  await service.synchronize(region)
  const members = await cloudAKeys.membersAfter(ROOT_DOMAIN_ID, placeOfKeys(kmsId, region), undefined, 1)
  const [template] = await cloudAKeys.getMany(
    ROOT_DOMAIN_ID,
    members.map(({ id }) => id),
  )
  if (template === undefined) throw new Error('The first key was not recorded')
  await cloud.seed(region, count)
  const { KeyID } = template.item.cloud_a_param
  const keys = (await cloud.keysIn(region)).filter(({ id }) => id !== KeyID)
  let next = 0
  const now = new Date()
  const worker = async (): Promise<void> => {
    while (next < keys.length) {
      const some = keys.slice(next, (next += A_COMMIT))
      const changes = new Changes()
      for (const key of some) changes.create(cloudAKeys, ROOT_DOMAIN_ID, recordLike(template.item, key, uuid(now)))
      await changes.commit(now)
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
  await tidyRank(ROOT_DOMAIN_ID, cloudAKeys.name)
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
    // the policy is the default one of the account, the same for all
  },
})
