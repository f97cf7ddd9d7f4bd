import * as z from 'zod'
import { CommonConnection } from './bodies.ts'
import { entity } from '../../store/entity.ts'
import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'

/** Fields of a service are stored unparsed: its kind parses them. */
const StoredConnection = z.looseObject({
  ...CommonConnection.omit({ ready: true }).shape,
  service: z.string(),
  /** for clouds only */
  cloud_name: z.string().optional(),
  /** the secrets as JSON, sealed under the domain's key; absent if the connection has no credentials */
  sealed: z.string().optional(),
})
export type StoredConnection = z.infer<typeof StoredConnection>
/** A connection to one service, with the fields of its kind. */
export type ConnectionOf<Fields extends object> = StoredConnection & Fields

/** The purpose under which a connection's secrets are sealed: no other connection can use them. */
export const secretsPurpose = ({ id }: Pick<StoredConnection, 'id'>): string[] => ['connection', id, 'secrets']

/**
 * Reads served: a connection by id; by name, unique over all kinds; all connections of a domain, or those of one kind.
 */
export const connections = entity({
  name: 'connection',
  schema: StoredConnection,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: ({ service }) => ['all', `service:${service}`],
  row: (connection) => ({
    id: connection.id,
    name: connection.name,
    service: connection.service,
    category: connection.category,
    cloud_name: connection.cloud_name,
    products: connection.products,
    labels: connection.labels,
    meta: connection.meta,
    last_connection_ok: connection.last_connection_ok,
    last_connection_at: connection.last_connection_at,
    createdAt: connection.createdAt,
    updatedAt: connection.updatedAt,
  }),
})
export type ConnectionRow = ReturnType<typeof connections.row>

export const sealedConnections = sealingFieldAgain(connections, 'all', secretsPurpose)
