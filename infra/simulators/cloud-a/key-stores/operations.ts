import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call, Operations } from '../wire/call.ts'
import { activeCluster, keyStoreNamed, keyStoreNotFound, requireConnection } from './found-key-store.ts'
import { optionalText, text, type Input } from '../../toolkit/aws/input.ts'
import { describeKeyStore, standing } from './key-stores.ts'
import type { ClusterConfiguration, HeldKeyStore, Outcome, ProxyConfiguration } from './key-stores.ts'
import { KEY_PAGES, kmsTail, pageOfItems } from '../wire/pages.ts'
import { checkHealth } from './proxy.ts'
import { connectionErrorOf, ProxyFault, whileSettingUp } from './proxy-faults.ts'
import { limitExceeded, validation } from '../wire/refusals.ts'
import { keysOf } from '../keys/key-place.ts'
import { changedBacking, newBacking } from './backing.ts'

const NAME_LENGTH = { max: 256 }
/** Per account and region. */
const MOST_KEY_STORES = 10

export const keyStoreOperations: Operations = {
  CreateCustomKeyStore: async (call, input) => {
    const name = text(input, 'CustomKeyStoreName', NAME_LENGTH)
    const accept = () => {
      const accepted = newBacking(call, input)
      requireRoom(call)
      requireFreeName(call, name)
      return accepted
    }
    const backing = accept()
    if (backing.type === 'EXTERNAL_KEY_STORE') {
      await probePublic(call, backing)
      accept() // repeated because of concurrent requests
    }
    const { state, caller } = call
    const store: HeldKeyStore = {
      id: `cks-${randomBytes(9).toString('hex').slice(0, 17)}`,
      account: caller.account.id,
      region: caller.region,
      createdAt: state.now(),
      name,
      backing,
      connection: standing('DISCONNECTED', state.now()),
    }
    state.saveKeyStore(store)
    return { CustomKeyStoreId: store.id }
  },
  DescribeCustomKeyStores: (call, input) => {
    const stores = described(call, input).map((store) => [store.id, store] as const)
    const { items: shown, next } = pageOfItems(call, input, KEY_PAGES, stores)
    for (const { connection } of shown) connection.readsLeft--
    return { CustomKeyStores: shown.map(describeKeyStore), ...kmsTail(next) }
  },
  UpdateCustomKeyStore: async (call, input) => {
    const store = keyStoreNamed(call, input)
    const name = optionalText(input, 'NewCustomKeyStoreName', NAME_LENGTH)
    const { backing, needsDisconnection } = changedBacking(call, input, store)
    if (name === undefined && backing === undefined) throw validation('At least one property must be given.')
    requireConnection(store, needsDisconnection ? ['DISCONNECTED'] : ['CONNECTED', 'DISCONNECTED'])
    if (name !== undefined && name !== store.name) requireFreeName(call, name)
    if (backing?.type === 'EXTERNAL_KEY_STORE') await probePublic(call, backing)
    store.name = name ?? store.name
    store.backing = backing ?? store.backing
    call.state.saveKeyStore(store)
    return {}
  },
  DeleteCustomKeyStore: (call, input) => {
    const store = keyStoreNamed(call, input)
    requireConnection(store, ['DISCONNECTED'])
    if (keysOf(call.state, store.account, store.region, store.id).length > 0) {
      throw new ServiceError('CustomKeyStoreHasCMKsException', `The custom key store ${store.id} has keys.`)
    }
    call.state.removeKeyStore(store)
    return {}
  },
  ConnectCustomKeyStore: async (call, input) => {
    const store = keyStoreNamed(call, input)
    requireConnection(store, ['CONNECTED', 'CONNECTING', 'DISCONNECTED'])
    if (store.connection.state !== 'DISCONNECTED') return {}
    const next =
      store.backing.type === 'AWS_CLOUDHSM' ? reachCluster(call, store.backing) : await reachProxy(call, store.backing)
    passInto(call, store, 'CONNECTING', next)
    return {}
  },
  DisconnectCustomKeyStore: (call, input) => {
    const store = keyStoreNamed(call, input)
    requireConnection(store, ['CONNECTED', 'CONNECTING', 'FAILED'])
    passInto(call, store, 'DISCONNECTING', { state: 'DISCONNECTED' })
    return {}
  },
}

/** All stores, or the one that the request names by id or name. @throws ServiceError CustomKeyStoreNotFoundException */
function described(call: Call, input: Input): readonly HeldKeyStore[] {
  const id = optionalText(input, 'CustomKeyStoreId', { max: 64 })
  const name = optionalText(input, 'CustomKeyStoreName', NAME_LENGTH)
  if (id !== undefined && name !== undefined) {
    throw validation('CustomKeyStoreId and CustomKeyStoreName must not be given together.')
  }
  const stores = call.state.keyStores(call.caller.account.id, call.caller.region)
  const wanted = id ?? name
  if (wanted === undefined) return stores
  const found = stores.filter((store) => store.id === id || store.name === name)
  if (found.length === 0) throw keyStoreNotFound(wanted)
  return found
}

function requireRoom({ state, caller }: Call): void {
  if (state.keyStores(caller.account.id, caller.region).length < MOST_KEY_STORES) return
  throw limitExceeded(`An account has at most ${MOST_KEY_STORES} custom key stores in a region.`)
}

function requireFreeName({ state, caller }: Call, name: string): void {
  if (!state.keyStores(caller.account.id, caller.region).some((store) => store.name === name)) return
  throw new ServiceError('CustomKeyStoreNameInUseException', `There is a custom key store ${name} already.`)
}

/**
 * A public endpoint must be healthy before the store is created or changed; an endpoint in a VPC is called only when
 * the store is connected.
 */
async function probePublic(call: Call, proxy: ProxyConfiguration): Promise<void> {
  if (proxy.connectivity === 'PUBLIC_ENDPOINT') await whileSettingUp(() => checkHealth(call, proxy))
}

function passInto({ state }: Call, store: HeldKeyStore, passing: 'CONNECTING' | 'DISCONNECTING', next: Outcome): void {
  store.connection = { state: passing, next, since: state.now(), readsLeft: state.delays().connection }
  state.saveKeyStore(store)
}

/** Result of connecting. Ours: the attempt is made at once; its result becomes visible later. */
async function reachProxy(call: Call, proxy: ProxyConfiguration): Promise<Outcome> {
  try {
    await checkHealth(call, proxy)
    return { state: 'CONNECTED' }
  } catch (error) {
    if (!(error instanceof ProxyFault)) throw error
    const withoutService = error.problem === 'unknown-host' && proxy.connectivity === 'VPC_ENDPOINT_SERVICE'
    const errorCode = withoutService ? 'XKS_VPC_ENDPOINT_SERVICE_INVALID_CONFIGURATION' : connectionErrorOf(error)
    return { state: 'FAILED', errorCode }
  }
}

function reachCluster(call: Call, { clusterId, password }: ClusterConfiguration): Outcome {
  const { hsms, kmsuserPassword } = activeCluster(call, clusterId)
  if (hsms === 0) return { state: 'FAILED', errorCode: 'INSUFFICIENT_CLOUDHSM_HSMS' }
  if (password !== kmsuserPassword) return { state: 'FAILED', errorCode: 'INVALID_CREDENTIALS' }
  return { state: 'CONNECTED' }
}
