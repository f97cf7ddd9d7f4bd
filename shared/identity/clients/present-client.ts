import { defined, without } from '../../base/fields.ts'
import { ALL_CLIENTS } from '../groups/model.ts'
import { readLogins } from '../users/login-record.ts'
import { groupNamesOf } from './group-names.ts'
import type { RegisteredClient } from './model.ts'
import { clientStateAt } from './state.ts'
import type { StoredClient } from './store.ts'

/** Clients in the form of answers, with their groups and last log-ins. One read of each per 100. */
export async function presentClients(
  domain: string,
  clients: readonly StoredClient[],
  now: Date,
): Promise<RegisteredClient[]> {
  const [groups, logins] = await Promise.all([
    groupNamesOf(
      domain,
      clients.map(({ group_ids }) => group_ids),
    ),
    readLogins(
      domain,
      clients.map(({ id }) => id),
    ),
  ])
  return clients.map((client, at) => {
    const last = logins[at]?.lastLogin
    return {
      ...without(client, 'group_ids', 'serial_number', 'dn_field', 'revoked_at', 'revoked_reason', 'former'),
      client_id: client.id,
      state: clientStateAt(client, now),
      groups: [...(groups[at] ?? []), ALL_CLIENTS],
      ...defined({ last_login: last }),
    }
  })
}
