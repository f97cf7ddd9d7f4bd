import { DAY_MS, later } from '../../../base/time.ts'
import type { Due } from '../../../store/entity.ts'
import type { StoredItem } from './item.ts'

const KEPT_MS = 90 * DAY_MS

/** The due name of records of such an entity. */
export const forgetting = (entityName: string): string => `forget-${entityName}`

/**
 * When the record of a version that its cloud no longer has is removed: after 90 days without change, so that every
 * report that covers it has ended. Ours: a record with a stored backup stays, since the restore needs it.
 */
export const dueWhenGone =
  (entityName: string) =>
  ({ gone, backup, updatedAt }: Pick<StoredItem, 'gone' | 'backup' | 'updatedAt'>): Due | undefined =>
    gone && backup === undefined
      ? { what: forgetting(entityName), at: later(new Date(updatedAt), KEPT_MS).toISOString() }
      : undefined
