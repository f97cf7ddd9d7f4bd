import * as z from 'zod'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { entity } from '../../../store/entity.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { RegistrationToken } from './model.ts'

const StoredRegistrationToken = extended(
  RegistrationToken.omit({
    token: true,
    expires_at: true,
    clients_registered: true,
  }),
  () => ({
    /** for audit records */
    name: z.string(),
    /** SHA-256 of the token, in hex; a plain hash is sufficient for 384 random bits */
    token_hash: z.string(),
    /** the token, encrypted with the domain's key */
    sealed: z.string(),
    /** whether a member of `admin` created it: it then gives system groups */
    by_admin: z.boolean().optional(),
  }),
)
export type StoredRegistrationToken = z.infer<typeof StoredRegistrationToken>

/** The set of the registration tokens of a profile. */
export const tokensWithProfile = (profileId: string): string => `of profile ${profileId}`
/** The set of the registration tokens that name a local authority. */
export const tokensOfCa = (caId: string): string => `of ca ${caId}`

/** Supported reads: a registration token by id; by its hash; all; those of a profile; those that name an authority. */
export const registrationTokens = entity({
  name: 'registration-token',
  schema: StoredRegistrationToken,
  id: ({ id }) => id,
  unique: ({ token_hash }) => ({ token: [token_hash] }),
  sets: ({ client_management_profile_id: profile, ca_id: ca }) => [
    'all',
    ...(profile === undefined ? [] : [tokensWithProfile(profile)]),
    ...(ca === undefined ? [] : [tokensOfCa(ca)]),
  ],
  row: ({ id, label, labels, client_management_profile_id, createdAt, updatedAt }) => ({
    id,
    label,
    labels,
    client_management_profile_id,
    createdAt,
    updatedAt,
  }),
})

export const sealPurpose = (id: string): string[] => ['registration-token', id]

export const sealedRegistrationTokens = sealingFieldAgain(registrationTokens, 'all', ({ id }) => sealPurpose(id))
