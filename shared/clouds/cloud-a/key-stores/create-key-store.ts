import { defined } from '../../../base/fields.ts'
import { doOnce } from '../../../base/journal.ts'
import type { CloudAKeyStoreRead } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal, ruleBroken, nameTaken } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { EXTERNAL, HARDWARE, type CreateCustomKeyStore, type CustomKeyStoreWithSecret } from './model.ts'
import type { Changes } from '../../../store/changes.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import { customKeyStores, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertActive, kmsOfBody } from '../kms/kind.ts'
import { newStoredCredential, presentWithSecret } from './credentials.ts'
import { assertNotBlocked } from './find-key-store.ts'
import { findHealthCheckKey, holdHealthCheckKey, sealSample } from './health-check-key.ts'
import { makingStore } from './make-key-store.ts'
import { assertFits, proxyPathOf } from './proxy-address.ts'
import { newStoreRecord, removeStore, stageStore, tellOf } from './records.ts'
import { RECORDED, writeDown, type KeyStoreSaga } from './store-work.ts'

const taken = (_kind: string, name: string): Refusal => nameTaken('custom key store', name)

/** Stages a new store, on the condition that its container and its health check key stay. @throws Refusal NOT_FOUND */
async function stageNew(
  changes: Changes,
  domain: string,
  kms: Stored<StoredCloudAKms>,
  store: StoredCustomKeyStore,
): Promise<void> {
  changes.rely(cloudAKms, domain, kms)
  stageStore(changes, domain, store, taken)
  await holdHealthCheckKey(changes, domain, store.local_hosted_params?.health_check_key_id)
}

type ExternalBody = CreateCustomKeyStore & {
  local_hosted_params: NonNullable<CreateCustomKeyStore['local_hosted_params']>
}

/** A store of keymgr with its first credential, not linked yet. */
async function externalStore(
  context: Context,
  kms: StoredCloudAKms,
  body: ExternalBody,
): Promise<StoredCustomKeyStore> {
  const { caller, now } = context
  const { cloud_a_param: param, local_hosted_params: local } = body
  const { xks_proxy_uri_endpoint: endpoint = '', xks_proxy_vpc_endpoint_service_name: service } = param
  if (param.xks_proxy_uri_path !== undefined)
    throw ruleBroken('xks_proxy_uri_path', 'is made by the service: leave it out', '#/cloud_a_param/xks_proxy_uri_path')
  if (body.linked_state && local.blocked)
    throw ruleBroken(
      'blocked',
      'does not go with linked_state: a blocked store answers no cloud',
      '#/local_hosted_params/blocked',
    )
  const id = uuid(now)
  const path = proxyPathOf(id)
  assertFits(endpoint, path)
  const key = await findHealthCheckKey(context, local.health_check_key_id)
  const domain = caller.domain.id
  return newStoreRecord(domain, kms, body.region, {
    id,
    now,
    name: body.name,
    type: 'LOCAL',
    locally_hosted: true,
    linked_state: false,
    enable_success_audit_event: body.enable_success_audit_event,
    cloud_a_param: {
      custom_key_store_name: body.name,
      custom_key_store_type: EXTERNAL,
      xks_proxy_uri_endpoint: endpoint,
      xks_proxy_uri_path: path,
      xks_proxy_connectivity: param.xks_proxy_connectivity ?? 'PUBLIC_ENDPOINT',
      ...defined({ xks_proxy_vpc_endpoint_service_name: service }),
    },
    local_hosted_params: {
      blocked: local.blocked,
      policy: { reserved: false },
      linked_state: false,
      health_check_key_id: key.id,
      health_check_ciphertext: await sealSample(context, key, id),
      health_check_uri_path: `${path}/health`,
      max_credentials: local.max_credentials,
      source_key_tier: local.source_key_tier,
      mtls_enabled: local.mtls_enabled,
    },
    credentials: [await newStoredCredential(domain, 1, now)],
    version_count: 1,
  })
}

/** A store for a cluster of the cloud's hardware modules; it contains no keys of keymgr. */
function hardwareStore(
  { caller, now }: Context,
  kms: StoredCloudAKms,
  body: CreateCustomKeyStore,
): StoredCustomKeyStore {
  const { cloud_hsm_cluster_id, trust_anchor_certificate } = body.cloud_a_param
  return newStoreRecord(caller.domain.id, kms, body.region, {
    id: uuid(now),
    now,
    name: body.name,
    type: HARDWARE,
    linked_state: false,
    enable_success_audit_event: false, // calls of its keys do not reach this service
    cloud_a_param: {
      custom_key_store_name: body.name,
      custom_key_store_type: HARDWARE,
      cloud_hsm_cluster_id,
      trust_anchor_certificate,
    },
    credentials: [],
  })
}

const isExternal = (body: CreateCustomKeyStore): body is ExternalBody => body.local_hosted_params !== undefined

/** The record that a body describes, after every check that needs no call to the cloud. */
async function drafted(
  context: Context,
  body: CreateCustomKeyStore,
): Promise<{ store: StoredCustomKeyStore; kms: Stored<StoredCloudAKms> }> {
  const kms = await kmsOfBody(context, body, 'keystoreadd')
  if ((await customKeyStores.holder(context.caller.domain.id, 'name', body.name)) !== undefined)
    throw nameTaken('custom key store', body.name)
  const store = isExternal(body) ? await externalStore(context, kms.item, body) : hardwareStore(context, kms.item, body)
  return { store, kms }
}

interface Creating {
  /** its record until the cloud has created it, with the secret sealed */
  readonly store: StoredCustomKeyStore
}

/** Records the store before the cloud knows it, because the cloud calls its address at once. */
const writeRecord = ({ caller, now }: Context, store: StoredCustomKeyStore): Promise<void> =>
  writeDown(now, async (changes: Changes) => {
    const domain = caller.domain.id
    const kms = await cloudAKms.get(domain, store.kms_id)
    if (kms === undefined) throw new Refusal('NOT_FOUND', 'The KMS entry is not there any more.')
    assertActive(kms.item)
    await stageNew(changes, domain, kms, store)
  })

/**
 * Creates a store in the cloud. The record comes first, then the cloud's own store, then the link between them; after a
 * refusal of the cloud nothing is left.
 * @param password of the cluster's user, only while its request runs
 */
function creatingWith(password: string | undefined): KeyStoreSaga<Creating, CloudAKeyStoreRead> {
  const making = makingStore<Creating>('create-key-store', {
    before: (context, { store }, journal) =>
      doOnce(
        journal,
        RECORDED,
        () => writeRecord(context, store),
        async () => (await customKeyStores.get(context.caller.domain.id, store.id)) !== undefined,
      ),
    storeOf: (_context, { store }) => store,
    password,
  })
  return {
    ...making,
    settle: async (context, input, read) => {
      const made = await making.settle(context, input, read)
      tellOf(context, undefined, made.item)
      return made
    },
    undo: async (context, input, journal) => {
      const { caller, changes } = context
      await making.undo(context, input, journal)
      const stored = await customKeyStores.get(caller.domain.id, input.store.id)
      if (stored !== undefined) removeStore(changes, caller.domain.id, stored)
    },
  }
}
export const creatingKeyStore = creatingWith(undefined)

/**
 * Creates a store of keymgr with its first credential, or one for a cluster of hardware modules. The cloud creates the
 * latter at once, and the former if `linked_state` is set.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud
 */
export async function createKeyStore(
  context: Context,
  body: CreateCustomKeyStore,
): Promise<Stored<CustomKeyStoreWithSecret>> {
  const { caller, changes } = context
  const domain = caller.domain.id
  if (body.linked_state || !isExternal(body)) {
    const made = await carryOut(context, creatingWith(body.cloud_a_param.key_store_password), async () => {
      const { store } = await drafted(context, body)
      assertNotBlocked(store)
      return { id: store.id, container: store.kms_id, input: { store } }
    })
    return presentWithSecret(domain, made)
  }
  const { store, kms } = await drafted(context, body)
  await stageNew(changes, domain, kms, store)
  tellOf(context, undefined, store)
  return presentWithSecret(domain, { item: store, rev: 1 })
}
