import * as z from 'zod'
import { CustomKeyStore } from './model.ts'
import { Time } from '../../../http/common-fields.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { usedVersion } from '../../../vault/keys/used-version.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

/** One access key of a store, in the store's own item, so that one read shows who may call. */
const StoredCredential = object(() => ({
  id: z.uuid(),
  access_key_id: z.string(),
  version: z.int(),
  createdAt: Time,
  updatedAt: Time,
  last_used_at: Time.optional(),
  /** the text of the secret access key, sealed under the domain's key */
  sealed: z.string(),
}))
export type StoredCredential = z.infer<typeof StoredCredential>

const StoredCustomKeyStore = extended(
  CustomKeyStore.omit({
    credential_version: true,
    credential_count: true,
    oldest_credential_id: true,
  }),
  () => ({
    /** oldest first; empty for stores without keys of keymgr */
    credentials: z.array(StoredCredential),
    /** id of the credential that the cloud last received */
    credential_in_cloud: z.string().optional(),
    /** when the sweeper reads the store again, while it connects or disconnects */
    lookAt: Time.optional(),
  }),
)
export type StoredCustomKeyStore = z.infer<typeof StoredCustomKeyStore>

/** The family of the stores of a container, by their ids. */
export const storesOfKms = (id: string): string => `kms:${id}`
/** The family of the stores whose health check uses one version of a local key; by their ids. */
export const storesCheckedWith = (localKeyId: string): string => `health:${localKeyId}`
/** The family of the stores that the cloud has in one region of a container, by the cloud's ids. */
export const placeOfStores = (kmsId: string, region: string): string => `place:${kmsId}/${region}`

/**
 * Reads served: a store by id; by name; all stores; those of a container; linked ones of a region, all or by the
 * cloud's id; those checked with a version of a local key; those that joined a job configuration; those that are
 * connecting or disconnecting.
 */
export const customKeyStores = entity({
  name: 'custom-key-store',
  schema: StoredCustomKeyStore,
  id: ({ id }) => id,
  unique: ({ name, kms_id, region, cloud_a_param: { custom_key_store_id: ref } }) => ({
    name: [name],
    ...(ref !== undefined && { place: [`${kms_id}/${region}/${ref}`] }),
  }),
  sets: () => ['all'],
  families: ({ id, kms_id, region, labels, local_hosted_params, cloud_a_param }): Family[] => [
    { name: storesOfKms(kms_id), key: id },
    ...joinedFamily({ id, labels }),
    ...(local_hosted_params === undefined
      ? []
      : [
          {
            ...{ name: storesCheckedWith(local_hosted_params.health_check_key_id), key: id },
            uses: usedVersion(local_hosted_params.health_check_key_id),
          },
        ]),
    ...(cloud_a_param.custom_key_store_id === undefined
      ? []
      : [{ name: placeOfStores(kms_id, region), key: cloud_a_param.custom_key_store_id, exclusive: true as const }]),
  ],
  due: ({ lookAt }) => (lookAt === undefined ? undefined : { what: 'refresh-key-store', at: lookAt }),
  row: ({ local_hosted_params: local, cloud_a_param: cloud, ...store }) => ({
    id: store.id,
    name: store.name,
    kms: store.kms,
    kms_id: store.kms_id,
    region: store.region,
    cloud_name: store.cloud_name,
    type: store.type,
    blocked: local?.blocked,
    linked_state: store.linked_state,
    source_key_tier: local?.source_key_tier,
    xks_proxy_connectivity: cloud.xks_proxy_connectivity,
    connection_state: cloud.connection_state,
    custom_key_store_type: cloud.custom_key_store_type,
    createdAt: store.createdAt,
    updatedAt: store.updatedAt,
  }),
})
export type CustomKeyStoreRow = ReturnType<typeof customKeyStores.row>

/** Ids of the stores of a container. One read. */
export const storesOf = (domain: string, kmsId: string): Promise<string[]> =>
  customKeyStores.members(domain, storesOfKms(kmsId))

const StoredEndpoint = object(() => ({ id: z.uuid(), domain: z.string() }))

/**
 * The domain of the store in a proxy address. The data plane reads it before it knows the domain, so the root domain
 * contains it. It never changes while the store exists.
 */
export const proxyEndpoints = entity({
  name: 'xks-endpoint',
  schema: StoredEndpoint,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})
export const PROXY_ENDPOINTS_DOMAIN = ROOT_DOMAIN_ID
