import * as z from 'zod'
import type { Sweep } from '../../../base/time.ts'
import type { Context } from '../../../http/context.ts'
import { Changes } from '../../../store/changes.ts'
import type { Entity } from '../../../store/entity.ts'
import { pageOf } from '../../../store/list.ts'
import { removing, type PurgeStep } from '../../../store/remove-some.ts'
import { sweptEntity, sweptWork } from '../../containers/swept-work.ts'
import { versionsOf } from './entity.ts'

/** The records of keys with versions, and the name under which the purges of a container's keys are stored. */
interface Purged<K extends { readonly id: string }, KR, V, VR> {
  readonly name: string
  /** the field that holds the container's id */
  readonly field: string
  readonly due: string
  readonly keys: Entity<K, KR>
  readonly versions: Entity<V, VR>
  readonly keysIn: (containerId: string) => string
  /** Removes some other records of a container. @returns whether there were any */
  readonly others?: (domain: string, containerId: string, now: Date) => Promise<boolean>
}

/** Versions that one transaction removes, each with its position. */
const VERSIONS_A_TIME = 40

/**
 * The removal of keys with their versions, when their container or their whole domain is removed. It does not change
 * the cloud.
 */
export function versionedPurge<K extends { readonly id: string }, KR, V, VR>({
  name,
  field,
  due,
  keys,
  versions,
  keysIn,
  others = () => Promise.resolve(false),
}: Purged<K, KR, V, VR>) {
  const purges = sweptEntity<Record<string, z.ZodString>>(name, due, { [field]: z.string() })
  /** Removes a key's versions, some at a time, and then the key. @returns whether there was any */
  const removeSomeOfKey = async (domain: string, keyId: string, now: Date): Promise<boolean> => {
    const [key] = await keys.getMany(domain, [keyId], 'salvage')
    if (key === undefined) return false
    const changes = new Changes()
    const members = await versions.membersAfter(domain, versionsOf(keyId), undefined, VERSIONS_A_TIME)
    const ids = members.map(({ id }) => id)
    for (const version of await versions.getMany(domain, ids, 'salvage')) changes.remove(versions, domain, version)
    if (members.length < VERSIONS_A_TIME) changes.remove(keys, domain, key)
    await changes.commit(now)
    return true
  }
  const { plan, sweep } = sweptWork(due, purges, async (domain, purge, { now, hasTime }: Sweep) => {
    const container = purge[field] ?? ''
    const family = keysIn(container)
    do {
      if (!hasTime()) return false
    } while (await others(domain, container, now))
    for (let after: string | undefined; ;) {
      const [next] = await keys.membersAfter(domain, family, after, 1)
      if (next === undefined) return true
      do {
        if (!hasTime()) return false
      } while (await removeSomeOfKey(domain, next.id, now))
      after = next.key // a key whose record was damaged may leave its position
    }
  })
  const removingKeys: PurgeStep = async (domain, now) => {
    const [key] = (await pageOf(keys, domain, 'all', { skip: 0, limit: 1, broken: 'salvage' })).items
    return key !== undefined && removeSomeOfKey(domain, key.damage?.id ?? key.item.id, now)
  }
  return {
    /** Stages the removal of the records of a container's keys, which begins after the commit. */
    plan: (context: Context, containerId: string): void => plan(context, { [field]: containerId }),
    /** Continues an unfinished removal. */
    sweep,
    /** The purge of a deleted domain. */
    steps: [removingKeys, removing(purges, 'all')] satisfies readonly PurgeStep[],
  }
}
