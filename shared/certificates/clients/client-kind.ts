import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { RegisteredClient } from '../../identity/clients/model.ts'
import { presentClients } from '../../identity/clients/present-client.ts'
import { clients, type StoredClient } from '../../identity/clients/store.ts'
import type { Kind } from '../../resource/kind.ts'
import { uriOf } from './place.ts'

/** Registered clients. Their free JSON is not audited. */
export const clientKind: Kind<StoredClient, ReturnType<typeof clients.row>, RegisteredClient> = {
  noun: 'client',
  entity: clients,
  uri: (_domain, id) => uriOf('client', id),
  domain: ROOT_DOMAIN_ID,
  pointers: { fingerprint: '#/ext_cert' },
  presentAll: (records, { now }) => presentClients(ROOT_DOMAIN_ID, records, now),
  audited: [
    'name',
    'client_type',
    'ca_id',
    'serial_number',
    'sha256_fingerprint',
    'not_after',
    'profile_id',
    'regtoken_id',
    'group_ids',
    'authentication_mode',
    'revoked_at',
    'revoked_reason',
  ],
}
