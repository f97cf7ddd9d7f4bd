import * as z from 'zod'
import { CommonVersion, MATERIAL_ORIGINS } from '../../../cloud/keys/model.ts'
import { anyOf, flag, listQuery } from '../../../http/lists/list-query.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { DATACUST_OPERATIONS, DatacustVersionParam } from '../param.ts'

/** One version of a key of the cloud. */
export const DatacustVersion = extended(
  CommonVersion.omit({
    state: true,
    deleted: true,
    parent_key_name: true,
    is_primary: true,
    public_key: true,
  }),
  () => ({
    ...DatacustVersionParam.shape,
    key_id: z.string().meta({ description: "the cloud's id of the key" }),
    origin: z.enum(MATERIAL_ORIGINS),
    source_key_version: z.int().optional().meta({ description: 'number of the version of the local key' }),
  }),
)
export type DatacustVersion = z.infer<typeof DatacustVersion>

export const DatacustVersionQuery = listQuery(DatacustVersion, () => ({
  gone: flag().optional(),
  is_primary: flag().optional(),
  key_material_origin: anyOf(MATERIAL_ORIGINS).optional(),
}))

export const UpdateDatacustVersion = strictObject(() => ({
  enabled: z.boolean().optional(),
  operations: z.array(z.enum(DATACUST_OPERATIONS)).min(1).max(DATACUST_OPERATIONS.length).optional(),
}))
