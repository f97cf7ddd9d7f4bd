import type { Changes } from '../../../store/changes.ts'
import { pageOf } from '../../../store/list.ts'
import { logCursors } from './store.ts'

/** Ours: what fits one transaction. */
const CURSORS_AT_ONCE = 20

/** Stages that a target's progress goes with it. Of a target of many domains, the purge of the domain takes the rest. */
export async function forgetCursors(changes: Changes, domain: string, target: string): Promise<void> {
  const { items } = await pageOf(logCursors, domain, `target:${target}`, { skip: 0, limit: CURSORS_AT_ONCE })
  for (const stored of items) changes.remove(logCursors, domain, stored)
}
