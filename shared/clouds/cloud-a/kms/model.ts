import * as z from 'zod'
import { CommonContainer, commonContainerFilters } from '../../../cloud/containers/model.ts'
import { CloudAAlias } from '../keys/bodies.ts'
import { CLOUD_A_NAMES } from '../keys/model.ts'
import { RoleArn } from '../role-arn.ts'
import { Name, NameOrId, Time } from '../../../http/common-fields.ts'
import { anyOf, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { requires, withRules } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'

export const KMS_STATUSES = ['active', 'archived'] as const
export type KmsStatus = (typeof KMS_STATUSES)[number]

/** One account and some of its regions, accessed through a connection. */
export const CloudAKms = extended(CommonContainer, () => ({
  account_id: z.string(),
  arn: z.string().meta({ description: 'the identity the connection turns out to be' }),
  assume_role_arn: z.string().optional(),
  assume_role_external_id: z.string().optional(),
  regions: z.array(z.string()),
  cloud_name: z.enum(CLOUD_A_NAMES),
  status: z.enum(KMS_STATUSES),
  auto_added: z.boolean(),
  last_synchronized_at: Time.optional(),
}))
export type CloudAKms = z.infer<typeof CloudAKms>

export const ExternalId = z
  .string()
  .regex(/^[\w+=,.@:/-]{2,1224}$/, { error: 'must have 2 to 1224 letters, digits and _+=,.@:/-' })
const AccountId = z.string().regex(/^\d{12}$/, { error: 'must have 12 digits' })
export const Region = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, { error: 'must be a region such as us-east-1' })
const Regions = z
  .array(Region)
  .min(1)
  .max(64)
  .refine((regions) => new Set(regions).size === regions.length, { error: 'must not name a region twice' })

const role = { assume_role_arn: RoleArn.optional(), assume_role_external_id: ExternalId.optional() }

export const ReadAccount = withRules(
  z.strictObject({ connection: NameOrId, ...role }),
  requires('assume_role_external_id', 'assume_role_arn'),
)
export type ReadAccount = z.infer<typeof ReadAccount>
export const CloudAAccount = object(() => ({
  account_id: z.string(),
  regions: z.array(z.string()),
  assume_role_arn: z.string().optional(),
  assume_role_external_id: z.string().optional(),
}))
export type CloudAAccount = z.infer<typeof CloudAAccount>

export const CreateCloudAKms = withRules(
  z.strictObject({ name: Name, account_id: AccountId, connection: NameOrId, regions: Regions, ...role }),
  requires('assume_role_external_id', 'assume_role_arn'),
)
export type CreateCloudAKms = z.infer<typeof CreateCloudAKms>

export const UpdateCloudAKms = strictObject(() => ({
  regions: Regions.optional(),
  connection: NameOrId.optional(),
  assume_role_arn: RoleArn.nullable().optional(),
  assume_role_external_id: ExternalId.nullable().optional(),
}))
export type UpdateCloudAKms = z.infer<typeof UpdateCloudAKms>

export const CloudAKmsQuery = listQuery(CloudAKms, () => ({
  ...commonContainerFilters,
  ...anyTexts('account_id'),
  cloud_name: anyOf(CLOUD_A_NAMES).optional(),
  status: anyOf(KMS_STATUSES).optional(),
}))

/** Bodies of live reads of the account of a connection, or of an entry. */
export const ReadRegions = z.strictObject({ connection: NameOrId })
export const AllRegions = object(() => ({ regions: z.array(z.string()) }))
export const VerifyAlias = strictObject(() => ({
  alias: CloudAAlias,
  kms: NameOrId,
  region: z.string().min(1).max(32),
}))
export type VerifyAlias = z.infer<typeof VerifyAlias>
export const AliasAvailable = object(() => ({ available: z.boolean() }))
export const ReadIdentities = strictObject(() => ({
  kms: NameOrId,
  path_prefix: z.string().min(1).max(512).optional(),
  max_items: z.int().min(1).max(1_000).optional(),
  marker: z.string().min(1).max(10_000).optional(),
}))
export type ReadIdentities = z.infer<typeof ReadIdentities>
const Identity = object(() => ({ name: z.string(), arn: z.string() }))
export const IdentityUsers = object(() => ({
  users: z.array(Identity),
  marker: z.string().optional(),
  is_truncated: z.boolean(),
}))
export type IdentityUsers = z.infer<typeof IdentityUsers>
export const IdentityRoles = object(() => ({
  roles: z.array(Identity),
  marker: z.string().optional(),
  is_truncated: z.boolean(),
}))
export type IdentityRoles = z.infer<typeof IdentityRoles>
export const ReadLogGroups = strictObject(() => ({
  kms: NameOrId,
  region: z.string().min(1).max(32),
  limit: z.int().min(1).max(50).optional(),
  logGroupNamePrefix: z.string().min(1).max(512).optional(),
  nextToken: z.string().min(1).max(10_000).optional(),
}))
export type ReadLogGroups = z.infer<typeof ReadLogGroups>
export const LogGroups = object(() => ({ log_groups: z.array(z.string()), nextToken: z.string().optional() }))
export type LogGroups = z.infer<typeof LogGroups>
