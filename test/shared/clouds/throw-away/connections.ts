import * as z from 'zod'
import { CommonConnection, connectionBodies, Secret } from '../../../../shared/cloud/connections/bodies.ts'
import type { ConnectionKind } from '../../../../shared/cloud/connections/kind.ts'
import { keyOf, openSecrets } from '../../../../shared/cloud/connections/open-connection.ts'
import type { ConnectionOf } from '../../../../shared/cloud/connections/store.ts'
import type { Stored } from '../../../../shared/store/entity.ts'
import { throwAwayAdapter } from './adapter.ts'
import type { Connection } from './adapter/types.ts'
import { NAME } from './name.ts'

interface Fields {
  readonly cloud_name: typeof NAME
}
export type ConnectionRecord = ConnectionOf<Fields>

const { unsaved, create, update } = connectionBodies({ token: Secret }, { token: Secret.optional() })
const own: Fields = { cloud_name: NAME }

/** Connections, which only need a token. */
export const throwAwayConnections: ConnectionKind<Fields, z.infer<typeof unsaved>, z.infer<typeof update>> = {
  bodies: { unsaved, create, update },
  shown: CommonConnection.extend({ service: z.literal(NAME), cloud_name: z.literal(NAME) }),
  rules: [],
  fieldsOf: () => own,
  made: (_taken, { token }) => ({ fields: own, secrets: { token } }),
  changed: (_taken, _before, { token }) => ({ fields: own, ...(token !== undefined && { secrets: { token } }) }),
  entryOf: () => own,
  test: (_fields, { token = '' }, key, budget) => throwAwayAdapter.test({ key, token }, budget),
  audited: ['cloud_name'],
}

/** A connection as the adapter uses it. */
export async function opened(domain: string, stored: Stored<ConnectionRecord>): Promise<Connection> {
  const { token = '' } = await openSecrets(domain, stored.item)
  return { key: keyOf(stored), token }
}
