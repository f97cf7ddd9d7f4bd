import * as z from 'zod'
import { Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyPatterns, anyText, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { DATACUST_NAMES } from '../connections/model.ts'

/** A dynamic reference: a name under which applications use a key, which can be exchanged for another key. */
export const DatacustReference = extended(Resource, () => ({
  name: z.string(),
  cloud_name: z.enum(DATACUST_NAMES),
  tenant: z.string().optional(),
  cckm_group_id: z.string().meta({ description: "id of the group's record" }),
  datacust_group_name: z.string(),
  reference_id: z.string().meta({ description: "the cloud's id of the reference" }),
  key_id: z.string().optional().meta({ description: 'id of the record of its key; absent if the key has none' }),
  key_name: z.string().optional(),
  datacust_key_id: z.string().meta({ description: "the cloud's id of its key" }),
  allow_underlying_key_exchange: z.boolean().meta({ description: 'whether its key can be exchanged for another one' }),
  gone: z.boolean().meta({ description: 'whether the cloud no longer has it' }),
  synced_at: Time,
}))
export type DatacustReference = z.infer<typeof DatacustReference>

const ReferenceName = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9 ]{2,}$/, { error: 'must have two or more letters, digits and spaces' })

export const CreateDatacustReference = strictObject(() => ({
  name: ReferenceName,
  key_id: Uuid.meta({ description: "id of the key's record" }),
  allow_underlying_key_exchange: z.boolean().default(true),
}))
export type CreateDatacustReference = z.infer<typeof CreateDatacustReference>

export const UpdateDatacustReference = strictObject(() => ({
  name: ReferenceName.optional(),
  key_id: Uuid.optional().meta({
    description: 'id of the record of another key, of the same group, type and operations',
  }),
}))
export type UpdateDatacustReference = z.infer<typeof UpdateDatacustReference>

export const DatacustReferenceQuery = listQuery(
  DatacustReference,
  () => ({
    ...anyPatterns('name'),
    ...anyTexts('id', 'reference_id', 'key_id', 'tenant'),
    group: anyText().optional().meta({ description: "the cloud's id, the record's id or the name of a group" }),
    gone: flag().optional(),
  }),
  ['name'],
)
export type DatacustReferenceQuery = z.infer<typeof DatacustReferenceQuery>
