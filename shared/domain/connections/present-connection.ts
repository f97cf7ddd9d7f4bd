import type { Connection } from '../../model/connection.ts'
import type { StoredConnection } from '../../store/connection.ts'
import type { Stored } from '../../store/entity.ts'
import { differences, without } from '../fields.ts'

/** A connection as shown. */
export const presentConnection = (connection: StoredConnection): Connection => ({
  ...without(connection, 'sealed'),
  ready: connection.last_connection_ok === true,
})

export const presentStored = ({ item, rev }: Stored<StoredConnection>): Stored<Connection> => ({
  item: presentConnection(item),
  rev,
})

const AUDITED = [
  'name',
  'description',
  'service',
  'products',
  'labels',
  'cloud_name',
  'access_key_id',
  'region',
  'sts_regional_endpoints',
  'assume_role_arn',
  'assume_role_external_id',
] as const satisfies readonly (keyof StoredConnection)[]

/** What an audit record says of a change: of a secret, no more than that there is another one. */
export function told(
  before: Partial<StoredConnection>,
  after: Partial<StoredConnection>,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const changed = differences<StoredConnection>(before, after, AUDITED)
  if (before.sealed === after.sealed) return changed
  return { ...changed, after: { ...changed.after, secrets: after.sealed === undefined ? 'removed' : 'changed' } }
}
