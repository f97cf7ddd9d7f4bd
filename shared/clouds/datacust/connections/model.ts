import * as z from 'zod'
import { CommonConnection, connectionBodies, Secret } from '../../../cloud/connections/bodies.ts'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import type { Rule } from '../../../http/rules.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

/** Editions of the cloud. */
export const DATACUST_NAMES = ['datacust'] as const

const Text = z.string().min(1).max(255)
const TechnicalUser = z.strictObject({ api_key: Text })
const StandardUser = z.strictObject({ tenant: Text, user: Text })

/** Fields of this kind, in addition to those of every connection. */
export const DatacustConnectionFields = object(() => ({
  cloud_name: z.enum(DATACUST_NAMES),
  api_endpoint: z.string(),
  technical_user_credentials: TechnicalUser.optional(),
  user_credentials: StandardUser.optional(),
}))
export type DatacustConnectionFields = z.infer<typeof DatacustConnectionFields>

export const DatacustConnection = extended(CommonConnection, () => ({
  service: z.literal('datacust'),
  ...DatacustConnectionFields.shape,
}))

const Endpoint = z.string().max(1_024).meta({ description: 'address of the key service, which ends in /kms/v2' })
const credentials = {
  technical_user_credentials: TechnicalUser.extend({ secret: Secret })
    .optional()
    .meta({ description: 'of a technical user that is not activated yet: saving the connection activates it' }),
  user_credentials: StandardUser.extend({ secret: Secret })
    .optional()
    .meta({ description: 'of a standard user, with the password as secret' }),
}

export const DATACUST_BODIES = connectionBodies(
  { cloud_name: z.enum(DATACUST_NAMES).default('datacust'), api_endpoint: Endpoint, ...credentials },
  { cloud_name: z.enum(DATACUST_NAMES).optional(), api_endpoint: Endpoint.optional(), ...credentials },
)
export type UnsavedDatacustConnection = z.infer<(typeof DATACUST_BODIES)['unsaved']>
export type UpdateDatacustConnection = z.infer<(typeof DATACUST_BODIES)['update']>

export const DATACUST_RULES: readonly Rule[] = [
  {
    message: 'exactly one of technical_user_credentials and user_credentials must be given',
    field: 'technical_user_credentials',
    broken: ({ technical_user_credentials: technical, user_credentials: user }) =>
      (technical === undefined) === (user === undefined),
  },
]

/** A connection to this cloud, as stored. */
export type DatacustConnectionRecord = ConnectionOf<DatacustConnectionFields>
