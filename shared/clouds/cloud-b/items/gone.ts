import { DAY_MS, later } from '../../../base/time.ts'
import type { Due } from '../../../store/entity.ts'
import type { StoredItem } from './item.ts'

const KEPT_MS = 90 * DAY_MS

/** The name under which records of such an entity are due. */
export const forgetting = (entityName: string): string => `forget-${entityName}`

/**
 * When the record of a version that its cloud no longer has leaves the table: long enough after its last change for every
 * report that still covers it. Ours: one that leads to a stored backup stays, since the backup is restored by way of it.
 */
export const dueWhenGone =
  (entityName: string) =>
  ({ gone, backup, updatedAt }: Pick<StoredItem, 'gone' | 'backup' | 'updatedAt'>): Due | undefined =>
    gone && backup === undefined
      ? { what: forgetting(entityName), at: later(new Date(updatedAt), KEPT_MS).toISOString() }
      : undefined
