import * as z from 'zod'
import type { Fields } from '../../../base/json.ts'
import { FreeJson, Name, Resource } from '../../../http/common-fields.ts'
import { HostName } from '../../../http/host-name.ts'
import { anyPatterns, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { basicIn, EkmPolicy, needsReasons, policyIn } from '../policy-model.ts'

/** A crypto space, as shown. */
export const CryptoSpace = extended(Resource, () => ({
  name: z.string(),
  keyURIHostname: z.string(),
  path: z.string().meta({ description: 'path of the space, to enter in the cloud' }),
  blocked: z.boolean().meta({ description: 'true: no key is created in it, and its keys refuse every call' }),
  endpoint_count: z.int().meta({ description: 'endpoints in it whose keys are not destroyed' }),
  policy: EkmPolicy.optional().meta({
    description: 'decides who creates keys; the initial policy of endpoints in the space',
  }),
  meta: FreeJson.optional(),
  enable_success_audit_event: z.boolean().meta({ description: 'whether successful calls with its keys are recorded' }),
}))
export type CryptoSpace = z.infer<typeof CryptoSpace>

const oneKind: Rule = {
  message: 'policy must have one of basic and rego',
  field: 'policy',
  broken: (body) => {
    const { basic, rego } = policyIn(body)
    return body.policy !== undefined && body.policy !== null && (basic === undefined) === (rego === undefined)
  },
}

const RULES: readonly Rule[] = [
  oneKind,
  needsReasons((body: Fields) => basicIn(policyIn(body)), 'policy/basic/justification_reason'),
]

export const CreateCryptoSpace = withRules(
  strictObject(() => ({
    name: Name,
    keyURIHostname: HostName,
    policy: EkmPolicy.optional().meta({ description: 'without it the cloud makes no keys' }),
    meta: FreeJson.optional(),
    enable_success_audit_event: z.boolean().default(true),
  })),
  ...RULES,
)
export type CreateCryptoSpace = z.infer<typeof CreateCryptoSpace>

export const UpdateCryptoSpace = withRules(
  strictObject(() => ({
    name: Name.optional(),
    keyURIHostname: HostName.optional(),
    policy: EkmPolicy.nullable().optional().meta({ description: 'endpoints that exist keep theirs' }),
    meta: FreeJson.nullable().optional(),
    enable_success_audit_event: z.boolean().optional(),
  })),
  ...RULES,
)
export type UpdateCryptoSpace = z.infer<typeof UpdateCryptoSpace>

export const CryptoSpaceQuery = listQuery(CryptoSpace, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'keyURIHostname'),
  blocked: flag().optional(),
}))
export type CryptoSpaceQuery = z.infer<typeof CryptoSpaceQuery>
