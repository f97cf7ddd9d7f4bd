import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { picked } from '../../base/fields.ts'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { RegisteredClient } from './model.ts'

const StoredClient = extended(
  RegisteredClient.omit({ client_id: true, state: true, groups: true, last_login: true }),
  () => ({
    /** ids of groups in the client's domain, which may be deleted; without `All Clients`, which contains every client */
    group_ids: z.array(z.string()),
    /** of its certificate, in hex; with `ca_id` it identifies the certificate's record, if a local authority issued it */
    serial_number: z.string(),
    /** the attribute of its subject that contains its id, besides UID */
    dn_field: z.string().optional(),
    revoked_at: Time.optional(),
    revoked_reason: z.string().optional(),
    /** the certificate before its last renewal, which can still log in until `until` */
    former: z
      .object({
        sha256_fingerprint: z.string(),
        serial_number: z.string(),
        /** its authority, if it differs */
        ca_id: z.string().optional(),
        until: Time,
      })
      .optional(),
  }),
)
export type StoredClient = z.infer<typeof StoredClient>

/** The set of the clients whose certificates an authority issued. */
export const clientsOfCa = (caId: string): string => `of ca ${caId}`
/** The set of the clients that were registered with a profile. */
export const clientsWithProfile = (profileId: string): string => `of profile ${profileId}`

/**
 * Supported reads: a client by id; by name; by the fingerprint of its certificate; all; those of an authority, of a
 * profile.
 */
export const clients = entity({
  name: 'client',
  schema: StoredClient,
  id: ({ id }) => id,
  // Ours: another client cannot use the previous certificate either
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
