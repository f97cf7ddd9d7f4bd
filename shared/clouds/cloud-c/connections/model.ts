import * as z from 'zod'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import { CLOUD_C_NAMES } from '../projects/model.ts'
import { CommonConnection, connectionBodies } from '../../../cloud/connections/bodies.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

/** Fields of this kind, besides those of every connection. */
export const CloudCConnectionFields = object(() => ({
  cloud_name: z.enum(CLOUD_C_NAMES),
  client_email: z.string().meta({ description: 'of the service account, read from the file' }),
  private_key_id: z.string().meta({ description: 'of the key in the file' }),
}))
export type CloudCConnectionFields = z.infer<typeof CloudCConnectionFields>

export const CloudCConnection = extended(CommonConnection, () => ({
  service: z.literal('cloud-c'),
  ...CloudCConnectionFields.shape,
}))

/** Ours: key files have some 2,400 characters; a file with a larger key still fits. */
const KEY_FILE_CHARACTERS = 16_384
const KeyFile = z
  .string()
  .min(1)
  .max(KEY_FILE_CHARACTERS)
  .meta({ writeOnly: true, description: 'JSON text of a key file of a service account' })

export const CLOUD_C_BODIES = connectionBodies(
  { key_file: KeyFile, cloud_name: z.enum(CLOUD_C_NAMES).default('cloud-c') },
  {
    key_file: KeyFile.optional().meta({ description: 'stays when it is left out' }),
    cloud_name: z.enum(CLOUD_C_NAMES).optional(),
  },
)
export type UnsavedCloudCConnection = z.infer<(typeof CLOUD_C_BODIES)['unsaved']>
export type UpdateCloudCConnection = z.infer<(typeof CLOUD_C_BODIES)['update']>

/** A connection to this cloud, as stored. */
export type CloudCConnectionRecord = ConnectionOf<CloudCConnectionFields>
