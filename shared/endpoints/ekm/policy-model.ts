import * as z from 'zod'
import { fieldsOf, type Fields } from '../../base/json.ts'
import { JUSTIFICATION_REASONS } from './justification-reasons.ts'
import type { Rule } from '../../http/rules.ts'

/** Ours: with lists no longer than this, the Rego made of them stays far below what a policy may have. */
const MEMBERS_MOST = 100
const Names = z.array(z.string().min(1).max(255)).max(MEMBERS_MOST)

/** Who may call, for which reasons, from where. */
export const BasicEkmPolicy = z.strictObject({
  clients: z.array(z.string().min(1).max(320)).min(1).max(MEMBERS_MOST).meta({ description: 'service accounts' }),
  attestation_instance_names: Names.optional(),
  attestation_project_ids: Names.optional(),
  attestation_zones: Names.optional(),
  justification_reason: z.array(z.enum(JUSTIFICATION_REASONS)).max(JUSTIFICATION_REASONS.length).optional(),
  justification_required: z.boolean().default(false),
})
export type BasicEkmPolicy = z.infer<typeof BasicEkmPolicy>

/** What a body says of a policy, as far as it has the form of one. */
export const policyIn = ({ policy }: Fields): Fields => fieldsOf(policy)
/** What a policy says of its basic kind, as far as it has the form of it. */
export const basicIn = ({ basic }: Fields): Fields => fieldsOf(basic)

export const isEmptyList = (list: unknown): boolean => list === undefined || (Array.isArray(list) && list.length === 0)

/** @param find the basic policy of a body. @param field where that has its reasons */
export const needsReasons = (find: (body: Fields) => Fields, field: string): Rule => ({
  message: 'justification_reason must not be empty when justification_required is true',
  field,
  broken: (body) => find(body).justification_required === true && isEmptyList(find(body).justification_reason),
})

const REGO_BYTES = 65_536
const CONTROL = /[^\P{Cc}\t\n\r]/u
export const RegoText = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= REGO_BYTES, { error: `must have at most ${REGO_BYTES} bytes` })
  // Whoever reads the policy must see what decides. Ill-formed Unicode is refused with any body.
  .refine((text) => !CONTROL.test(text), {
    error: 'must have no control characters other than tab, LF and CR',
  })

/** One of the two, as `raw_policy_enabled` of the endpoint says. */
export const EkmPolicy = z.strictObject({ basic: BasicEkmPolicy.optional(), rego: RegoText.optional() })
export type EkmPolicy = z.infer<typeof EkmPolicy>

/** A policy and the Rego that decides: of a basic one, what is made of it. */
export const EkmPolicyWithText = z.object({ policy: EkmPolicy, raw_policy: z.string() })
export type EkmPolicyWithText = z.infer<typeof EkmPolicyWithText>

/** What a session has proved of the machine that calls. */
const Attestation = z.strictObject({
  instance_name: z.string().max(255).optional(),
  project_id: z.string().max(255).optional(),
  zone: z.string().max(255).optional(),
  technology: z.enum(['NONE', 'AMD_SEV', 'AMD_SEV_ES', 'INTEL_TDX', 'AMD_SEV_SNP']).optional(),
})
/** The input of a decision, as the data plane makes it: a member that is absent stays undefined for the policy. */
export const EkmPolicyInput = z.strictObject({
  clients: z.string().max(320).optional(),
  justificationReason: z.string().max(1_024).optional(),
  operation: z
    .enum(['wrap', 'unwrap', 'asymmetricSign', 'getPublicKey', 'confidentialwrap', 'confidentialunwrap'])
    .optional(),
  isKeyHealthCheck: z.boolean().optional(),
  resourceName: z.string().max(1_024).optional(),
  attestation: Attestation.optional(),
})
export type EkmPolicyInput = z.infer<typeof EkmPolicyInput>
