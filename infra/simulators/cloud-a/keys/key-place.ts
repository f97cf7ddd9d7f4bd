import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call } from '../wire/call.ts'
import { fitCluster, optionalKeyStore, requireConnection } from '../key-stores/found-key-store.ts'
import { optionalText, type Input } from '../../toolkit/aws/input.ts'
import type { KeySpecRow } from './key-specs.ts'
import type { HeldKeyStore, ProxyConfiguration } from '../key-stores/key-stores.ts'
import type { HeldKey, KeyPlace } from './keys.ts'
import { isUsable } from '../key-stores/proxy.ts'
import { whileCreatingKey } from '../key-stores/proxy-faults.ts'
import { unsupported, validation } from '../wire/refusals.ts'

export const ORIGINS = ['AWS_KMS', 'EXTERNAL', 'AWS_CLOUDHSM', 'EXTERNAL_KEY_STORE'] as const
const XKS_KEY_ID = { max: 128, pattern: /^[a-zA-Z0-9-_.]+$/ }

/** The part of a new key that determines its place. */
interface NewKey {
  readonly row: KeySpecRow
  readonly origin: HeldKey['origin']
  readonly multiRegion: boolean
  readonly arn: string
}

/**
 * The custom key store of a new key. For an external store, asks its proxy about the external key.
 * @returns `undefined` for a key without a custom key store
 * @throws ServiceError CustomKeyStoreNotFoundException, CustomKeyStoreInvalidStateException, XksKeyNotFoundException,
 *   XksKeyInvalidConfigurationException, UnsupportedOperationException, ValidationException, those of clusters
 */
export async function keyPlace(call: Call, input: Input, key: NewKey): Promise<KeyPlace | undefined> {
  const xksKeyId = optionalText(input, 'XksKeyId', XKS_KEY_ID)
  const store = optionalKeyStore(call, input)
  requireOrigin(store, key.origin, xksKeyId)
  if (store === undefined) return undefined
  if (key.row.family !== 'symmetric' || key.multiRegion) {
    throw unsupported('Custom key stores take symmetric encryption keys of a single Region only.')
  }
  requireConnection(store, ['CONNECTED'])
  const { id, backing } = store
  if (backing.type === 'AWS_CLOUDHSM') {
    fitCluster(call, backing)
    return { id, clusterId: backing.clusterId, connected: true }
  }
  if (xksKeyId === undefined) throw validation('XksKeyId must be given for a key in an external key store.')
  await requireUsable(call, backing, xksKeyId, key.arn)
  return { id, xksKeyId, connected: true }
}

function requireOrigin(store: HeldKeyStore | undefined, origin: HeldKey['origin'], xksKeyId: string | undefined): void {
  const wanted = store?.backing.type
  if (wanted === undefined && (origin === 'AWS_CLOUDHSM' || origin === 'EXTERNAL_KEY_STORE')) {
    throw validation(`Origin ${origin} needs a CustomKeyStoreId.`)
  }
  if (wanted !== undefined && origin !== wanted) throw validation(`Origin must be ${wanted} in this custom key store.`)
  if (xksKeyId !== undefined && origin !== 'EXTERNAL_KEY_STORE') {
    throw validation('XksKeyId is for keys in external key stores only.')
  }
}

async function requireUsable(call: Call, proxy: ProxyConfiguration, xksKeyId: string, arn: string): Promise<void> {
  if (await whileCreatingKey(() => isUsable(call, { proxy, xksKeyId, arn }))) return
  throw new ServiceError(
    'XksKeyInvalidConfigurationException',
    `The external key ${xksKeyId} is no enabled 256-bit AES key that encrypts and decrypts.`,
  )
}

/**
 * An external key belongs to one key of its store. This is checked last, without an await before the key is created.
 * @throws ServiceError XksKeyAlreadyInUseException
 */
export function requireFree({ state, caller }: Call, { id, xksKeyId }: KeyPlace): void {
  if (xksKeyId === undefined) return
  const taken = keysOf(state, caller.account.id, caller.region, id).some(
    ({ keyStore }) => keyStore?.xksKeyId === xksKeyId,
  )
  if (!taken) return
  throw new ServiceError('XksKeyAlreadyInUseException', `The external key ${xksKeyId} is behind another key already.`)
}

/** All keys of a store, including those that wait for their deletion. */
export const keysOf = (state: Call['state'], account: string, region: string, storeId: string): HeldKey[] =>
  [...state.shelf(account, region).keys.values()]
    .filter(({ keyStore }) => keyStore?.id === storeId)
    .flatMap(({ id }) => state.key(account, region, id) ?? [])
