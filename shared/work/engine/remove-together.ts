import { Changes, retryWhenStale } from '../../store/changes.ts'
import type { Entity } from '../../store/entity.ts'

/** Removes items, several in a transaction. */
export async function removeTogether<T>(
  entity: Entity<T, unknown>,
  domain: string,
  ids: readonly string[],
  { now, together }: { readonly now: Date; readonly together: number },
): Promise<void> {
  for (let at = 0; at < ids.length; at += together)
    await retryWhenStale(async () => {
      const changes = new Changes()
      for (const stored of await entity.getMany(domain, ids.slice(at, at + together), 'salvage'))
        changes.remove(entity, domain, stored)
      await changes.commit(now)
    })
}
