import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import { Changes } from '../../../store/changes.ts'
import { cloudCKeys, keysOfRing } from '../keys/store.ts'
import { ringPurges, type RingPurge } from './purge-store.ts'
import { cloudCVersions, versionsOf } from '../versions/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { later, MINUTE_MS, type Sweep } from '../../../base/time.ts'

/** As many as one transaction removes, each with its place. */
const VERSIONS_A_TIME = 40
/** Ours: how long the request itself goes on removing; most rings are done with by then. */
const AT_ONCE_MS = 3_000
/** Ours: the sweeper comes when writes of requests that were under way have ended (29 seconds), and has the last look. */
const AFTER_MS = 2 * MINUTE_MS

/** Stages that the records of a ring's keys go, and begins with it once that is committed. The cloud is left alone. */
export function planRingPurge(context: Context, ringId: string): void {
  const { caller, changes, now } = context
  const purge: RingPurge = { id: uuid(now), ring_id: ringId, startAt: later(now, AFTER_MS).toISOString() }
  changes.create(ringPurges, caller.domain.id, purge)
  context.afterwards(() => {
    const until = performance.now() + AT_ONCE_MS
    return removeKeys(caller.domain.id, ringId, { now, hasTime: () => performance.now() < until })
  })
}

/** Removes what is left, and then the purge itself. May be stopped anywhere and called again. */
export async function purgeRing(domain: string, { item, rev }: Stored<RingPurge>, sweep: Sweep): Promise<void> {
  if (!(await removeKeys(domain, item.ring_id, sweep))) return
  const done = new Changes()
  done.remove(ringPurges, domain, { item, rev })
  await done.commit(sweep.now)
}

/** @returns whether it came to the end */
async function removeKeys(domain: string, ringId: string, { now, hasTime }: Sweep): Promise<boolean> {
  for (;;) {
    const [first] = await cloudCKeys.membersAfter(domain, keysOfRing(ringId), undefined, 1)
    if (first === undefined) return true
    do {
      if (!hasTime()) return false
    } while (await removeSomeOfKey(domain, first.id, now))
  }
}

/** A key's versions, some at a time, and when there are none left, the key. @returns whether there was any */
export async function removeSomeOfKey(domain: string, keyId: string, now: Date): Promise<boolean> {
  const key = await cloudCKeys.get(domain, keyId)
  if (key === undefined) return false
  const changes = new Changes()
  const members = await cloudCVersions.membersAfter(domain, versionsOf(keyId), undefined, VERSIONS_A_TIME)
  const ids = members.map(({ id }) => id)
  for (const version of await cloudCVersions.getMany(domain, ids)) changes.remove(cloudCVersions, domain, version)
  if (members.length < VERSIONS_A_TIME) changes.remove(cloudCKeys, domain, key)
  await changes.commit(now)
  return true
}
