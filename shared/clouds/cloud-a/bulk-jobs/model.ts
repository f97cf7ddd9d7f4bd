import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyText, listQuery } from '../../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../../http/rules.ts'
import { BULK_STATUSES, BulkJobFields } from '../../../work/bulk/store.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'

export const BULK_OPERATIONS = [
  'enablekey',
  'disablekey',
  'schedulekeydeletion',
  'cancelkeydeletion',
  'applypolicytemplate',
] as const
export type BulkOperation = (typeof BULK_OPERATIONS)[number]
/** The same action on many keys, one after the other. */
export const BulkJob = extended(BulkJobFields, () => ({ operation: z.enum(BULK_OPERATIONS) }))
export type BulkJob = z.infer<typeof BulkJob>

export const BULK_KEYS_MOST = 100

/** Rule for a field that belongs to one operation only. */
const goesWith = (field: string, operation: BulkOperation): Rule => ({
  message: `${field} must be given for ${operation} and for nothing else`,
  field,
  broken: (body) => typeof body.operation === 'string' && isGiven(body[field]) !== (body.operation === operation),
})

export const CreateBulkJob = withRules(
  strictObject(() => ({
    keys: z
      .array(Uuid)
      .min(1)
      .max(BULK_KEYS_MOST)
      .refine((keys) => new Set(keys).size === keys.length, { error: 'must not name a key twice' }),
    operation: z.enum(BULK_OPERATIONS),
    days: z.int().min(7).max(30).optional().meta({ description: 'days until the keys are deleted' }),
    policy_template_id: Uuid.optional(),
  })),
  goesWith('days', 'schedulekeydeletion'),
  goesWith('policy_template_id', 'applypolicytemplate'),
)
export type CreateBulkJob = z.infer<typeof CreateBulkJob>

export const BulkJobQuery = listQuery(BulkJob, () => ({
  id: anyText().optional(),
  overall_status: anyOf(BULK_STATUSES).optional(),
  operation: anyOf(BULK_OPERATIONS).optional(),
}))
export type BulkJobQuery = z.infer<typeof BulkJobQuery>
