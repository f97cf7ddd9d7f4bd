import * as z from 'zod'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import { CLOUD_A_NAMES } from '../keys/model.ts'
import { ExternalId } from '../kms/model.ts'
import { RoleArn } from '../role-arn.ts'
import { connectionBodies, CommonConnection, Secret } from '../../../cloud/connections/bodies.ts'
import { requires, type Rule } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'

const AccessKeyId = z.string().regex(/^[A-Z0-9]{16,128}$/, { error: 'must be 16 to 128 of A-Z and 0-9' })
const Region = z
  .string()
  .max(32)
  .regex(/^[a-z]{2}(-[a-z]{2,12}){1,3}-[0-9]{1,2}$/, { error: 'must be the name of a region' })
const STS_ENDPOINTS = ['legacy', 'regional'] as const

/** A role whose credentials the cloud issues for a certificate, without the private key. */
const RoleAnywhereFields = object(() => ({
  anywhere_role_arn: z.string(),
  certificate: z.string().meta({ description: 'PEM' }),
  profile_arn: z.string(),
  trust_anchor_arn: z.string(),
}))
export type RoleAnywhereFields = z.infer<typeof RoleAnywhereFields>

/** Fields of this kind, besides those of every connection. */
export const CloudAConnectionFields = object(() => ({
  cloud_name: z.enum(CLOUD_A_NAMES),
  access_key_id: z.string().optional(),
  region: z.string().optional(),
  sts_regional_endpoints: z.enum(STS_ENDPOINTS),
  assume_role_arn: z.string().optional(),
  assume_role_external_id: z.string().optional(),
  is_role_anywhere: z.literal(true).optional().meta({ description: 'absent unless it enters by a certificate' }),
  role_anywhere: RoleAnywhereFields.optional(),
}))
export type CloudAConnectionFields = z.infer<typeof CloudAConnectionFields>

export const CloudAConnection = extended(CommonConnection, () => ({
  service: z.literal('cloud-a'),
  ...CloudAConnectionFields.shape,
}))

const PEM_CHARACTERS = 16_384
const Pem = z.string().min(1).max(PEM_CHARACTERS)
const anywhereArn = (kind: string) =>
  z
    .string()
    .max(2_048)
    .regex(
      new RegExp(
        `^arn:[a-z-]{3,16}:rolesanywhere:[a-z]{2}(-[a-z]{2,12}){1,3}-[0-9]{1,2}:\\d{12}:${kind}/[0-9a-f-]{36}$`,
      ),
      {
        error: `must be the ARN of a ${kind}`,
      },
    )

/** A certificate to be exchanged for credentials of a role, as in a body. */
const GivenRoleAnywhere = strictObject(() => ({
  anywhere_role_arn: RoleArn,
  certificate: Pem.meta({ description: 'PEM; certificates that lead from it to the trust anchor may follow' }),
  private_key: Pem.optional().meta({
    writeOnly: true,
    description: 'PEM, not encrypted; that of a request (connections/csr) without it',
  }),
  profile_arn: anywhereArn('profile'),
  trust_anchor_arn: anywhereArn('trust-anchor'),
}))
export type GivenRoleAnywhere = z.infer<typeof GivenRoleAnywhere>

/** Without a key pair and a certificate, the connection uses a role of the deployment. */
export const CLOUD_A_BODIES = connectionBodies(
  {
    access_key_id: AccessKeyId.optional(),
    secret_access_key: Secret.optional(),
    region: Region.optional().meta({
      description: 'where tokens are asked for when sts_regional_endpoints is regional',
    }),
    assume_role_arn: RoleArn.optional(),
    assume_role_external_id: ExternalId.optional(),
    cloud_name: z.enum(CLOUD_A_NAMES).default('cloud-a'),
    sts_regional_endpoints: z.enum(STS_ENDPOINTS).default('legacy'),
    is_role_anywhere: z.boolean().optional().meta({ description: 'true: enters by a certificate' }),
    role_anywhere: GivenRoleAnywhere.optional(),
  },
  {
    cloud_name: z.enum(CLOUD_A_NAMES).optional(),
    access_key_id: AccessKeyId.nullable().optional(),
    secret_access_key: Secret.nullable().optional().meta({ description: 'stays when it is left out' }),
    region: Region.nullable().optional(),
    sts_regional_endpoints: z.enum(STS_ENDPOINTS).nullable().optional().meta({ description: 'null is legacy' }),
    assume_role_arn: RoleArn.nullable().optional(),
    assume_role_external_id: ExternalId.nullable().optional(),
    is_role_anywhere: z.boolean().optional().meta({ description: 'true: a certificate replaces access keys' }),
    role_anywhere: GivenRoleAnywhere.partial().nullable().optional().meta({
      description: 'absent fields are unchanged; the private key stays as long as the certificate belongs to it',
    }),
  },
)
export type UnsavedCloudAConnection = z.infer<(typeof CLOUD_A_BODIES)['unsaved']>
export type UpdateCloudAConnection = z.infer<(typeof CLOUD_A_BODIES)['update']>

const isRegional = ({ sts_regional_endpoints: endpoints }: Readonly<Record<string, unknown>>): boolean =>
  endpoints === 'regional'

/** Rules between the fields that do not depend on the cloud. */
export const CLOUD_A_FIELD_RULES: readonly Rule[] = [
  requires('access_key_id', 'secret_access_key'),
  requires('secret_access_key', 'access_key_id'),
  requires('assume_role_external_id', 'assume_role_arn'),
  {
    message: 'access_key_id and is_role_anywhere are mutually exclusive',
    field: 'is_role_anywhere',
    broken: (body) => typeof body.access_key_id === 'string' && body.is_role_anywhere === true,
  },
  {
    message: 'region is only used when sts_regional_endpoints is regional',
    field: 'region',
    broken: (body) => typeof body.region === 'string' && !isRegional(body),
  },
  {
    // Ours: otherwise the region in which the connection logs in would depend on where the service runs.
    message: 'sts_regional_endpoints regional needs region',
    field: 'region',
    broken: (body) => isRegional(body) && (body.region === undefined || body.region === null),
  },
]

/** A connection to this cloud, as stored. */
export type CloudAConnectionRecord = ConnectionOf<CloudAConnectionFields>
