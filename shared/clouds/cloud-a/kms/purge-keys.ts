import type { Context } from '../../../http/context.ts'
import { sweptWork } from '../../../cloud/containers/swept-work.ts'
import { Changes } from '../../../store/changes.ts'
import { cloudAKeys, placeOfKeys } from '../keys/store.ts'
import { cloudAKms, type StoredCloudAKms } from './store.ts'
import { policyTemplates, templatesOf, templatesOfKms } from '../templates/store.ts'
import { assertMayEach } from '../../../cloud/containers/going-records.ts'
import { customKeyStores, storesOfKms } from '../key-stores/store.ts'
import { containerPurges, PURGE_DUE, type ContainerPurge } from './purge-store.ts'
import type { Sweep } from '../../../base/time.ts'
import { removeStoresOf } from '../key-stores/of-container.ts'

/** Items that one transaction removes, each with its list rows and family items. */
const ITEMS_A_TIME = 16

const purge = sweptWork(
  PURGE_DUE,
  containerPurges,
  async (domain, of, sweep) =>
    (await removeKeys(domain, of, sweep)) &&
    (await removeStoresOf(domain, of, sweep)) &&
    (await removeTemplates(domain, of, sweep)),
)

/**
 * Stages the removal of an entry's keys and key stores in these regions, and of its templates when the entry itself is
 * removed; it begins after the commit. The cloud does not change.
 * @throws Refusal ACTION_DENIED when policies deny the deletion of one of them
 */
export async function planKeyPurge(context: Context, kmsId: string, regions: readonly string[]): Promise<void> {
  for (const region of regions)
    await assertMayEach(context, {
      entity: cloudAKeys,
      family: placeOfKeys(kmsId, region),
      action: 'DeleteCloudAKey',
    })
  await assertMayEach(context, {
    entity: customKeyStores,
    family: storesOfKms(kmsId),
    concerned: ({ region }) => regions.includes(region),
    action: 'DeleteCloudACustomKeyStore',
  })
  purge.plan(context, { kms_id: kmsId, regions: [...regions] })
}

/** The same for an entry that is removed: its templates go as well. @throws Refusal ACTION_DENIED */
export async function planPurge(context: Context, { id, regions }: StoredCloudAKms): Promise<void> {
  const templates = { entity: policyTemplates, family: templatesOfKms(id), action: 'DeleteCloudAPolicyTemplate' }
  await assertMayEach(context, templates)
  await planKeyPurge(context, id, regions)
}

export const keyPurgeSweep = purge.sweep

/** @returns whether it finished */
async function removeKeys(domain: string, { kms_id, regions }: ContainerPurge, sweep: Sweep): Promise<boolean> {
  for (const region of regions) {
    let after: string | undefined
    do {
      if (!sweep.hasTime()) return false
      after = await removePage(domain, kms_id, region, after, sweep.now)
    } while (after !== undefined)
  }
  return true
}

/**
 * Removes a few keys of one region, unless the region was added to the entry again: then they are its keys.
 * @returns where the next page begins; `undefined` at the end
 */
async function removePage(
  domain: string,
  kmsId: string,
  region: string,
  after: string | undefined,
  now: Date,
): Promise<string | undefined> {
  const kms = await cloudAKms.get(domain, kmsId)
  if (kms?.item.regions.includes(region)) return undefined
  const page = await cloudAKeys.membersAfter(domain, placeOfKeys(kmsId, region), after, ITEMS_A_TIME)
  const changes = new Changes()
  const ids = page.map(({ id }) => id)
  for (const key of await cloudAKeys.getMany(domain, ids, 'salvage')) changes.remove(cloudAKeys, domain, key)
  if (!changes.empty && kms !== undefined) changes.rely(cloudAKms, domain, kms)
  await changes.commit(now)
  return page.length < ITEMS_A_TIME ? undefined : page.at(-1)?.key
}

/** Removes the templates of a deleted entry. @returns whether all are removed */
async function removeTemplates(domain: string, { kms_id }: ContainerPurge, sweep: Sweep): Promise<boolean> {
  if ((await cloudAKms.get(domain, kms_id)) !== undefined) return true
  const ids = await templatesOf(domain, kms_id)
  for (let at = 0; at < ids.length; at += ITEMS_A_TIME) {
    if (!sweep.hasTime()) return false
    const changes = new Changes()
    for (const template of await policyTemplates.getMany(domain, ids.slice(at, at + ITEMS_A_TIME), 'salvage'))
      changes.remove(policyTemplates, domain, template)
    await changes.commit(sweep.now)
  }
  return true
}
