import * as z from 'zod'
import { object } from '../base/lazy-fields.ts'

const REGO_BYTES = 65_536
const CONTROL = /[^\P{Cc}\t\n\r]/u

/** The text of a policy in Rego. */
export const RegoText = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= REGO_BYTES, { error: `must have at most ${REGO_BYTES} bytes` })
  // Readers of the policy must see the text that decides. Any body with ill-formed Unicode is refused already.
  .refine((text) => !CONTROL.test(text), {
    error: 'must have no control characters other than tab, LF and CR',
  })

/**
 * The decision of a tested policy. `rule`: `allow` if it holds; otherwise the first condition that does not hold, if
 * the policy has conditions; otherwise the default.
 */
export const PolicyDecision = object(() => ({
  allowed: z.boolean(),
  decided_by: z.object({
    rule: z.string(),
    line: z.int().optional().meta({ description: 'of the rule in raw_policy, from 1' }),
  }),
  error: z.object({ code: z.string() }).optional().meta({ description: 'why the policy gave no answer' }),
  raw_policy: z.string(),
}))
export type PolicyDecision = z.infer<typeof PolicyDecision>
