import { picked } from '../../base/fields.ts'
import { clients, type StoredClient } from '../../identity/clients/store.ts'
import type { ManagedKind } from '../../resource/kinds.ts'

/** Registered clients, of which free JSON is not audited. */
export const clientKind: ManagedKind<StoredClient, ReturnType<typeof clients.row>, StoredClient> = {
  noun: 'client',
  entity: clients,
  pointers: { fingerprint: '#/ext_cert' },
  present: (stored) => stored,
  audited: (client) =>
    picked(
      client,
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
    ),
}
