import type { CloudAKeyStoreRead } from '../adapter/types.ts'
import { containerOfSources } from '../local-tier.ts'
import { asFound, type Context } from '../../../http/context.ts'
import { accountOf, APPLICATION, DEV_ACCOUNT } from '../../../base/ids.ts'
import { uriOfStore } from './identifiers.ts'
import { HARDWARE, type CustomKeyStore } from './model.ts'
import type { Changes } from '../../../store/changes.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import { customKeyStores, PROXY_ENDPOINTS_DOMAIN, proxyEndpoints, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { later, MINUTE_MS } from '../../../base/time.ts'
import { defined, differences, without } from '../../../base/fields.ts'

/** Ours: how often the sweeper reads a connecting or disconnecting store from the cloud. */
const LOOK_EVERY_MS = MINUTE_MS

/** Fields that distinguish new stores. */
type Particulars = Pick<
  StoredCustomKeyStore,
  'id' | 'name' | 'type' | 'linked_state' | 'enable_success_audit_event' | 'cloud_a_param' | 'credentials'
> &
  Partial<StoredCustomKeyStore>

/** The record of a store in a region of a container. */
export function newStoreRecord(
  domain: string,
  kms: StoredCloudAKms,
  region: string,
  { now, ...particulars }: Particulars & { readonly now: Date },
): StoredCustomKeyStore {
  const at = now.toISOString()
  return {
    uri: uriOfStore(domain, particulars.id),
    account: accountOf(domain),
    application: APPLICATION,
    devAccount: DEV_ACCOUNT,
    createdAt: at,
    updatedAt: at,
    kms: kms.name,
    kms_id: kms.id,
    region,
    cloud_name: kms.cloud_name,
    gone: false,
    version_count: 0,
    locally_hosted: false,
    ...particulars,
  }
}

/**
 * The record of a store that was found in the cloud. Ours: a hardware store always has the hardware kind, because those
 * of keymgr have no mark; external stores of others are `REMOTE`.
 */
export const foundStoreRecord = (
  domain: string,
  kms: StoredCloudAKms,
  region: string,
  { param }: CloudAKeyStoreRead,
  { id, name, now }: { readonly id: string; readonly name: string; readonly now: Date },
): StoredCustomKeyStore =>
  newStoreRecord(domain, kms, region, {
    id,
    now,
    name,
    type: param.custom_key_store_type === HARDWARE ? HARDWARE : 'REMOTE',
    linked_state: true,
    enable_success_audit_event: false,
    synced_at: now.toISOString(),
    cloud_a_param: param,
    credentials: [],
    ...lookAgain(param, now),
  })

const isInTransit = ({ connection_state: state }: CustomKeyStore['cloud_a_param']): boolean =>
  state === 'CONNECTING' || state === 'DISCONNECTING'

export const isMoving = ({ linked_state, gone, cloud_a_param }: StoredCustomKeyStore): boolean =>
  linked_state && !gone && isInTransit(cloud_a_param)

/** When the sweeper should read a store in this state; nothing for a stable state. */
const lookAgain = (param: CustomKeyStore['cloud_a_param'], now: Date): { lookAt?: string } =>
  isInTransit(param) ? { lookAt: later(now, LOOK_EVERY_MS).toISOString() } : {}

/**
 * The record updated with the cloud's description of the store (`undefined`: deleted); the same object when nothing
 * changed.
 */
export function following(
  store: StoredCustomKeyStore,
  read: CloudAKeyStoreRead | undefined,
  now: Date,
): StoredCustomKeyStore {
  const at = now.toISOString()
  if (read === undefined)
    return store.gone ? store : { ...without(store, 'lookAt'), gone: true, synced_at: at, updatedAt: at }
  const told = store.credentials.find(({ access_key_id }) => access_key_id === read.accessKeyId)?.id
  const inCloud = told ?? store.credential_in_cloud
  const isSame =
    store.linked_state &&
    !store.gone &&
    inCloud === store.credential_in_cloud &&
    JSON.stringify(store.cloud_a_param) === JSON.stringify(read.param)
  if (isSame) return store
  const { local_hosted_params: local } = store
  return {
    ...without(store, 'lookAt'),
    gone: false,
    linked_state: true,
    cloud_a_param: read.param,
    ...(local && { local_hosted_params: { ...local, linked_state: true } }),
    ...defined({ credential_in_cloud: inCloud }),
    synced_at: at,
    updatedAt: at,
    ...lookAgain(read.param, now),
  }
}

/** A store as shown. */
export function presentStore({ item, rev }: Stored<StoredCustomKeyStore>): Stored<CustomKeyStore> {
  const { credentials } = item
  const [oldest] = credentials
  const newest = credentials.at(-1)
  const { local_hosted_params: local } = item
  return {
    item: {
      ...without(item, 'credentials', 'credential_in_cloud', 'lookAt'),
      ...(local && { local_hosted_params: { ...local, ...containerOfSources(item) } }),
      ...(oldest && { oldest_credential_id: oldest.id }),
      ...(newest && { credential_version: newest.version, credential_count: credentials.length }),
    },
    rev,
  }
}

/** Stages a new store and, for a store of keymgr, its proxy address. */
export function stageStore(
  changes: Changes,
  domain: string,
  store: StoredCustomKeyStore,
  taken?: Parameters<Changes['create']>[3],
): void {
  changes.create(customKeyStores, domain, store, taken)
  if (store.type === 'LOCAL') changes.create(proxyEndpoints, PROXY_ENDPOINTS_DOMAIN, { id: store.id, domain })
}

/** An address is written once, so it still has its first revision when it is removed. */
const FIRST_REVISION = 1

/** Stages the removal of a store's proxy address. */
export function removeAddress(changes: Changes, domain: string, { id, type }: StoredCustomKeyStore): void {
  if (type === 'LOCAL')
    changes.remove(proxyEndpoints, PROXY_ENDPOINTS_DOMAIN, { item: { id, domain }, rev: FIRST_REVISION })
}

/** Stages the removal of a store and its proxy address. */
export function removeStore(changes: Changes, domain: string, stored: Stored<StoredCustomKeyStore>): void {
  changes.remove(customKeyStores, domain, stored)
  const { item, damage } = stored
  removeAddress(changes, domain, damage === undefined ? item : { ...damage.was, id: damage.id })
}

const AUDITED = [
  'name',
  'kms',
  'region',
  'type',
  'linked_state',
  'enable_success_audit_event',
  'gone',
  'cloud_a_param',
  'local_hosted_params',
  'version_count',
  'credential_in_cloud',
] as const satisfies readonly (keyof StoredCustomKeyStore)[]

/** Names the store and its changes in the request's audit record; credentials appear only by their ids. */
export function tellOf(
  { about }: Pick<Context, 'about'>,
  before: StoredCustomKeyStore | undefined,
  after: StoredCustomKeyStore | undefined,
): void {
  const { uri = '', name = '' } = after ?? before ?? {}
  about({
    uri,
    name,
    ...differences<StoredCustomKeyStore>(before ?? {}, after ?? {}, AUDITED),
    ...asFound(before ?? {}),
  })
}
