import type { Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { metaTest } from '../../http/selectors.ts'
import type { RegisteredClient } from '../../identity/clients/model.ts'
import { presentClient, presentClients } from '../../identity/clients/present-client.ts'
import { clientStateAt } from '../../identity/clients/state.ts'
import { clients, clientsOfCa, clientsWithProfile } from '../../identity/clients/store.ts'
import { countClients } from '../../identity/groups/member-count.ts'
import { groups } from '../../identity/groups/store.ts'
import { removeLogins } from '../../identity/users/login-record.ts'
import { findRecord, removeRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { clientKind } from './client-kind.ts'
import type { ClientQuery } from './model.ts'

/** The narrowest set that holds every client a query can find. */
function servedFor({
  ca_id: [ca, ...cas] = [],
  client_mgmt_profile_id: [profile, ...profiles] = [],
}: ClientQuery): string {
  if (profile !== undefined && profiles.length === 0) return clientsWithProfile(profile)
  return ca !== undefined && cas.length === 0 ? clientsOfCa(ca) : 'all'
}

const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase()

export const listClients = ({ caller, now }: Context, query: ClientQuery): Promise<ResourceList<RegisteredClient>> => {
  const domain = caller.domain.id
  const { state, client_id: ids, client_metadata: metadata } = query
  const served = servedFor(query)
  const has = metadata === undefined ? undefined : metaTest(metadata, 'client_metadata')
  return listed(clients, domain, query, {
    served,
    filters: {
      id: query.id,
      ca_id: served.startsWith(clientsOfCa('')) ? undefined : query.ca_id,
      profile_id: served.startsWith(clientsWithProfile('')) ? undefined : query.client_mgmt_profile_id,
      sha256_fingerprint: query.sha256_fingerprint?.map(plain),
    },
    patterns: { name: query.client_name },
    matches: (row) =>
      ids?.includes(row.id) !== false &&
      state?.includes(clientStateAt(row, now)) !== false &&
      has?.({ meta: row.client_metadata }) !== false,
    matchesNarrows: ids !== undefined || state !== undefined || has !== undefined,
    narrowBy: 'ca_id or client_mgmt_profile_id',
    presentAll: (page) =>
      presentClients(
        domain,
        page.map(({ item }) => item),
        now,
      ),
  })
}

/** @throws Refusal NOT_FOUND */
export const getClient = async (context: Context, id: string): Promise<Stored<RegisteredClient>> =>
  presentClient(context, await findRecord(clientKind, context, id))

/** Its certificate stays as it is, and logs in no more. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteClient(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const domain = caller.domain.id
  const { group_ids } = await removeRecord(clientKind, context, id)
  for (const { item } of await groups.getMany(domain, group_ids)) countClients(changes, domain, item.id, -1)
  removeLogins(changes, domain, id)
}
