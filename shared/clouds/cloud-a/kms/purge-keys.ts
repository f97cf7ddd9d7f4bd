import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import { Changes } from '../../../store/changes.ts'
import { cloudAKeys, placeOfKeys } from '../keys/store.ts'
import { cloudAKms } from './store.ts'
import { policyTemplates, templatesOf } from '../templates/store.ts'
import { containerPurges, type ContainerPurge } from './purge-store.ts'
import type { Stored } from '../../../store/entity.ts'
import { later, MINUTE_MS, type Sweep } from '../../../base/time.ts'
import { removeStoresOf } from '../key-stores/of-container.ts'

/** As many as one transaction removes, each with its rows and places. */
const ITEMS_A_TIME = 16
/** Ours: how long the request itself goes on removing; most entries are done with by then. */
const AT_ONCE_MS = 3_000
/** Ours: the sweeper comes when writes of requests that were under way have ended (29 seconds), and has the last look. */
const AFTER_MS = 2 * MINUTE_MS

/**
 * Stages that the records of an entry's keys and key stores in these regions go, with its templates when the entry itself
 * goes, and begins with it once that is committed. The cloud is left alone.
 */
export function planKeyPurge(context: Context, kmsId: string, regions: readonly string[]): void {
  const { caller, changes, now } = context
  const purge: ContainerPurge = {
    id: uuid(now),
    kms_id: kmsId,
    regions: [...regions],
    startAt: later(now, AFTER_MS).toISOString(),
  }
  changes.create(containerPurges, caller.domain.id, purge)
  context.afterwards(() => {
    const until = performance.now() + AT_ONCE_MS
    return removeBelongings(caller.domain.id, purge, { now, hasTime: () => performance.now() < until })
  })
}

/** Removes what is left, and then the purge itself. May be stopped anywhere and called again. */
export async function purgeContainer(
  domain: string,
  { item, rev }: Stored<ContainerPurge>,
  sweep: Sweep,
): Promise<void> {
  if (!(await removeBelongings(domain, item, sweep))) return
  const done = new Changes()
  done.remove(containerPurges, domain, { item, rev })
  await done.commit(sweep.now)
}

/** @returns whether it came to the end */
const removeBelongings = async (domain: string, purge: ContainerPurge, sweep: Sweep): Promise<boolean> =>
  (await removeKeys(domain, purge, sweep)) &&
  (await removeStoresOf(domain, purge, sweep)) &&
  (await removeTemplates(domain, purge, sweep))

/** @returns whether it came to the end */
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
 * A few keys of one region, unless the entry has been given the region again: then they are its keys.
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
  for (const key of await cloudAKeys.getMany(domain, ids)) changes.remove(cloudAKeys, domain, key)
  if (!changes.empty && kms !== undefined) changes.rely(cloudAKms, domain, kms)
  await changes.commit(now)
  return page.length < ITEMS_A_TIME ? undefined : page.at(-1)?.key
}

/** The templates of an entry that is gone. @returns whether all of them are */
async function removeTemplates(domain: string, { kms_id }: ContainerPurge, sweep: Sweep): Promise<boolean> {
  if ((await cloudAKms.get(domain, kms_id)) !== undefined) return true
  const ids = await templatesOf(domain, kms_id)
  for (let at = 0; at < ids.length; at += ITEMS_A_TIME) {
    if (!sweep.hasTime()) return false
    const changes = new Changes()
    for (const template of await policyTemplates.getMany(domain, ids.slice(at, at + ITEMS_A_TIME)))
      changes.remove(policyTemplates, domain, template)
    await changes.commit(sweep.now)
  }
  return true
}
