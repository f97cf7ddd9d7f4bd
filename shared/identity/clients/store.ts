import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { picked } from '../../base/fields.ts'
import { entity } from '../../store/entity.ts'
import { RegisteredClient } from './model.ts'

const StoredClient = RegisteredClient.omit({ client_id: true, state: true, groups: true, last_login: true }).extend({
  /** ids of groups in the client's domain, possibly deleted; `All Clients` is not among them: every client is in it */
  group_ids: z.array(z.string()),
  /** of its certificate, in hex; with `ca_id` it names its record, where a local authority issued it */
  serial_number: z.string(),
  /** the attribute of its subject that holds its id besides UID */
  dn_field: z.string().optional(),
  revoked_at: Time.optional(),
  revoked_reason: z.string().optional(),
  /** the certificate before its last renewal, which still logs in until `until` */
  former: z
    .object({
      sha256_fingerprint: z.string(),
      serial_number: z.string(),
      /** its authority, where that is another one */
      ca_id: z.string().optional(),
      until: Time,
    })
    .optional(),
})
export type StoredClient = z.infer<typeof StoredClient>

/** The set of the clients whose certificates are of an authority. */
export const clientsOfCa = (caId: string): string => `of ca ${caId}`
/** The set of the clients that were registered with a profile. */
export const clientsWithProfile = (profileId: string): string => `of profile ${profileId}`

/** Reads served: a client by id; by name; by the fingerprint of its certificate; all; those of an authority, of a profile. */
export const clients = entity({
  name: 'client',
  schema: StoredClient,
  id: ({ id }) => id,
  // Ours: nor does another client take the certificate before the last renewal.
  unique: ({ name, sha256_fingerprint: fingerprint, former }) => ({
    name: [name],
    fingerprint: [...new Set([fingerprint, ...(former === undefined ? [] : [former.sha256_fingerprint])])],
  }),
  sets: ({ ca_id, profile_id }) => [
    'all',
    clientsOfCa(ca_id),
    ...(profile_id === undefined ? [] : [clientsWithProfile(profile_id)]),
  ],
  row: (client) =>
    picked(
      client,
      'id',
      'name',
      'ca_id',
      'profile_id',
      'sha256_fingerprint',
      'not_before',
      'not_after',
      'revoked_at',
      'client_metadata',
      'createdAt',
      'updatedAt',
    ),
})
