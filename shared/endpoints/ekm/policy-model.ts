import * as z from 'zod'
import { fieldsOf, type Fields } from '../../base/json.ts'
import { JUSTIFICATION_REASONS } from './justification-reasons.ts'
import type { Rule } from '../../http/rules.ts'
import { RegoText } from '../../endpoint/policy-model.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

/** Ours: lists of this length keep the generated Rego far below the size limit of a policy. */
const MEMBERS_MOST = 100
const Names = z.array(z.string().min(1).max(255)).max(MEMBERS_MOST)

/** Callers, reasons and addresses that are allowed. */
export const BasicEkmPolicy = strictObject(() => ({
  clients: z.array(z.string().min(1).max(320)).min(1).max(MEMBERS_MOST).meta({ description: 'service accounts' }),
  attestation_instance_names: Names.optional(),
  attestation_project_ids: Names.optional(),
  attestation_zones: Names.optional(),
  justification_reason: z.array(z.enum(JUSTIFICATION_REASONS)).max(JUSTIFICATION_REASONS.length).optional(),
  justification_required: z.boolean().default(false),
}))
export type BasicEkmPolicy = z.infer<typeof BasicEkmPolicy>

/** The policy of a body; empty unless it is an object. */
export const policyIn = ({ policy }: Fields): Fields => fieldsOf(policy)
/** The basic part of a policy; empty unless it is an object. */
export const basicIn = ({ basic }: Fields): Fields => fieldsOf(basic)

export const isEmptyList = (list: unknown): boolean => list === undefined || (Array.isArray(list) && list.length === 0)

/** @param find the basic policy of a body @param field pointer to its reasons */
export const needsReasons = (find: (body: Fields) => Fields, field: string): Rule => ({
  message: 'justification_reason must not be empty when justification_required is true',
  field,
  broken: (body) => find(body).justification_required === true && isEmptyList(find(body).justification_reason),
})

/** One of the two, according to `raw_policy_enabled` of the endpoint. */
export const EkmPolicy = strictObject(() => ({ basic: BasicEkmPolicy.optional(), rego: RegoText.optional() }))
export type EkmPolicy = z.infer<typeof EkmPolicy>

/** A policy and the Rego that decides: for a basic one, the generated text. */
export const EkmPolicyWithText = object(() => ({ policy: EkmPolicy, raw_policy: z.string() }))
export type EkmPolicyWithText = z.infer<typeof EkmPolicyWithText>

/** Facts that a session has proved about the calling machine. */
const Attestation = strictObject(() => ({
  instance_name: z.string().max(255).optional(),
  project_id: z.string().max(255).optional(),
  zone: z.string().max(255).optional(),
  technology: z.enum(['NONE', 'AMD_SEV', 'AMD_SEV_ES', 'INTEL_TDX', 'AMD_SEV_SNP']).optional(),
}))
/** The input of a decision, as the data plane builds it: an absent member is undefined for the policy. */
export const EkmPolicyInput = strictObject(() => ({
  clients: z.string().max(320).optional(),
  justificationReason: z.string().max(1_024).optional(),
  operation: z
    .enum([
      'wrap',
      'unwrap',
      'asymmetricSign',
      'asymmetricVerify',
      'getPublicKey',
      'confidentialwrap',
      'confidentialunwrap',
      'createKey',
      'destroyKey',
    ])
    .optional(),
  isKeyHealthCheck: z.boolean().optional(),
  resourceName: z.string().max(1_024).optional(),
  attestation: Attestation.optional(),
}))
export type EkmPolicyInput = z.infer<typeof EkmPolicyInput>
