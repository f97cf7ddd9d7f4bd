import * as z from 'zod'
import type { Fields } from '../../base/json.ts'
import { EKM_ALGORITHMS, ekmAlgorithm, isEkmAlgorithm } from '../../crypto/protocols/ekm-algorithms.ts'
import { FreeJson, Name, NameOrId, Resource } from '../../http/common-fields.ts'
import { HostName } from '../../http/host-name.ts'
import { BasicEkmPolicy, basicIn, EkmPolicy, isEmptyList, needsReasons, policyIn } from './policy-model.ts'
import { anyOf, anyPatterns, anyText, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { RegoText } from '../../endpoint/policy-model.ts'
import { namesOf } from '../../base/fields.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'

export const EKM_ENDPOINT_TYPES = ['ekm', 'ekm-ude'] as const
export const EKM_KEY_TYPES = ['symmetric', 'asymmetric'] as const
export const EKM_STATES = ['ENABLED', 'DISABLED', 'DESTROYED'] as const
const ALGORITHMS = namesOf(EKM_ALGORITHMS)

/** An EKM endpoint, as shown. */
export const EkmEndpoint = extended(Resource, () => ({
  name: z.string(),
  keyURIHostname: z.string(),
  keyURI: z.string().meta({ description: 'the address the cloud calls; it stays through every rotation' }),
  key_path: z.string().meta({ description: 'the part of keyURI after the host' }),
  kekName: z.string(),
  kekID: z.string().meta({ description: "id of the local key's version that encrypts or signs" }),
  kekVersion: z.string(),
  meta: FreeJson.optional(),
  enabled: z.boolean(),
  state: z.enum(EKM_STATES),
  cvm_required_for_encrypt: z.boolean(),
  cvm_required_for_decrypt: z.boolean(),
  endpoint_type: z.enum(EKM_ENDPOINT_TYPES),
  key_type: z.enum(EKM_KEY_TYPES),
  algorithm: z.enum(ALGORITHMS),
  raw_policy_enabled: z.boolean(),
  policy: EkmPolicy,
  cryptospace_id: z.uuid().optional().meta({ description: 'the crypto space in which the cloud created it' }),
}))
export type EkmEndpoint = z.infer<typeof EkmEndpoint>

const basicOf = (body: Fields): Fields => basicIn(policyIn(body))
const isRaw = ({ raw_policy_enabled: raw }: Fields): boolean => raw === true

/** Fields that a policy must have, and must not have, by `raw_policy_enabled`; for a body that creates an endpoint. */
const policyGoesWithRaw: Rule[] = [
  {
    message: 'policy.basic is required without raw_policy_enabled',
    field: 'policy/basic',
    broken: (body) => !isRaw(body) && policyIn(body).basic === undefined,
  },
  {
    message: 'policy.rego is required with raw_policy_enabled',
    field: 'policy/rego',
    broken: (body) => isRaw(body) && policyIn(body).rego === undefined,
  },
  {
    message: 'policy.basic does not go with raw_policy_enabled',
    field: 'policy/basic',
    broken: (body) => isRaw(body) && policyIn(body).basic !== undefined,
  },
  {
    message: 'policy.rego goes with raw_policy_enabled only',
    field: 'policy/rego',
    broken: (body) => !isRaw(body) && policyIn(body).rego !== undefined,
  },
]

const ATTESTATION_LISTS = ['attestation_instance_names', 'attestation_project_ids', 'attestation_zones'] as const
/** The lists of a basic policy that only an attested session can satisfy. */
export const attestationListsIn = (basic: Fields): string[] =>
  ATTESTATION_LISTS.filter((list) => !isEmptyList(basic[list]))

const attestedOnly: Rule[] = ATTESTATION_LISTS.map((list) => ({
  message: `${list} is for endpoint_type ekm-ude only`,
  field: `policy/basic/${list}`,
  broken: (body) => body.endpoint_type !== 'ekm-ude' && attestationListsIn(basicOf(body)).includes(list),
}))

const algorithmFitsKeyType: Rule = {
  message: 'algorithm must be one of the key_type',
  field: 'algorithm',
  broken: ({ algorithm = 'AES256', key_type: keyType = 'symmetric' }) =>
    isEkmAlgorithm(algorithm) && ekmAlgorithm(algorithm).keyType !== keyType,
}

export const CreateEkmEndpoint = withRules(
  strictObject(() => ({
    name: Name,
    /** The cloud uses it as the audience of its tokens, with the scheme before it and nothing after it. */
    keyURIHostname: HostName,
    meta: FreeJson.optional(),
    cvm_required_for_encrypt: z.boolean().default(false).meta({ description: 'effective for ekm-ude only' }),
    cvm_required_for_decrypt: z.boolean().default(false).meta({ description: 'effective for ekm-ude only' }),
    endpoint_type: z.enum(EKM_ENDPOINT_TYPES).default('ekm'),
    key_type: z.enum(EKM_KEY_TYPES).default('symmetric'),
    algorithm: z.enum(ALGORITHMS).default('AES256'),
    existing_key_id: NameOrId.optional().meta({
      description: 'id of any version, or name, of a local key without an EKM endpoint; default: a new key',
    }),
    raw_policy_enabled: z.boolean().default(false),
    policy: EkmPolicy,
  })),
  ...policyGoesWithRaw,
  needsReasons(basicOf, 'policy/basic/justification_reason'),
  ...attestedOnly,
  algorithmFitsKeyType,
)
export type CreateEkmEndpoint = z.infer<typeof CreateEkmEndpoint>

/** Rules that also depend on the stored endpoint are checked by the verb. */
export const UpdateEkmEndpoint = withRules(
  strictObject(() => ({
    keyURIHostname: HostName.optional(),
    meta: FreeJson.nullable().optional(),
    enabled: z.boolean().optional(),
    cvm_required_for_encrypt: z.boolean().optional(),
    cvm_required_for_decrypt: z.boolean().optional(),
    raw_policy_enabled: z.boolean().optional(),
    policy: EkmPolicy.optional(),
  })),
  needsReasons(basicOf, 'policy/basic/justification_reason'),
)
export type UpdateEkmEndpoint = z.infer<typeof UpdateEkmEndpoint>

export const UpdateEkmPolicy = withRules(
  strictObject(() => ({ basic: BasicEkmPolicy.optional(), rego: RegoText.optional() })),
  needsReasons(basicIn, 'basic/justification_reason'),
)
export type UpdateEkmPolicy = z.infer<typeof UpdateEkmPolicy>

export const EkmEndpointQuery = listQuery(EkmEndpoint, () => ({
  ...anyPatterns('name', 'kekName'),
  ...anyTexts('id', 'keyURIHostname', 'kekID'),
  key_type: anyOf(EKM_KEY_TYPES).optional(),
  algorithm: anyOf(ALGORITHMS).optional(),
  endpoint_type: anyOf(EKM_ENDPOINT_TYPES).optional(),
  enabled: flag().optional(),
  cryptospace_id: anyText().optional(),
}))
export type EkmEndpointQuery = z.infer<typeof EkmEndpointQuery>
