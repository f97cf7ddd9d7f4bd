import type { Connection } from './model.ts'
import type { StoredConnection } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { differences } from '../../base/fields.ts'
import { connectionKind } from './kinds.ts'

/** A connection as shown. */
export function presentConnection({ sealed: _, ...connection }: StoredConnection): Connection {
  return { ...connection, ready: connection.last_connection_ok === true }
}

export const presentStored = ({ item, rev }: Stored<StoredConnection>): Stored<Connection> => ({
  item: presentConnection(item),
  rev,
})

const AUDITED = ['name', 'description', 'service', 'products', 'labels'] as const

/** A change as audit records describe it: a changed secret is mentioned without its value. */
export async function told(
  before: Partial<StoredConnection>,
  after: Partial<StoredConnection>,
): Promise<{ before: Record<string, unknown>; after: Record<string, unknown> }> {
  const service = after.service ?? before.service
  const own = service === undefined ? [] : (await connectionKind(service)).audited
  const changed = differences<Record<string, unknown>>(before, after, [...AUDITED, ...own])
  if (before.sealed === after.sealed) return changed
  return { ...changed, after: { ...changed.after, secrets: after.sealed === undefined ? 'removed' : 'changed' } }
}
