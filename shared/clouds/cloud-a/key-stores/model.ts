import * as z from 'zod'
import { fieldsOf, type Fields } from '../../../base/json.ts'
import { CLOUD_A_NAMES } from '../keys/model.ts'
import { column, Name, NameOrId, Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'

/**
 * `LOCAL`: contains keys of keymgr; `REMOTE`: created by others and found; the hardware kind contains no keys of
 * keymgr.
 */
export const KEY_STORE_TYPES = ['LOCAL', 'REMOTE', 'CLOUD_A_HSM'] as const
export const EXTERNAL = 'EXTERNAL_KEY_STORE'
/** The interface spells the hardware kind in two ways: both are accepted, and answers contain this one. */
export const HARDWARE = 'CLOUD_A_HSM'
const HARDWARE_FILTER = 'CLOUD_HSM'
export const CONNECTIVITIES = ['PUBLIC_ENDPOINT', 'VPC_ENDPOINT_SERVICE'] as const
export const CONNECTION_STATES = ['DISCONNECTED', 'CONNECTING', 'CONNECTED', 'DISCONNECTING', 'FAILED'] as const

const KeyStoreCloudParam = object(() => ({
  custom_key_store_name: z.string(),
  custom_key_store_type: z.enum([EXTERNAL, HARDWARE]),
  custom_key_store_id: z.string().optional().meta({ description: "the cloud's own id; absent until linked" }),
  connection_state: z.enum(CONNECTION_STATES).optional(),
  connection_error_details: z.string().optional(),
  xks_proxy_uri_endpoint: z.string().optional(),
  xks_proxy_uri_path: z.string().optional(),
  xks_proxy_connectivity: z.enum(CONNECTIVITIES).optional(),
  xks_proxy_vpc_endpoint_service_name: z.string().optional(),
  cloud_hsm_cluster_id: z.string().optional(),
  trust_anchor_certificate: z.string().optional(),
  creation_date: Time.optional(),
}))
const KeyStoreLocalParams = object(() => ({
  blocked: z.boolean(),
  policy: z.object({ reserved: z.boolean() }),
  linked_state: z.boolean(),
  partition_label: z.string().optional().meta({ description: 'empty for local keys, which have no partitions' }),
  partition_id: z.string().optional().meta({ description: 'empty, as the label' }),
  source_container_id: z.string().optional().meta({ description: 'of local keys: their domain' }),
  source_container_type: z.string().optional().meta({ description: 'local' }),
  health_check_key_id: z.string(),
  health_check_ciphertext: z.string(),
  health_check_uri_path: z.string(),
  max_credentials: z.int(),
  source_key_tier: z.literal('local'),
  mtls_enabled: z.boolean(),
}))

export const CustomKeyStore = extended(Resource, () => ({
  name: z.string(),
  kms: z.string().meta(column('container')),
  kms_id: z.string(),
  region: z.string(),
  type: z.enum(KEY_STORE_TYPES),
  locally_hosted: z.boolean(),
  linked_state: z.boolean(),
  credential_version: z.int().optional(),
  credential_count: z.int().optional(),
  oldest_credential_id: z.string().optional(),
  version_count: z.int(),
  cloud_name: z.enum(CLOUD_A_NAMES),
  enable_success_audit_event: z.boolean(),
  labels: z.object({ job_config_id: z.string() }).optional(),
  synced_at: Time.optional(),
  gone: z.boolean(),
  cloud_a_param: KeyStoreCloudParam,
  local_hosted_params: KeyStoreLocalParams.optional(),
}))
export type CustomKeyStore = z.infer<typeof CustomKeyStore>

/** With the credential pair: the response of a creation and of a credential rotation, shown once. */
export const CustomKeyStoreWithSecret = extended(CustomKeyStore, () => ({
  access_key_id: z.string().optional(),
  secret_access_key: z.string().optional(),
}))
export type CustomKeyStoreWithSecret = z.infer<typeof CustomKeyStoreWithSecret>

const Endpoint = z
  .string()
  .min(10)
  .max(128)
  .regex(/^https:\/\/[a-zA-Z0-9.-]+$/, { error: 'must be https:// and a DNS host name, without port or path' })
  .refine((endpoint) => /\.[a-zA-Z][a-zA-Z0-9-]*$/.test(endpoint), { error: 'must be a fully qualified DNS name' })
const ServiceName = z
  .string()
  .min(20)
  .max(64)
  .regex(/^(com|eu)\.amazonaws\.vpce\.[a-z0-9-]+\.vpce-svc-[0-9a-z]+$/, {
    error: 'must be the name of a VPC endpoint service',
  })
/** Interface: "integer (documented as string)": both are accepted, an integer is returned. */
const MaxCredentials = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^\d{1,3}$/)
      .transform(Number),
  ])
  .refine((count) => count >= 2 && count <= 20, { error: 'must be between 2 and 20' })
const ClusterId = z.string().regex(/^cluster-[0-9a-zA-Z]{11,16}$/, { error: 'must be the id of a cluster' })
const StorePassword = z.string().min(7).max(32).meta({ writeOnly: true })
const TrustAnchor = z.string().min(1).max(5_000)

const param = (body: Fields): Fields => fieldsOf(body.cloud_a_param)
const isHardware = (body: Fields): boolean => {
  const type = param(body).custom_key_store_type
  return type === HARDWARE || type === HARDWARE_FILTER
}
const needs = (hardware: boolean, field: string): Rule => ({
  message: `${field} is required for ${hardware ? 'hardware-cluster' : 'external'} key stores`,
  field: `cloud_a_param/${field}`,
  broken: (body) => isHardware(body) === hardware && param(body)[field] === undefined,
})
const only = (hardware: boolean, field: string): Rule => ({
  message: `${field} is for ${hardware ? 'hardware-cluster' : 'external'} key stores only`,
  field: `cloud_a_param/${field}`,
  broken: (body) => isHardware(body) !== hardware && param(body)[field] !== undefined,
})
const serviceGoesWithVpc: Rule = {
  message:
    'xks_proxy_vpc_endpoint_service_name goes with xks_proxy_connectivity VPC_ENDPOINT_SERVICE, and is required there',
  field: 'cloud_a_param/xks_proxy_vpc_endpoint_service_name',
  broken: (body) =>
    (param(body).xks_proxy_connectivity === 'VPC_ENDPOINT_SERVICE') !==
    (param(body).xks_proxy_vpc_endpoint_service_name !== undefined),
}

export const CreateCustomKeyStore = withRules(
  strictObject(() => ({
    name: Name,
    kms: NameOrId,
    region: z.string().min(1).max(32),
    linked_state: z
      .boolean()
      .default(false)
      .meta({ description: 'whether the cloud makes its side at once; refused for a store that is blocked' }),
    enable_success_audit_event: z
      .boolean()
      .default(false)
      .meta({ description: 'greatly reduces performance; for troubleshooting and demonstrations' }),
    local_hosted_params: z
      .strictObject({
        blocked: z
          .boolean()
          .default(false)
          .meta({ description: 'refused with linked_state: a blocked store answers no cloud, so none can link it' }),
        mtls_enabled: z.boolean().default(false),
        health_check_key_id: z.string().min(1).max(255),
        max_credentials: MaxCredentials,
        source_key_tier: z.literal('local').default('local'),
      })
      .optional(),
    cloud_a_param: z.strictObject({
      custom_key_store_type: z.enum([EXTERNAL, HARDWARE, HARDWARE_FILTER]).default(EXTERNAL),
      cloud_hsm_cluster_id: ClusterId.optional(),
      key_store_password: StorePassword.optional(),
      trust_anchor_certificate: TrustAnchor.optional(),
      xks_proxy_connectivity: z.enum(CONNECTIVITIES).optional().meta({ description: 'PUBLIC_ENDPOINT without it' }),
      xks_proxy_uri_endpoint: Endpoint.optional(),
      xks_proxy_uri_path: z
        .string()
        .max(128)
        .optional()
        .meta({ description: 'generated by the service: any value in a body is refused' }),
      xks_proxy_vpc_endpoint_service_name: ServiceName.optional(),
    }),
  })),
  needs(true, 'cloud_hsm_cluster_id'),
  needs(true, 'key_store_password'),
  needs(true, 'trust_anchor_certificate'),
  needs(false, 'xks_proxy_uri_endpoint'),
  only(true, 'cloud_hsm_cluster_id'),
  only(true, 'key_store_password'),
  only(true, 'trust_anchor_certificate'),
  only(false, 'xks_proxy_uri_endpoint'),
  only(false, 'xks_proxy_connectivity'),
  only(false, 'xks_proxy_vpc_endpoint_service_name'),
  serviceGoesWithVpc,
  {
    message: 'local_hosted_params is required for external key stores, and only there',
    field: 'local_hosted_params',
    broken: (body) => isHardware(body) !== (body.local_hosted_params === undefined),
  },
)
export type CreateCustomKeyStore = z.infer<typeof CreateCustomKeyStore>

export const UpdateCustomKeyStore = strictObject(() => ({
  name: Name.optional(),
  enable_success_audit_event: z.boolean().optional(),
  cloud_a_param: z
    .strictObject({
      cloud_hsm_cluster_id: ClusterId.optional(),
      key_store_password: StorePassword.optional(),
      xks_proxy_connectivity: z.enum(CONNECTIVITIES).optional(),
      xks_proxy_uri_endpoint: Endpoint.optional(),
      xks_proxy_vpc_endpoint_service_name: ServiceName.optional(),
    })
    .optional(),
  local_hosted_params: z
    .strictObject({
      health_check_key_id: z.string().min(1).max(255).optional(),
      mtls_enabled: z.boolean().optional(),
      max_credentials: MaxCredentials.optional(),
    })
    .optional(),
}))
export type UpdateCustomKeyStore = z.infer<typeof UpdateCustomKeyStore>

export const ConnectCustomKeyStore = strictObject(() => ({ key_store_password: StorePassword.optional() }))
export type ConnectCustomKeyStore = z.infer<typeof ConnectCustomKeyStore>
export const LinkCustomKeyStore = strictObject(() => ({
  cloud_a_param: z
    .strictObject({
      xks_proxy_uri_endpoint: Endpoint.optional(),
      xks_proxy_vpc_endpoint_service_name: ServiceName.optional(),
    })
    .prefault({}),
}))
export type LinkCustomKeyStore = z.infer<typeof LinkCustomKeyStore>

export const CustomKeyStoreQuery = listQuery(
  CustomKeyStore,
  () => ({
    ...anyPatterns('name'),
    ...anyTexts('id', 'kms', 'region'),
    cloud_name: anyOf(CLOUD_A_NAMES).optional(),
    type: anyOf([...KEY_STORE_TYPES, HARDWARE_FILTER]).optional(),
    blocked: flag().optional(),
    linked_state: flag().optional(),
    xks_proxy_connectivity: anyOf(CONNECTIVITIES).optional(),
    connection_state: anyOf(CONNECTION_STATES).optional(),
    source_key_tier: anyOf(['local']).optional(),
    custom_key_store_type: anyOf([EXTERNAL, HARDWARE, HARDWARE_FILTER]).optional(),
  }),
  ['connection_state', 'blocked', 'source_key_tier', 'xks_proxy_connectivity', 'custom_key_store_type'],
)
export type CustomKeyStoreQuery = z.infer<typeof CustomKeyStoreQuery>

export const KeyStoreCredential = extended(Resource, () => ({
  custom_key_store_id: z.string(),
  access_key_id: z.string(),
  version: z.int(),
  is_latest: z.boolean(),
  in_use_by_cloud: z.boolean(),
  last_used_at: Time.optional().meta({ description: 'of a call signed with it, to within a quarter of an hour' }),
}))
export type KeyStoreCredential = z.infer<typeof KeyStoreCredential>
export const KeyStoreCredentialPath = z.strictObject({ id: Uuid, credential_id: Uuid })
export const KeyStoreCredentialQuery = listQuery(KeyStoreCredential, () => ({}))
export type KeyStoreCredentialQuery = z.infer<typeof KeyStoreCredentialQuery>

/** Answer of the protocol's health call, and a summary of it. */
export const KeyStoreHealth = object(() => ({
  healthStatus: z.enum(['ACTIVE', 'DEGRADED', 'UNAVAILABLE']),
  xksProxyFleetSize: z.int(),
  xksProxyVendor: z.string(),
  xksProxyModel: z.string(),
  ekmVendor: z.string(),
  ekmFleetDetails: z.array(
    z.object({ id: z.string(), model: z.string(), healthStatus: z.enum(['ACTIVE', 'DEGRADED', 'UNAVAILABLE']) }),
  ),
}))

export const EnableCredentialRotation = z.strictObject({ job_config_id: Uuid })

export const ReadUnusedClusters = strictObject(() => ({ kms: NameOrId, region: z.string().min(1).max(32) }))
export const UnusedClusters = object(() => ({
  clusters: z.array(
    z.object({ cluster_id: z.string(), state: z.string(), number_of_hsms: z.int(), vpc_id: z.string() }),
  ),
}))
