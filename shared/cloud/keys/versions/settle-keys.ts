import { isOfCredentials } from '../../../base/attempts.ts'
import { Changes, commitUnlessDone } from '../../../store/changes.ts'
import type { SweepRow } from '../../../store/due.ts'
import { requestBudget } from '../../budget.ts'
import { unreadKey } from '../record-key.ts'
import type { VersionedKind, VersionedTypes } from './kind.ts'
import { readAgain } from './synchronize-versions.ts'

/**
 * Reads keys again that the cloud was still changing at the last reading, until the change completes. A key that cannot
 * be read is marked so, and left to the next synchronization.
 * @param due the name under which the entity makes such keys due
 */
export const settlingKeys = <T extends VersionedTypes>(kind: VersionedKind<T>, due: string): SweepRow => ({
  due,
  counts: 'resumed',
  work: async ({ domain, id }, { now }) => {
    const { entity, containers, containerIdOf } = kind
    const stored = await entity.get(domain, id)
    const container = stored && (await containers.entity.get(domain, containerIdOf(stored.item)))
    if (stored === undefined || container === undefined) return
    const after = await readNow(kind, domain, container.item, stored.item, now)
    if (after === stored.item) return // due again at the next sweep
    const changes = new Changes()
    changes.update(entity, domain, stored, after)
    await commitUnlessDone(changes, now) // another writer of the key updates it
  },
})

async function readNow<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  container: T['container'],
  key: T['key'],
  now: Date,
): Promise<T['key']> {
  try {
    const how = { region: kind.regionOf?.(key) ?? '', now, budget: requestBudget(), patience: 'request' } as const
    return await readAgain(kind, domain, await kind.open(domain, container, how), key, undefined, now)
  } catch (error) {
    if (isOfCredentials(error)) return unreadKey(key, now)
    throw error
  }
}
