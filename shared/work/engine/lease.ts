import { later } from '../../base/time.ts'
import { Changes } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { Held } from './held.ts'
import type { WorkItemState } from './state.ts'
import { LEASE_MS } from './state.ts'

/** The item after progress: its troubles are over. */
export const advanced = <I extends WorkItemState>(item: I): I => ({ ...item, moved_in: item.generation, troubles: 1 })

/** A work item under the lease of one turn. */
export class Lease<I extends WorkItemState> extends Held<I> {
  /** Writes the item and releases the lease. */
  release(now: Date, change: (item: I) => I = (item) => item): Promise<void> {
    return this.write((item) => ({ ...change(item), leaseUntil: now.toISOString() }))
  }
}

/**
 * Takes the lease of an item for one turn.
 * @param before with revision 0, it is created
 * @param troubles so far
 * @throws Stale when another turn was faster
 */
export async function takeLease<I extends WorkItemState>(
  entity: Entity<I, unknown>,
  domain: string,
  before: Stored<I>,
  { generation, troubles, now }: { readonly generation: number; readonly troubles: number; readonly now: Date },
): Promise<Lease<I>> {
  const item = {
    ...before.item,
    generation,
    turns: before.item.generation === generation ? before.item.turns + 1 : 1,
    // Counted until the lease is released: a turn that stops silently is trouble too.
    troubles: troubles + 1,
    leaseUntil: later(now, LEASE_MS).toISOString(),
  }
  const changes = new Changes()
  if (before.rev === 0) changes.create(entity, domain, item)
  else changes.update(entity, domain, before, item)
  await changes.commit(now)
  return new Lease(entity, domain, { item, rev: before.rev + 1 }, now)
}
