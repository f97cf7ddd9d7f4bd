import * as z from 'zod'
import { CommonConnection, connectionBodies, Secret } from '../../../cloud/connections/bodies.ts'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'

/** Editions of the cloud. */
export const CLOUD_D_NAMES = ['cloud-d'] as const

/** Fields of this kind, in addition to those of every connection. */
export const CloudDConnectionFields = object(() => ({
  cloud_name: z.enum(CLOUD_D_NAMES),
  tenancy_id: z.string(),
  cloud_user_id: z.string(),
  fingerprint: z.string().meta({ description: "MD5 of the API key's public half, as the cloud shows it" }),
  region: z.string().meta({ description: 'region of the identity service that is asked' }),
}))
export type CloudDConnectionFields = z.infer<typeof CloudDConnectionFields>

export const CloudDConnection = extended(CommonConnection, () => ({
  service: z.literal('cloud-d'),
  ...CloudDConnectionFields.shape,
}))

export const TenancyId = z.string().regex(/^ocid1\.tenancy\.[a-z0-9]{1,10}\.\.[a-z0-9]{1,100}$/, {
  error: 'must be the id of a tenancy such as ocid1.tenancy.oc1..aaaa',
})
const UserId = z.string().regex(/^ocid1\.user\.[a-z0-9]{1,10}\.[a-z0-9-]{0,30}\.[a-z0-9]{1,100}$/, {
  error: 'must be the id of a user such as ocid1.user.oc1..aaaa',
})
const Fingerprint = z.string().regex(/^[0-9a-f]{2}(:[0-9a-f]{2}){15}$/, {
  error: 'must be 16 bytes in lower-case hexadecimal, separated by colons',
})
export const Region = z.string().regex(/^[a-z]{2,10}(-[a-z0-9]{1,20}){1,3}$/, {
  error: 'must be a region such as eu-frankfurt-1',
})

/** Ours: 4096-bit keys have some 3,300 characters. */
const KEY_FILE_CHARACTERS = 16_384
const Credentials = strictObject(() => ({
  key_file: z.string().min(1).max(KEY_FILE_CHARACTERS).meta({ description: 'PEM of the private API key' }),
  pass_phrase: Secret.optional().meta({ description: 'of a protected PEM' }),
})).meta({ writeOnly: true })

export const CLOUD_D_BODIES = connectionBodies(
  {
    cloud_name: z.enum(CLOUD_D_NAMES).default('cloud-d'),
    tenancy_id: TenancyId,
    cloud_user_id: UserId,
    fingerprint: Fingerprint,
    region: Region,
    credentials: Credentials,
  },
  {
    cloud_name: z.enum(CLOUD_D_NAMES).optional(),
    tenancy_id: TenancyId.optional(),
    cloud_user_id: UserId.optional(),
    fingerprint: Fingerprint.optional().meta({ description: 'another one comes with its credentials' }),
    region: Region.optional(),
    credentials: Credentials.optional().meta({ writeOnly: true, description: 'stay when they are left out' }),
  },
)
export type UnsavedCloudDConnection = z.infer<(typeof CLOUD_D_BODIES)['unsaved']>
export type UpdateCloudDConnection = z.infer<(typeof CLOUD_D_BODIES)['update']>

/** A connection to this cloud, as stored. */
export type CloudDConnectionRecord = ConnectionOf<CloudDConnectionFields>
