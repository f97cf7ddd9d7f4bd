import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call } from '../wire/call.ts'
import { optionalText, text, type Input } from '../../toolkit/aws/input.ts'
import type { ClusterConfiguration, ConnectionState, HeldKeyStore } from './key-stores.ts'

const ID_LENGTH = { max: 64 }

/** @throws ServiceError CustomKeyStoreNotFoundException */
export function keyStoreNamed(call: Call, input: Input): HeldKeyStore {
  return keyStoreOf(call, text(input, 'CustomKeyStoreId', ID_LENGTH))
}

/** @returns `undefined` if the request names none. @throws ServiceError CustomKeyStoreNotFoundException */
export function optionalKeyStore(call: Call, input: Input): HeldKeyStore | undefined {
  const id = optionalText(input, 'CustomKeyStoreId', ID_LENGTH)
  return id === undefined ? undefined : keyStoreOf(call, id)
}

function keyStoreOf({ state, caller }: Call, id: string): HeldKeyStore {
  const store = state.keyStore(caller.account.id, caller.region, id)
  if (store !== undefined) return store
  throw keyStoreNotFound(id)
}

export const keyStoreNotFound = (name: string) =>
  new ServiceError('CustomKeyStoreNotFoundException', `There is no custom key store ${name}.`)

/** @throws ServiceError CustomKeyStoreInvalidStateException */
export function requireConnection({ id, connection }: HeldKeyStore, allowed: readonly ConnectionState[]): void {
  if (allowed.includes(connection.state)) return
  throw new ServiceError('CustomKeyStoreInvalidStateException', `The custom key store ${id} is ${connection.state}.`)
}

/** Active hardware modules that are required to create a store or a key, each in a separate zone. */
const HSMS_TO_CREATE = 2

/**
 * The cluster of a store, if it allows the creation of stores and keys.
 * @throws ServiceError CloudHsmClusterNotFoundException, CloudHsmClusterNotActiveException,
 *   CloudHsmClusterInvalidConfigurationException
 */
export function fitCluster(call: Call, { clusterId }: Pick<ClusterConfiguration, 'clusterId'>) {
  const cluster = activeCluster(call, clusterId)
  if (cluster.hsms >= HSMS_TO_CREATE) return cluster
  throw new ServiceError(
    'CloudHsmClusterInvalidConfigurationException',
    `The cluster ${clusterId} has fewer than ${HSMS_TO_CREATE} active HSMs.`,
  )
}

/** @throws ServiceError CloudHsmClusterNotFoundException, CloudHsmClusterNotActiveException */
export function activeCluster({ clusters, caller }: Call, clusterId: string) {
  const cluster = clusters.in(caller.account.id, caller.region).find(({ id }) => id === clusterId)
  if (cluster === undefined) {
    throw new ServiceError('CloudHsmClusterNotFoundException', `There is no cluster ${clusterId}.`)
  }
  if (cluster.state === 'ACTIVE') return cluster
  throw new ServiceError('CloudHsmClusterNotActiveException', `The cluster ${clusterId} is ${cluster.state}.`)
}
