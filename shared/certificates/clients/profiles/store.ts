import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { ClientProfile } from './model.ts'

const StoredClientProfile = extended(ClientProfile.omit({ groups: true }), () => ({
  /** ids of groups, which may be deleted */
  group_ids: z.array(z.string()),
}))
export type StoredClientProfile = z.infer<typeof StoredClientProfile>

/** The set of the profiles that name a local authority. */
export const profilesOfCa = (caId: string): string => `of ca ${caId}`

/** Supported reads: a profile by id; by name; all; those that name an authority. */
export const clientProfiles = entity({
  name: 'client-profile',
  schema: StoredClientProfile,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: ({ ca_id: ca }) => ['all', ...(ca === undefined ? [] : [profilesOfCa(ca)])],
  row: ({ id, name, ca_id, cert_duration, createdAt, updatedAt }) => ({
    id,
    name,
    ca_id,
    cert_duration,
    createdAt,
    updatedAt,
  }),
})
