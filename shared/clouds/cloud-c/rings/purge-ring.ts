import type { Sweep } from '../../../base/time.ts'
import { purging } from '../../../cloud/containers/purge.ts'
import type { Context } from '../../../http/context.ts'
import { Changes } from '../../../store/changes.ts'
import { cloudCKeys, keysOfRing } from '../keys/store.ts'
import { cloudCVersions, versionsOf } from '../versions/store.ts'
import { ringPurges } from './purge-store.ts'

/** As many as one transaction removes, each with its place. */
const VERSIONS_A_TIME = 40

const purge = purging(ringPurges, async (domain, { ring_id }, { now, hasTime }: Sweep) => {
  for (;;) {
    const [first] = await cloudCKeys.membersAfter(domain, keysOfRing(ring_id), undefined, 1)
    if (first === undefined) return true
    do {
      if (!hasTime()) return false
    } while (await removeSomeOfKey(domain, first.id, now))
  }
})

/** Stages that the records of a ring's keys go; their removal begins once that is committed. The cloud is left alone. */
export const planRingPurge = (context: Context, ringId: string): void => purge.plan(context, { ring_id: ringId })

/** Removes what is left, and then the purge itself. May be stopped anywhere and called again. */
export const purgeRing = purge.goOn

/** Removes a key's versions, some at a time, and after them the key. @returns whether there was any */
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
