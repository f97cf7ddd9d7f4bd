import * as z from 'zod'
import { FreeJson, Time } from '../../http/common-fields.ts'
import { RegoText } from '../../endpoint/policy-model.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

const OPERATIONS = [
  'wrap',
  'unwrap',
  'privilegedwrap',
  'takeout_unwrap',
  'delegate',
  'privatekeysign',
  'privatekeydecrypt',
] as const
const Text = z.string().max(1_024)

/** The input of a decision, as the data plane builds it: an absent member is undefined for the policy. */
const PerimeterInput = strictObject(() => ({
  authentication: z
    .strictObject({
      email: Text.optional(),
      workspace_email: Text.optional(),
      google_email: Text.optional(),
      claims: FreeJson.optional(),
    })
    .optional(),
  authorization: z
    .strictObject({
      email: Text.optional(),
      role: Text.optional(),
      resource_name: Text.optional(),
      email_type: Text.optional(),
      delegated_to: Text.optional(),
    })
    .optional(),
  perimeter_id: Text.optional(),
  operation: z.enum(OPERATIONS).optional(),
}))

/** Tests the saved perimeter, or the one in the body, which is not stored. */
export const TestPerimeter = strictObject(() => ({ input: PerimeterInput, perimeter: RegoText.optional() }))
export type TestPerimeter = z.infer<typeof TestPerimeter>

/** Ours: records are kept for 90 days at least, and a month shows all regular use of a company. */
const DAYS = { usual: 7, most: 31 }

export const ReplayPerimeter = strictObject(() => ({
  perimeter: RegoText.optional().meta({ description: 'the saved perimeter without it' }),
  days: z.int().min(1).max(DAYS.most).default(DAYS.usual).meta({ description: 'start of the period of the calls' }),
}))
export type ReplayPerimeter = z.infer<typeof ReplayPerimeter>

const DECISIONS = ['allowed', 'refused'] as const

/** A call whose decision would change. */
const ChangedDecision = object(() => ({
  record_id: z.string().meta({ description: 'of the audit record of the call' }),
  at: Time,
  operation: z.string(),
  perimeter_id: z.string(),
  email: z.string().optional(),
  authorization_email: z.string().optional(),
  resource_name: z.string().optional(),
  was: z.enum(DECISIONS),
  would_be: z.enum(DECISIONS),
  error: z.string().optional().meta({ description: 'code of the failure, where the perimeter gives no answer' }),
}))
export type ChangedDecision = z.infer<typeof ChangedDecision>

export const PerimeterReplay = object(() => ({
  from: Time,
  to: Time,
  calls: z.int().meta({ description: 'number of calls decided again: those that reached a perimeter' }),
  unchanged: z.int(),
  would_allow: z.int().meta({ description: 'calls that were refused and would be allowed' }),
  would_refuse: z.int().meta({ description: 'calls that were allowed and would be refused' }),
  complete: z
    .boolean()
    .meta({ description: 'whether all calls since `from` were decided again; otherwise the newest ones' }),
  reads_claims: z.boolean().meta({
    description: 'whether the text reads other claims of tokens, which records do not keep: they were undefined',
  }),
  changes: z
    .array(ChangedDecision)
    .meta({ description: 'the newest 100 of the calls that would be decided otherwise' }),
}))
export type PerimeterReplay = z.infer<typeof PerimeterReplay>
