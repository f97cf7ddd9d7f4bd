import * as z from 'zod'
import { RegoText } from '../../../endpoint/policy-model.ts'
import { Name, NameOrId } from '../../../http/common-fields.ts'
import { HostName } from '../../../http/host-name.ts'
import { isGiven } from '../../../base/json.ts'
import { atMostOne, withRules } from '../../../http/rules.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import { SOURCE_TIERS } from './params.ts'

const Port = z.int().min(1).max(65_535)
const ClientId = z.string().min(1).max(255)
const SourceTier = z.enum(SOURCE_TIERS).default('local')

export const CreateExternalVault = withRules(
  strictObject(() => ({
    vault_name: Name,
    client_application_id: ClientId.meta({ description: 'client of the issuer that may call the vault' }),
    issuer_id: NameOrId,
    endpoint_url_hostname: HostName.meta({ description: 'host by which the cloud reaches this service' }),
    endpoint_url_port: Port.default(443),
    connection: NameOrId.optional(),
    tenancy: NameOrId.optional().meta({ description: "id or name of a tenancy, or the cloud's id of it" }),
    policy: RegoText.optional(),
    blocked: z.boolean().default(false),
    source_key_tier: SourceTier,
    enable_success_audit_event: z.boolean().default(true),
  })),
  atMostOne('connection', 'tenancy'),
  {
    message: 'connection or tenancy is required',
    field: 'connection',
    broken: ({ connection, tenancy }) => !isGiven(connection) && !isGiven(tenancy),
  },
)
export type CreateExternalVault = z.infer<typeof CreateExternalVault>

/** Changes that apply to external vaults only. */
export const externalVaultChanges = {
  vault_name: Name.optional(),
  issuer_id: NameOrId.optional(),
  endpoint_url_hostname: HostName.optional(),
  endpoint_url_port: Port.optional(),
  policy: RegoText.nullable().optional(),
  enable_success_audit_event: z.boolean().optional(),
  client_application_id: ClientId.optional(),
}
export const EXTERNAL_VAULT_FIELDS = Object.keys(externalVaultChanges)

export const CreateExternalKey = strictObject(() => ({
  vault: NameOrId.meta({ description: 'id or name of an external vault' }),
  name: Name,
  source_key_identifier: NameOrId.meta({ description: 'id or name of a local AES key of 256 bits' }),
  source_key_tier: SourceTier,
  policy: RegoText.optional(),
}))
export type CreateExternalKey = z.infer<typeof CreateExternalKey>

/** Changes that apply to external keys only. */
export const externalKeyChanges = { name: Name.optional(), policy: RegoText.nullable().optional() }
