import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { metaTest } from '../../http/lists/selectors.ts'
import { RegisteredClient } from '../../identity/clients/model.ts'
import { clientStateAt } from '../../identity/clients/state.ts'
import { clientsOfCa, clientsWithProfile } from '../../identity/clients/store.ts'
import { countClients } from '../../identity/groups/member-count.ts'
import { groups } from '../../identity/groups/store.ts'
import { removeLogins } from '../../identity/users/login-record.ts'
import { resource } from '../../resource/resource.ts'
import { clientKind } from './client-kind.ts'
import { ClientQuery } from './model.ts'
import { assertRootDomain, CLIENT_MANAGEMENT } from './place.ts'

/** The smallest set that contains every client that a query can match. */
function servedFor({
  ca_id: [ca, ...cas] = [],
  client_mgmt_profile_id: [profile, ...profiles] = [],
}: ClientQuery): string {
  if (profile !== undefined && profiles.length === 0) return clientsWithProfile(profile)
  return ca !== undefined && cas.length === 0 ? clientsOfCa(ca) : 'all'
}

const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase()

/** Parameters that are not fields of the list rows. */
const ANSWERED = Object.keys(ClientQuery.shape).filter((name) => name !== 'id')

/** Registered clients, which registration creates. */
export const registeredClients = resource({
  ...clientKind,
  title: 'Client',
  at: `${CLIENT_MANAGEMENT}/clients`,
  reads: 'client-admins',
  changes: 'client-admins',
  answers: RegisteredClient,
  query: ClientQuery,
  admit: assertRootDomain,
  narrow: ({ now }, query) => {
    const { client_id: ids, state, client_metadata: metadata } = query
    const served = servedFor(query)
    const has = metadata === undefined ? undefined : metaTest(metadata, 'client_metadata')
    return {
      served,
      answered: ANSWERED,
      filters: {
        ca_id: served.startsWith(clientsOfCa('')) ? undefined : query.ca_id,
        profile_id: served.startsWith(clientsWithProfile('')) ? undefined : query.client_mgmt_profile_id,
        sha256_fingerprint: query.sha256_fingerprint?.map(plain),
      },
      patterns: { name: query.client_name },
      tests: [
        ids && ((row) => ids.includes(row.id)),
        state && ((row) => state.includes(clientStateAt(row, now))),
        has && ((row) => has({ meta: row.client_metadata })),
      ],
      narrowBy: 'ca_id or client_mgmt_profile_id',
    }
  },
  // Its certificate is not changed, but no longer logs in.
  release: async ({ changes }, { id, group_ids }) => {
    for (const { item } of await groups.getMany(ROOT_DOMAIN_ID, group_ids))
      countClients(changes, ROOT_DOMAIN_ID, item.id, -1)
    removeLogins(changes, ROOT_DOMAIN_ID, id)
  },
})
