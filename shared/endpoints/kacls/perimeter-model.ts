import * as z from 'zod'
import { FreeJson } from '../../http/common-fields.ts'
import { RegoText } from '../../serving/policy-model.ts'

const OPERATIONS = [
  'wrap',
  'unwrap',
  'privilegedwrap',
  'takeout_unwrap',
  'delegate',
  'privatekeysign',
  'privatekeydecrypt',
  'wrapprivatekey',
] as const
const Text = z.string().max(1_024)

/** The input of a decision, as the data plane makes it: an absent member is undefined for the policy. */
const PerimeterInput = z.strictObject({
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
})

/** Tests the saved perimeter unless the body has one; that one is not stored. */
export const TestPerimeter = z.strictObject({ input: PerimeterInput, perimeter: RegoText.optional() })
export type TestPerimeter = z.infer<typeof TestPerimeter>
