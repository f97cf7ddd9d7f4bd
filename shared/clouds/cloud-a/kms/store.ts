import * as z from 'zod'
import { CloudAKms } from './model.ts'
import { Time } from '../../../http/common-fields.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'

const StoredCloudAKms = CloudAKms.omit({ last_synchronized_at: true }).extend({
  /** absent after its connection was deleted by force */
  connection_id: z.string().optional(),
  /** when each region was last read to its end */
  synchronized: z.record(z.string(), Time),
})
export type StoredCloudAKms = z.infer<typeof StoredCloudAKms>

const usersOfConnection = (id: string): string => `connection:${id}`

/** Reads served: an entry by id; by name; all entries; those that use a connection. */
export const cloudAKms = entity({
  name: 'cloud-a-kms',
  schema: StoredCloudAKms,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  families: ({ id, connection_id }): Family[] =>
    connection_id === undefined ? [] : [{ name: usersOfConnection(connection_id), key: id }],
  row: (kms) => ({
    id: kms.id,
    name: kms.name,
    account_id: kms.account_id,
    cloud_name: kms.cloud_name,
    connection: kms.connection,
    connection_id: kms.connection_id,
    status: kms.status,
    acls: kms.acls,
    createdAt: kms.createdAt,
    updatedAt: kms.updatedAt,
  }),
})
export type CloudAKmsRow = ReturnType<typeof cloudAKms.row>

/** Ids of the entries that use a connection. One read. */
export const kmsOfConnection = (domain: string, connectionId: string): Promise<string[]> =>
  cloudAKms.members(domain, usersOfConnection(connectionId))
