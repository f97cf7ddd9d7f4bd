import * as z from 'zod'
import { anyPatterns, listQuery } from '../../../http/lists/list-query.ts'
import { withRules } from '../../../http/rules.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import {
  Attributes,
  CommonItem,
  commonItemFilters,
  DERIVED,
  expiresLater,
  ItemName,
  ofParam,
  Tags,
  Vault,
} from '../items/model.ts'
import { CloudBSecretParam } from '../param.ts'

const own = { secret_name: z.string(), cloud_b_param: CloudBSecretParam }
export const StoredCloudBSecret = CommonItem.omit(DERIVED).extend(own)
export type StoredCloudBSecret = z.infer<typeof StoredCloudBSecret>

/** A version of a secret of the cloud, as listed: always without its value. */
export const CloudBSecret = CommonItem.omit({ key_material_origin: true }).extend(own)
export type CloudBSecret = z.infer<typeof CloudBSecret>

/** The cloud's own limit. */
const VALUE_BYTES = 25_600
const Value = z
  .string()
  .refine((value) => Buffer.byteLength(value) <= VALUE_BYTES, { error: `must have at most ${VALUE_BYTES} bytes` })
  .meta({ writeOnly: true, description: `at most ${VALUE_BYTES} bytes; never stored` })

const settings = {
  attributes: Attributes.optional(),
  contentType: z.string().max(255).optional(),
  tags: Tags.optional(),
}

export const CreateCloudBSecret = withRules(
  strictObject(() => ({
    secret_name: ItemName,
    key_vault: Vault,
    cloud_b_param: z.strictObject({ value: Value, ...settings }),
  })),
  ...ofParam(expiresLater),
)
export type CreateCloudBSecret = z.infer<typeof CreateCloudBSecret>

export const UpdateCloudBSecret = withRules(z.strictObject(settings), expiresLater)
export type UpdateCloudBSecret = z.infer<typeof UpdateCloudBSecret>

export const CloudBSecretQuery = listQuery(CloudBSecret, () => ({
  ...commonItemFilters,
  ...anyPatterns('secret_name'),
}))
export type CloudBSecretQuery = z.infer<typeof CloudBSecretQuery>
