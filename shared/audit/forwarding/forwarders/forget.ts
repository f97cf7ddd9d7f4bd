import type { Changes } from '../../../store/changes.ts'
import { pageOf } from '../../../store/list.ts'
import { logCursors } from './store.ts'

/** Ours: maximum number in one transaction. */
const CURSORS_AT_ONCE = 20

/**
 * Stages the deletion of a target's progress. For a target of many domains, the purge of the domain deletes the rest.
 */
export async function forgetCursors(changes: Changes, domain: string, target: string): Promise<void> {
  const { items } = await pageOf(logCursors, domain, `target:${target}`, { skip: 0, limit: CURSORS_AT_ONCE })
  for (const stored of items) changes.remove(logCursors, domain, stored)
}
