import type { Context } from '../../../http/context.ts'
import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { Changes } from '../../../store/changes.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import type { ContainerPurge } from '../kms/purge-store.ts'
import { customKeyStores, storesOf, type StoredCustomKeyStore } from './store.ts'
import type { Broken, Stored } from '../../../store/entity.ts'
import type { Sweep } from '../../../base/time.ts'
import { removeStore } from './records.ts'

/** Stores of a container in some of its regions. Two reads, and one more for each 100 stores. */
async function storesIn(
  domain: string,
  kmsId: string,
  regions: readonly string[],
  broken?: Broken,
): Promise<Stored<StoredCustomKeyStore>[]> {
  const stores = await customKeyStores.getMany(domain, await storesOf(domain, kmsId), broken)
  return stores.filter(({ item, damage }) => regions.includes((damage?.was ?? item).region))
}

const localStoresIn = async (domain: string, kmsId: string, regions: readonly string[]) =>
  (await storesIn(domain, kmsId, regions)).filter(({ item }) => item.type === 'LOCAL')

/**
 * Prevents archiving a container while stores in it serve the cloud: an archived container would refuse every call.
 * @throws Refusal IN_USE
 */
export async function assertNothingServed(
  { caller }: Pick<Context, 'caller'>,
  { id, name, regions }: StoredCloudAKms,
): Promise<void> {
  const stores = await localStoresIn(caller.domain.id, id, regions)
  const served = stores.filter(({ item }) => item.local_hosted_params?.blocked !== true)
  const [first] = served
  if (first === undefined) return
  throw new Refusal(
    'IN_USE',
    `The KMS entry ${name} has ${counted(served.length, 'custom key store that answers', 'custom key stores that answer')} the cloud, such as ${first.item.name}: block every such store first.`,
  )
}

/**
 * Prevents the removal of regions of a container while they contain stores that this service serves, linked or not:
 * their keys would be lost. Ours: records of other stores are removed with their region, like those of keys.
 * @throws Refusal IN_USE
 */
export async function assertNoStoresOfOurs(
  { caller }: Pick<Context, 'caller'>,
  { id, name }: StoredCloudAKms,
  regions: readonly string[],
): Promise<void> {
  const ours = await localStoresIn(caller.domain.id, id, regions)
  const [first] = ours
  if (first === undefined) return
  const { item: store } = first
  throw new Refusal(
    'IN_USE',
    `The KMS entry ${name} has ${counted(ours.length, 'custom key store that is', 'custom key stores that are')} served from here, such as ${store.name} in ${store.region}: delete every such store first.`,
  )
}

/** Stores that one transaction removes, each with its list rows and family items. */
const STORES_A_TIME = 10

/** Removes the records of stores in regions that their container no longer has. @returns whether it finished */
export async function removeStoresOf(
  domain: string,
  { kms_id, regions }: ContainerPurge,
  { now, hasTime }: Sweep,
): Promise<boolean> {
  const kms = await cloudAKms.get(domain, kms_id)
  const dropped = regions.filter((region) => kms?.item.regions.includes(region) !== true)
  const stores =
    kms === undefined
      ? await customKeyStores.getMany(domain, await storesOf(domain, kms_id), 'salvage') // a damaged one may lack its region
      : await storesIn(domain, kms_id, dropped, 'salvage')
  for (let at = 0; at < stores.length; at += STORES_A_TIME) {
    if (!hasTime()) return false
    const changes = new Changes()
    for (const store of stores.slice(at, at + STORES_A_TIME)) removeStore(changes, domain, store)
    if (kms !== undefined) changes.rely(cloudAKms, domain, kms)
    await changes.commit(now)
  }
  return true
}
