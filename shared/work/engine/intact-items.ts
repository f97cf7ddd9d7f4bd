import type { Entity, Stored } from '../../store/entity.ts'
import { removeTogether } from './remove-together.ts'

/** Items of a job by id. Damaged ones are removed, so that the next plan makes them again and the job ends. */
export async function intactItems<T>(
  entity: Entity<T, unknown>,
  domain: string,
  ids: readonly string[],
  now: Date,
): Promise<Stored<T>[]> {
  const found = await entity.getMany(domain, ids, 'salvage')
  const damaged = found.flatMap(({ damage }) => damage?.id ?? [])
  if (damaged.length > 0) await removeTogether(entity, domain, damaged, { now, together: 1 })
  return found.filter(({ damage }) => damage === undefined)
}
