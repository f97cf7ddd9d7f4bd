import { healthSample } from '../../shared/crypto/protocols/xks-health-check.ts'
import { newCredential } from '../../shared/crypto/protocols/xks-credential.ts'
import type { SecretBytes } from '../../shared/crypto/secret-bytes.ts'
import { credentialPurpose } from '../../shared/clouds/cloud-a/key-stores/identifiers.ts'
import { accountOf, resourceUri, uuid } from '../../shared/base/ids.ts'
import { sealFor } from '../../shared/keyring/domain-key.ts'
import type { StoredCustomKeyStore, StoredCredential } from '../../shared/clouds/cloud-a/key-stores/store.ts'
import type { cloudAKeys } from '../../shared/clouds/cloud-a/keys/store.ts'

export interface Credential {
  readonly id: string
  readonly accessKeyId: string
  readonly secret: string
}

/** A credential of a key store in `domain`, and its record. @param secret default: a new one */
export async function credentialFor(
  domain: string,
  now: Date,
  secret?: string,
): Promise<{ known: Credential; stored: StoredCredential }> {
  const { accessKeyId, secretAccessKey } = newCredential()
  const text = secret ?? secretAccessKey.use((bytes) => bytes.toString())
  const id = uuid(now)
  const at = now.toISOString()
  const sealed = await sealFor(domain, credentialPurpose(id), Buffer.from(text))
  return {
    known: { id, accessKeyId, secret: text },
    stored: { id, access_key_id: accessKeyId, version: 0, createdAt: at, updatedAt: at, sealed },
  }
}

export const proxyPathOf = (storeId: string): string =>
  `/api/v1/keymgr/cloud-a/xks-proxy-endpoints/${storeId}/kms/xks/v1`

export interface StoreOptions {
  readonly region: string
  readonly credentials: readonly StoredCredential[]
  /** the health-check key, and its bytes */
  readonly health: { readonly id: string; readonly bytes: SecretBytes }
  readonly audited?: boolean
  /** additions to `local_hosted_params` */
  readonly local?: object
}

/** The record of an external key store after its creation. */
export function keyStoreRecord(domain: string, now: Date, options: StoreOptions): StoredCustomKeyStore {
  const { region, credentials, health, audited = false, local } = options
  const id = uuid(now)
  const at = now.toISOString()
  const path = proxyPathOf(id)
  return {
    id,
    uri: resourceUri(domain, 'keymgr', 'custom-key-stores', id),
    account: accountOf(domain),
    createdAt: at,
    updatedAt: at,
    name: `store ${id}`,
    kms: 'main',
    kms_id: uuid(now),
    region,
    type: 'LOCAL',
    locally_hosted: true,
    linked_state: false,
    version_count: 1,
    cloud_name: 'cloud-a',
    enable_success_audit_event: audited,
    gone: false,
    cloud_a_param: {
      custom_key_store_name: `store ${id}`,
      custom_key_store_type: 'EXTERNAL_KEY_STORE',
      xks_proxy_uri_endpoint: 'https://xks.example.test',
      xks_proxy_uri_path: path,
      xks_proxy_connectivity: 'PUBLIC_ENDPOINT',
    },
    local_hosted_params: {
      blocked: false,
      policy: { reserved: false },
      linked_state: false,
      health_check_key_id: health.id,
      health_check_ciphertext: healthSample(health.bytes, id),
      health_check_uri_path: `${path}/health`,
      max_credentials: 3,
      source_key_tier: 'local',
      mtls_enabled: false,
      ...local,
    },
    credentials: [...credentials],
  }
}

/** The record of a hosted key of a store, with this version of a local key behind it. */
export function hostedKeyRecord(
  domain: string,
  now: Date,
  { id: storeId, region }: Pick<StoredCustomKeyStore, 'id' | 'region'>,
  sourceKeyId: string,
): Parameters<typeof cloudAKeys.id>[0] {
  const id = uuid(now)
  const at = now.toISOString()
  return {
    id,
    uri: resourceUri(domain, 'keymgr', 'cloud-a-keys', id),
    account: accountOf(domain),
    createdAt: at,
    updatedAt: at,
    kms_id: uuid(now),
    kms: 'main',
    region,
    cloud_name: 'cloud-a',
    key_type: 'symmetric',
    basic_view_enabled: true,
    gone: false,
    synced_at: at,
    key_material_origin: 'keymgr',
    rotation_status: '',
    custom_key_store_id: storeId,
    local_hosted_params: {
      blocked: false,
      linked_state: false,
      source_key_id: sourceKeyId,
      source_key_tier: 'local',
      custom_key_store_id: storeId,
    },
    cloud_a_param: {
      KeyID: id,
      KeyState: 'Enabled',
      Enabled: true,
      Alias: [],
      Tags: [],
      Arn: '',
      AccountId: '',
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
    },
  }
}
