import * as z from 'zod'
import { CloudAConnection } from '../../clouds/cloud-a/connections/model.ts'
import { CloudCConnection } from '../../clouds/cloud-c/connections/model.ts'
import { entity } from '../../store/entity.ts'

/** what must not be shown, as JSON, under the domain's key; absent without credentials of its own */
const sealed = z.string().optional()

const StoredConnection = z.discriminatedUnion('service', [
  CloudAConnection.omit({ ready: true }).extend({ sealed }),
  CloudCConnection.omit({ ready: true }).extend({ sealed }),
])
export type StoredConnection = z.infer<typeof StoredConnection>
export type ConnectionOf<Kind extends StoredConnection['service']> = Extract<StoredConnection, { service: Kind }>

/** Reads served: a connection by id; by name, unique over all kinds; a domain's connections, and those of one kind. */
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
