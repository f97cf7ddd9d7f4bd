import { fieldsOf } from '../../../base/json.ts'
import { cloudA } from '../adapter.ts'
import type { CloudAKeyStoreChange } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField, ruleBroken, nameTaken } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { HARDWARE, type CustomKeyStore, type UpdateCustomKeyStore } from './model.ts'
import { customKeyStores, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { defined, without } from '../../../base/fields.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertNotInHand, findKeyStoreFor, refOf, type LocalParams } from './find-key-store.ts'
import { findHealthCheckKey, holdHealthCheckKey, sealSample } from './health-check-key.ts'
import { assertFits, proxyAddressOf } from './proxy-address.ts'
import { presentStore } from './records.ts'
import {
  asItIsNow,
  assertState,
  assertStillKnown,
  callingFor,
  recordStore,
  type KeyStoreSaga,
  type ReadAfter,
} from './store-work.ts'

type CloudParam = StoredCustomKeyStore['cloud_a_param']

/** Changes to a record: only fields that differ. */
interface Patch {
  readonly name?: string
  readonly enable_success_audit_event?: boolean
  readonly cloud_a_param: Partial<CloudParam>
  readonly local_hosted_params: Partial<LocalParams>
}

const EXTERNAL_FIELDS = [
  'xks_proxy_connectivity',
  'xks_proxy_uri_endpoint',
  'xks_proxy_vpc_endpoint_service_name',
] as const
const HARDWARE_FIELDS = ['cloud_hsm_cluster_id', 'key_store_password'] as const

/**
 * Refuses fields of a body that apply only to the other kind of store, or only to stores of keymgr. @throws Refusal
 * RULE_BROKEN
 */
function assertFieldsFit(
  { cloud_a_param: param, local_hosted_params: local }: StoredCustomKeyStore,
  body: UpdateCustomKeyStore,
): void {
  const isHardware = param.custom_key_store_type === HARDWARE
  const [foreign, kind] = isHardware ? [EXTERNAL_FIELDS, 'external'] : [HARDWARE_FIELDS, 'hardware-cluster']
  const given: Readonly<Record<string, unknown>> = body.cloud_a_param ?? {}
  const errors: BrokenField[] = foreign
    .filter((field) => given[field] !== undefined)
    .map((field) => ({ pointer: `#/cloud_a_param/${field}`, detail: `is for ${kind} key stores only` }))
  if (body.local_hosted_params !== undefined && local === undefined)
    errors.push({ pointer: '#/local_hosted_params', detail: 'is for key stores served from here only' })
  if (errors.length > 0) throw new Refusal('RULE_BROKEN', 'The key store has no such fields.', { errors })
}

/** The given `fields` that differ from their former values. */
const differing = <T extends object>(before: T, fields: { readonly [F in keyof T]?: T[F] | undefined }): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => value !== undefined && value !== fieldsOf(before)[field]),
  ) as Partial<T> // a subset of the fields

/** The changed address: a service name requires the connectivity that uses one. @throws Refusal RULE_BROKEN */
function changedAddress(before: CloudParam, body: UpdateCustomKeyStore): Partial<CloudParam> {
  const given = without(body.cloud_a_param ?? {}, 'key_store_password')
  const after = { ...before, ...given }
  const { xks_proxy_connectivity: way, xks_proxy_vpc_endpoint_service_name: service } = after
  const isVpc = way === 'VPC_ENDPOINT_SERVICE'
  const isServiceGiven = given.xks_proxy_vpc_endpoint_service_name !== undefined
  if (isVpc ? service === undefined : isServiceGiven) {
    throw ruleBroken(
      'xks_proxy_vpc_endpoint_service_name',
      'goes with xks_proxy_connectivity VPC_ENDPOINT_SERVICE, and is required there',
      '#/cloud_a_param/xks_proxy_vpc_endpoint_service_name',
    )
  }
  if (given.xks_proxy_uri_endpoint !== undefined)
    assertFits(given.xks_proxy_uri_endpoint, before.xks_proxy_uri_path ?? '')
  return differing(before, given)
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN */
async function changedLocalParams(
  context: Context,
  { id, credentials }: StoredCustomKeyStore,
  before: LocalParams,
  {
    health_check_key_id: reference,
    mtls_enabled,
    max_credentials: most,
  }: NonNullable<UpdateCustomKeyStore['local_hosted_params']>,
): Promise<Partial<LocalParams>> {
  if (most !== undefined && most < credentials.length) {
    throw ruleBroken(
      'max_credentials',
      `must be at least ${credentials.length}, as many as there are`,
      '#/local_hosted_params/max_credentials',
    )
  }
  const simple = differing(before, { mtls_enabled, max_credentials: most })
  if (reference === undefined || reference === before.health_check_key_id) return simple
  const key = await findHealthCheckKey(context, reference)
  const sample = await sealSample(context, key, id)
  return { ...simple, health_check_key_id: key.id, health_check_ciphertext: sample }
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN */
async function patchOf(context: Context, store: StoredCustomKeyStore, body: UpdateCustomKeyStore): Promise<Patch> {
  assertFieldsFit(store, body)
  const { name, enable_success_audit_event } = differing(store, {
    name: body.name,
    enable_success_audit_event: body.enable_success_audit_event,
  })
  if (name !== undefined && (await customKeyStores.holder(context.caller.domain.id, 'name', name)) !== undefined)
    throw nameTaken('custom key store', name)
  const { local_hosted_params: local } = store
  return {
    ...defined({ name, enable_success_audit_event }),
    cloud_a_param: {
      ...changedAddress(store.cloud_a_param, body),
      ...defined({ custom_key_store_name: name }),
    },
    local_hosted_params:
      local && body.local_hosted_params
        ? await changedLocalParams(context, store, local, body.local_hosted_params)
        : {},
  }
}

/** A public address has no service name. */
const addressed = (param: CloudParam): CloudParam =>
  param.xks_proxy_connectivity === 'PUBLIC_ENDPOINT' ? without(param, 'xks_proxy_vpc_endpoint_service_name') : param

/** The record after a patch; the cloud's description is passed separately. */
const patched = (store: StoredCustomKeyStore, patch: Patch, cloud_a_param: CloudParam): StoredCustomKeyStore => ({
  ...store,
  ...without(patch, 'cloud_a_param', 'local_hosted_params'),
  cloud_a_param,
  ...(store.local_hosted_params && {
    local_hosted_params: { ...store.local_hosted_params, ...patch.local_hosted_params },
  }),
})

const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0

/** The changes for the cloud; a changed part of an address is sent with the rest of it. */
function changeFor(store: StoredCustomKeyStore, { cloud_a_param: changed }: Patch): CloudAKeyStoreChange {
  const { custom_key_store_name: name, cloud_hsm_cluster_id: clusterId, ...address } = changed
  return {
    ...defined({ name, clusterId }),
    ...(!isEmpty(address) && { address: proxyAddressOf(addressed({ ...store.cloud_a_param, ...address })) }),
  }
}

interface Updating {
  readonly store_id: string
  readonly patch: Patch
  readonly with_password: boolean
  readonly at: string
}

/** @throws Refusal NOT_FOUND when its new health check key was deleted meanwhile */
const holdNewKey = ({ caller, changes }: Context, { local_hosted_params: local }: Patch): Promise<void> =>
  holdHealthCheckKey(changes, caller.domain.id, local.health_check_key_id)

/** @param password of the cluster's user, only while its request runs; it is not stored */
const updatingWith = (password: string | undefined): KeyStoreSaga<Updating, ReadAfter> =>
  callingFor('update-key-store', {
    call: async ({ place, ref, store }, { patch, with_password }) => {
      assertStillKnown(with_password, password)
      const change = { ...changeFor(store, patch), ...defined({ password }) }
      await cloudA.updateKeyStore(place, ref, change)
    },
    then: (store, { patch, at }) => ({ ...patched(store, patch, store.cloud_a_param), updatedAt: at }),
    besides: (context, { patch }) => holdNewKey(context, patch),
  })
export const updatingKeyStore = updatingWith(undefined)

/**
 * Changes a store, at the cloud too if it is linked and the cloud knows the field. The cloud decides whether the name
 * may change; every other field may change only while the store is `DISCONNECTED`.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, NAME_TAKEN, RULE_BROKEN, STATE_CONFLICT, and refusals of the
 * cloud
 */
export async function updateKeyStore(
  context: Context,
  id: string,
  body: UpdateCustomKeyStore,
): Promise<Stored<CustomKeyStore>> {
  const { now } = context
  const found = await findKeyStoreFor(context, id, 'keystoreupdate')
  const { stored } = found
  const { item: store } = stored
  assertIfMatch(context, stored)
  const at = now.toISOString()
  const password = body.cloud_a_param?.key_store_password
  const patch = await patchOf(context, store, body)
  if (store.linked_state && (!isEmpty(patch.cloud_a_param) || password !== undefined)) {
    const updated = await carryOut(context, updatingWith(password), async () => {
      refOf(store)
      const isMore =
        password !== undefined || Object.keys(patch.cloud_a_param).some((field) => field !== 'custom_key_store_name')
      if (isMore) assertState(await asItIsNow(context, found), 'DISCONNECTED')
      const input: Updating = { store_id: id, patch, with_password: password !== undefined, at }
      return { subject: id, container: store.kms_id, input }
    })
    return presentStore(updated)
  }
  await assertNotInHand(context, store)
  await holdNewKey(context, patch)
  const after = patched(store, patch, addressed({ ...store.cloud_a_param, ...patch.cloud_a_param }))
  return presentStore(recordStore(context, stored, { ...after, updatedAt: at }))
}
