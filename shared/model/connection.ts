import * as z from 'zod'
import { CLOUD_A_NAMES } from './cloud-a-key.ts'
import { ExternalId, RoleArn } from './cloud-a-kms.ts'
import { FreeJson, Labelled, Labels, Name, NameOrId, Resource, Time, Words } from './common.ts'
import { anyOf, anyText, flag, listQuery, oneText, time } from './query.ts'
import { requires, type Rule } from './rules.ts'

/** The kinds of cloud a connection can lead to: `{svc}` of the paths, `service` of the record. */
export const CLOUD_KINDS = ['cloud-a', 'cloud-b', 'cloud-c', 'cloud-d', 'crm', 'datacust'] as const
export type CloudKind = (typeof CLOUD_KINDS)[number]

const CATEGORIES = ['cloud', 'log-forwarder'] as const

/** What a connection is for unless somebody says otherwise: containers of this service. */
export const OWN_PRODUCT = 'keymgr'
const Products = z
  .array(z.string().min(1).max(64))
  .min(1)
  .max(20)
  .meta({ description: `products that may use the connection; ${OWN_PRODUCT} unless said otherwise` })

const AccessKeyId = z.string().regex(/^[A-Z0-9]{16,128}$/, { error: 'must be 16 to 128 of A-Z and 0-9' })
const Region = z
  .string()
  .max(32)
  .regex(/^[a-z]{2}(-[a-z]{2,12}){1,3}-[0-9]{1,2}$/, { error: 'must be the name of a region' })
const STS_ENDPOINTS = ['legacy', 'regional'] as const

/** A connection, as shown: its secrets never are. The fields of a cloud are that cloud's own (interface "Connection"). */
export const Connection = Resource.extend({
  name: z.string(),
  description: z.string().optional(),
  service: z.enum(CLOUD_KINDS),
  category: z.enum(CATEGORIES),
  resource_url: z.string(),
  products: z.array(z.string()),
  labels: Labels,
  meta: FreeJson.optional(),
  cloud_name: z.enum(CLOUD_A_NAMES),
  access_key_id: z.string().optional(),
  region: z.string().optional(),
  sts_regional_endpoints: z.enum(STS_ENDPOINTS),
  assume_role_arn: z.string().optional(),
  assume_role_external_id: z.string().optional(),
  last_connection_ok: z.boolean().optional().meta({ description: 'absent before the first test' }),
  last_connection_error: z.string().optional(),
  last_connection_at: Time.optional(),
  ready: z.boolean().meta({ description: 'whether the last test was ok' }),
})
export type Connection = z.infer<typeof Connection>

export const ConnectionPath = z.strictObject({ id: NameOrId.meta({ description: 'id or name' }) })

/** How a certificate is traded for credentials. Taken apart only to be refused by name. */
const RoleAnywhere = z.strictObject({
  anywhere_role_arn: z.string().max(2_048),
  certificate: z.string().max(16_384),
  private_key: z.string().max(16_384),
  profile_arn: z.string().max(2_048),
  trust_anchor_arn: z.string().max(2_048),
})

const Secret = z.string().min(1).max(1_024).meta({ writeOnly: true })
const NOT_OFFERED = 'not offered yet'

/** What every body may bring besides what it must. */
const optional = {
  description: Words.optional(),
  labels: Labelled.optional(),
  meta: FreeJson.optional(),
  access_key_id: AccessKeyId.optional(),
  secret_access_key: Secret.optional(),
  region: Region.optional().meta({ description: 'where tokens are asked for when sts_regional_endpoints is regional' }),
  assume_role_arn: RoleArn.optional(),
  assume_role_external_id: ExternalId.optional(),
  is_role_anywhere: z.boolean().optional().meta({ description: NOT_OFFERED }),
  role_anywhere: RoleAnywhere.optional().meta({ description: NOT_OFFERED }),
}

/** Body that is tested without being stored. Without a key pair, the deployment enters through a role of its own. */
export const UnsavedConnection = z.strictObject({
  ...optional,
  products: Products.default([OWN_PRODUCT]),
  cloud_name: z.enum(CLOUD_A_NAMES).default('cloud-a'),
  sts_regional_endpoints: z.enum(STS_ENDPOINTS).default('legacy'),
})
export type UnsavedConnection = z.infer<typeof UnsavedConnection>

export const CreateConnection = UnsavedConnection.extend({ name: Name })
export type CreateConnection = z.infer<typeof CreateConnection>

/** What holds in the record a change leaves behind: rules between fields need not be kept by the change alone. */
export const UpdateConnection = z
  .strictObject({
    description: Words.nullable().optional(),
    products: Products.optional(),
    labels: Labelled.nullable().optional().meta({ description: 'takes the place of all labels' }),
    meta: FreeJson.nullable().optional(),
    cloud_name: z.enum(CLOUD_A_NAMES).optional(),
    access_key_id: AccessKeyId.nullable().optional(),
    secret_access_key: Secret.nullable().optional().meta({ description: 'stays when it is left out' }),
    region: Region.nullable().optional(),
    sts_regional_endpoints: z.enum(STS_ENDPOINTS).nullable().optional().meta({ description: 'null is legacy' }),
    assume_role_arn: RoleArn.nullable().optional(),
    assume_role_external_id: ExternalId.nullable().optional(),
    is_role_anywhere: z.boolean().optional().meta({ description: NOT_OFFERED }),
    role_anywhere: RoleAnywhere.optional().meta({ description: NOT_OFFERED }),
  })
  .meta({ description: 'The rules of creation hold for the connection as it is afterwards.' })
export type UpdateConnection = z.infer<typeof UpdateConnection>

const isRegional = ({ sts_regional_endpoints: endpoints }: Readonly<Record<string, unknown>>): boolean =>
  endpoints === 'regional'

/** Rules between the fields that can be told without knowing the cloud. */
export const CONNECTION_RULES: readonly Rule[] = [
  requires('access_key_id', 'secret_access_key'),
  requires('secret_access_key', 'access_key_id'),
  requires('assume_role_external_id', 'assume_role_arn'),
  {
    says: 'access_key_id and is_role_anywhere are mutually exclusive',
    field: 'is_role_anywhere',
    broken: (body) => typeof body.access_key_id === 'string' && body.is_role_anywhere === true,
  },
  {
    says: 'region is only used when sts_regional_endpoints is regional',
    field: 'region',
    broken: (body) => typeof body.region === 'string' && !isRegional(body),
  },
  {
    // Ours: without it, where the connection logs in would depend on where the service runs.
    says: 'sts_regional_endpoints regional needs region',
    field: 'region',
    broken: (body) => isRegional(body) && (body.region === undefined || body.region === null),
  },
]

export const ForceDeletion = z.strictObject({
  force: z.boolean().default(false).meta({ description: 'also while something uses it, which then has none' }),
})

/** What a test found. */
export const ConnectionTest = z.object({
  connection_ok: z.boolean(),
  connection_error: z.string().optional().meta({ description: 'why not, without secrets' }),
})
export type ConnectionTest = z.infer<typeof ConnectionTest>

export const ConnectionQuery = listQuery(
  ['createdAt', 'updatedAt', 'name', 'service', 'cloud_name', 'last_connection_ok', 'last_connection_at'],
  {
    id: anyText().optional(),
    name: anyText().optional(),
    service: anyOf(CLOUD_KINDS).optional(),
    category: anyOf(CATEGORIES).optional(),
    cloud_name: anyText().optional(),
    products: anyText().optional(),
    labels_query: oneText().optional(),
    meta_contains: oneText().optional(),
    last_connection_ok: flag().optional(),
    last_connection_after: time().optional(),
    last_connection_before: time().optional(),
    fields: anyText()
      .optional()
      .meta({ description: 'records are always whole; taken so that clients which ask for fields are served' }),
  },
)
export type ConnectionQuery = z.infer<typeof ConnectionQuery>
