import * as z from 'zod'
import { object } from '../../../base/lazy-fields.ts'

/** Where the local keys of an external vault are kept: all of its keys, and all their versions, are of one tier. */
export const SOURCE_TIERS = ['local'] as const

/** The fields of an external vault besides those of every vault. */
export const ExternalVaultParams = object(() => ({
  vault_name: z.string(),
  issuer_id: z.string().meta({ description: 'issuer of the tokens of its callers' }),
  client_application_id: z.string().meta({ description: 'client of the issuer that may call it' }),
  endpoint_url_hostname: z.string(),
  endpoint_url_port: z.int(),
  endpoint_url: z.string().meta({ description: "address of the vault here, for the cloud's console" }),
  policy: z.string().optional().meta({ description: 'in Rego; checked after everything else' }),
  blocked: z.boolean().meta({ description: 'whether all calls but that for its metadata are refused' }),
  linked_state: z.boolean().meta({ description: 'whether the cloud has asked for its metadata' }),
  source_key_tier: z.enum(SOURCE_TIERS),
  enable_success_audit_event: z.boolean(),
}))

/** The fields of an external key besides those of every key. */
export const HyokKeyParams = object(() => ({
  name: z.string(),
  blocked: z.boolean().meta({ description: 'whether every use is refused' }),
  linked_state: z.boolean().meta({ description: 'whether the cloud has asked for its metadata' }),
  policy: z.string().optional().meta({ description: "in Rego; checked after the vault's" }),
  state: z.enum(['ENABLED', 'DISABLED']).meta({ description: 'DISABLED while it is blocked' }),
}))

/** A policy as stored: later reads use the dialect in which it was parsed. */
export const StoredPolicy = object(() => ({ text: z.string(), dialect: z.enum(['v0', 'v1']) }))
export type StoredPolicy = z.infer<typeof StoredPolicy>

/** Fields of records with a policy. The digest replaces it in audit records. */
export const withPolicy = { policy: StoredPolicy.optional(), policy_hash: z.string().optional() }
export interface WithPolicy {
  readonly policy?: StoredPolicy | undefined
  readonly policy_hash?: string | undefined
}

export const StoredExternalParams = ExternalVaultParams.omit({ vault_name: true, endpoint_url: true, policy: true })
export type StoredExternalParams = z.infer<typeof StoredExternalParams>
export const StoredHyokParams = HyokKeyParams.pick({ blocked: true, linked_state: true })
export type StoredHyokParams = z.infer<typeof StoredHyokParams>
