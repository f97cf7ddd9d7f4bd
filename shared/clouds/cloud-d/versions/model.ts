import * as z from 'zod'
import { CommonVersion, MATERIAL_ORIGINS, PublicKeyPem } from '../../../cloud/keys/model.ts'
import { anyOf, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { CloudDVersionParam } from '../param.ts'

const ROTATION_TYPES = ['native', 'byok', 'external'] as const

/** One version of a key of the cloud. */
export const CloudDVersion = extended(
  CommonVersion.omit({
    state: true,
    deleted: true,
    parent_key_name: true,
    is_primary: true,
    public_key: true,
  }),
  () => ({
    ...CloudDVersionParam.shape,
    key_id: z.string().meta({ description: "the cloud's id of the key" }),
    is_current: z.boolean().meta({ description: 'whether the key encrypts with it' }),
    is_primary: z.boolean().meta({ description: 'false of a replica in another region' }),
    rotation_type: z.enum(ROTATION_TYPES).meta({
      description: 'native: made by the cloud; byok: imported there; external: of a key that stays here',
    }),
    public_key: PublicKeyPem.optional(),
  }),
)
export type CloudDVersion = z.infer<typeof CloudDVersion>

export const CloudDVersionQuery = listQuery(CloudDVersion, () => ({
  ...anyTexts('version_id', 'state'),
  gone: flag().optional(),
  key_material_origin: anyOf(MATERIAL_ORIGINS).optional(),
}))
