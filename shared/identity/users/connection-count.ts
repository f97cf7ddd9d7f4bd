import type { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { loginConnections, type StoredLoginConnection } from '../connections/store.ts'
import { countMembers } from '../groups/member-count.ts'

/**
 * Counts a new user with their connection, which then cannot be deleted, neither before this request commits nor later.
 */
export function countWithConnection(changes: Changes, domain: string, stored: Stored<StoredLoginConnection>): void {
  changes.rely(loginConnections, domain, stored)
  countMembers(changes, domain, stored.item.id, { users: 1 })
}
