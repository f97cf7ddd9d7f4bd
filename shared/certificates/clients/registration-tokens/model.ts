import * as z from 'zod'
import { Labelled, Name, Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyTexts, listQuery, oneText } from '../../../http/lists/list-query.ts'
import { atMostOne, withRules } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { Days } from '../profiles/model.ts'

/** Ours: leaves room within a name for the numbers of clients. */
const PREFIX_MOST = 200
const CLIENTS_MOST = 1_000_000

const Lifetime = z
  .string()
  .regex(/^[1-9]\d{0,5}[mhd]$/, { error: 'must be a number of minutes, hours or days such as 30m, 12h or 7d' })
  .meta({ description: 'since its creation: <n>m, <n>h or <n>d; unlimited without' })
const Limit = z.int().min(1).max(CLIENTS_MOST)

/** A registration token, in answers. */
export const RegistrationToken = extended(Resource, () => ({
  token: z
    .string()
    .meta({ description: 'masked in lists, and for callers who may not assign the groups of its profile' }),
  client_management_profile_id: z.string().optional(),
  ca_id: z.string().optional(),
  cert_duration: z.int().optional().meta({ description: 'days' }),
  lifetime: Lifetime.optional(),
  expires_at: Time.optional(),
  max_clients: z.int().optional().meta({ description: 'registrations; unlimited without' }),
  clients_registered: z.int().meta({ description: 'registrations so far, also of clients that are deleted' }),
  name_prefix: z.string().optional().meta({ description: 'names of clients are this and a number' }),
  label: z.string().optional(),
  labels: z.record(z.string(), z.string()),
}))
export type RegistrationToken = z.infer<typeof RegistrationToken>

export const CreateRegistrationToken = withRules(
  strictObject(() => ({
    client_management_profile_id: Uuid.optional(),
    ca_id: Uuid.optional().meta({
      description: "local CA; without it and a profile, the domain's oldest that is active",
    }),
    cert_duration: Days.optional(),
    lifetime: Lifetime.optional(),
    max_clients: Limit.optional(),
    name_prefix: Name.max(PREFIX_MOST).optional(),
    label: Name.optional(),
    labels: Labelled.optional(),
  })),
  atMostOne('client_management_profile_id', 'ca_id'),
)
export type CreateRegistrationToken = z.infer<typeof CreateRegistrationToken>

export const UpdateRegistrationToken = strictObject(() => ({
  lifetime: Lifetime.nullable().optional(),
  max_clients: Limit.nullable().optional(),
  label: Name.nullable().optional(),
  labels: Labelled.nullable().optional(),
}))
export type UpdateRegistrationToken = z.infer<typeof UpdateRegistrationToken>

export const RegistrationTokenQuery = listQuery(RegistrationToken, () => ({
  ...anyTexts('id', 'label', 'client_management_profile_id'),
  labels: oneText().optional(),
}))
export type RegistrationTokenQuery = z.infer<typeof RegistrationTokenQuery>
