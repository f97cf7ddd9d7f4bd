import * as z from 'zod'
import { LoginConnection } from './model.ts'
import { entity } from '../../store/entity.ts'
import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'
import { extended } from '../../base/lazy-fields.ts'

const StoredLoginConnection = extended(LoginConnection.omit({ users_count: true, group_mappings: true }), () => ({
  /** ids of groups in the connection's domain, which may be deleted */
  group_mappings: z.array(z.object({ external: z.string(), group_id: z.string() })),
  /** its secret, encrypted with the domain's key */
  sealed: z.string().optional(),
}))
export type StoredLoginConnection = z.infer<typeof StoredLoginConnection>

/** The purpose of the encryption of a connection's secret: no other connection can use it. */
export const secretPurpose = ({ id }: Pick<StoredLoginConnection, 'id'>): string[] => ['login-connection', id, 'secret']

/** Supported reads: a connection by id; by name; a domain's connections. The number of its users is a separate item. */
export const loginConnections = entity({
  name: 'login-connection',
  schema: StoredLoginConnection,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, strategy, enabled, createdAt, updatedAt }) => ({
    id,
    name,
    strategy,
    enabled,
    createdAt,
    updatedAt,
  }),
})

export const sealedLoginConnections = sealingFieldAgain(loginConnections, 'all', secretPurpose)
