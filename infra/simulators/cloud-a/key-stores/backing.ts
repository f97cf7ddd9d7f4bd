import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call } from '../wire/call.ts'
import { fitCluster } from './found-key-store.ts'
import { optionalChoice, optionalText, text, type Input } from '../../toolkit/aws/input.ts'
import { validation } from '../wire/refusals.ts'
import type { ClusterConfiguration, HeldKeyStore, ProxyConfiguration } from './key-stores.ts'

const TYPES = ['AWS_CLOUDHSM', 'EXTERNAL_KEY_STORE'] as const
const CONNECTIVITIES = ['PUBLIC_ENDPOINT', 'VPC_ENDPOINT_SERVICE'] as const
const CLUSTER_ID = { min: 19, max: 24, pattern: /^cluster-[0-9a-zA-Z]{11,16}$/ }
const PASSWORD = { min: 7, max: 32 }
const TRUST_ANCHOR = { max: 5000 }
const ENDPOINT = { min: 10, max: 128, pattern: /^https:\/\/[a-zA-Z0-9.-]+$/ }
const PATH = { min: 10, max: 128, pattern: /^(\/[a-zA-Z0-9/_-]+\/kms\/xks\/v\d{1,2})$|^(\/kms\/xks\/v\d{1,2})$/ }
const SERVICE_NAME = {
  min: 20,
  max: 64,
  pattern: /^(?:com|eu)\.amazonaws\.vpce\.(?:[a-z]+-){2,3}\d+\.vpce-svc-[0-9a-z]+$/,
}
const OWNER = { min: 12, max: 12, pattern: /^\d{12}$/ }
const ACCESS_KEY_ID = { min: 20, max: 30, pattern: /^[A-Z2-7]+$/ }
const SECRET_ACCESS_KEY = { min: 43, max: 64, pattern: /^[a-zA-Z0-9/+=]+$/ }
/** A fully qualified name: at least two labels, and the last one is not a number. */
const QUALIFIED = /^https:\/\/(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/i

const HARDWARE_MEMBERS = ['CloudHsmClusterId', 'KeyStorePassword', 'TrustAnchorCertificate']
const EXTERNAL_MEMBERS = [
  'XksProxyConnectivity',
  'XksProxyUriEndpoint',
  'XksProxyUriPath',
  'XksProxyAuthenticationCredential',
  'XksProxyVpcEndpointServiceName',
  'XksProxyVpcEndpointServiceOwner',
]
/** Members that may change while the store is connected. Others require that it is disconnected. */
const CHANGED_WHILE_CONNECTED = ['XksProxyUriPath', 'XksProxyAuthenticationCredential']

const isGiven = (input: Input, name: string) => input[name] !== undefined && input[name] !== null

/**
 * Backing of a new key store, checked against the existing resources.
 * @throws ServiceError ValidationException, IncorrectTrustAnchorException, those of `fitCluster` and of resources in
 * use
 */
export function newBacking(call: Call, input: Input): HeldKeyStore['backing'] {
  const type = optionalChoice(input, 'CustomKeyStoreType', TYPES) ?? 'AWS_CLOUDHSM'
  requireOwnMembers(input, type)
  if (type === 'AWS_CLOUDHSM') return newCluster(call, input)
  const proxy: ProxyConfiguration = {
    type,
    connectivity: required(optionalChoice(input, 'XksProxyConnectivity', CONNECTIVITIES), 'XksProxyConnectivity'),
    endpoint: text(input, 'XksProxyUriEndpoint', ENDPOINT),
    path: text(input, 'XksProxyUriPath', PATH),
    ...required(credentialIn(input), 'XksProxyAuthenticationCredential'),
    ...serviceIn(call, input),
  }
  requireSound(call, proxy)
  return proxy
}

/**
 * Backing of a key store after an update (`undefined` if it does not change), and whether the update requires that the
 * store is disconnected.
 * @throws ServiceError as `newBacking`, and CloudHsmClusterNotRelatedException
 */
export function changedBacking(
  call: Call,
  input: Input,
  store: HeldKeyStore,
): { readonly backing: HeldKeyStore['backing'] | undefined; readonly needsDisconnection: boolean } {
  const { backing } = store
  requireOwnMembers(input, backing.type)
  const given = [...HARDWARE_MEMBERS, ...EXTERNAL_MEMBERS].filter((name) => isGiven(input, name))
  if (given.length === 0) return { backing: undefined, needsDisconnection: false }
  return {
    backing:
      backing.type === 'AWS_CLOUDHSM'
        ? changedCluster(call, input, backing, store.id)
        : changedProxy(call, input, backing, store.id),
    needsDisconnection: !given.every((name) => CHANGED_WHILE_CONNECTED.includes(name)),
  }
}

function requireOwnMembers(input: Input, type: (typeof TYPES)[number]): void {
  const foreign = type === 'AWS_CLOUDHSM' ? EXTERNAL_MEMBERS : HARDWARE_MEMBERS
  const given = foreign.find((name) => isGiven(input, name))
  if (given !== undefined) throw validation(`${given} is not valid for a custom key store of type ${type}.`)
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw validation(`${name} must be given.`)
  return value
}

function newCluster(call: Call, input: Input): ClusterConfiguration {
  const clusterId = text(input, 'CloudHsmClusterId', CLUSTER_ID)
  const password = text(input, 'KeyStorePassword', PASSWORD)
  const trustAnchor = text(input, 'TrustAnchorCertificate', TRUST_ANCHOR)
  const cluster = fitCluster(call, { clusterId })
  requireFreeCluster(call, clusterId)
  if (trustAnchor.trim() !== cluster.trustAnchor) {
    throw new ServiceError('IncorrectTrustAnchorException', 'The trust anchor certificate is not that of the cluster.')
  }
  return { type: 'AWS_CLOUDHSM', clusterId, password, trustAnchor }
}

function changedCluster(call: Call, input: Input, old: ClusterConfiguration, storeId: string): ClusterConfiguration {
  const clusterId = optionalText(input, 'CloudHsmClusterId', CLUSTER_ID) ?? old.clusterId
  const password = optionalText(input, 'KeyStorePassword', PASSWORD) ?? old.password
  if (isGiven(input, 'TrustAnchorCertificate')) throw validation('TrustAnchorCertificate cannot be changed.')
  if (clusterId !== old.clusterId) {
    requireFreeCluster(call, clusterId, storeId)
    if (fitCluster(call, { clusterId }).trustAnchor !== old.trustAnchor.trim()) {
      throw new ServiceError('CloudHsmClusterNotRelatedException', `The cluster ${clusterId} is not related.`)
    }
  }
  return { ...old, clusterId, password }
}

function requireFreeCluster(call: Call, clusterId: string, storeId?: string): void {
  const taken = others(call, storeId).some(
    ({ backing }) => backing.type === 'AWS_CLOUDHSM' && backing.clusterId === clusterId,
  )
  if (taken) throw new ServiceError('CloudHsmClusterInUseException', `The cluster ${clusterId} is in use.`)
}

function changedProxy(call: Call, input: Input, old: ProxyConfiguration, storeId: string): ProxyConfiguration {
  const connectivity = optionalChoice(input, 'XksProxyConnectivity', CONNECTIVITIES) ?? old.connectivity
  const endpoint = optionalText(input, 'XksProxyUriEndpoint', ENDPOINT) ?? old.endpoint
  if (connectivity !== old.connectivity && endpoint === old.endpoint) {
    throw validation('Another XksProxyConnectivity needs another XksProxyUriEndpoint.')
  }
  const service = serviceIn(call, input)
  const kept = connectivity === old.connectivity
  const proxy: ProxyConfiguration = {
    ...old,
    connectivity,
    endpoint,
    path: optionalText(input, 'XksProxyUriPath', PATH) ?? old.path,
    ...credentialIn(input),
    serviceName: service.serviceName ?? (kept ? old.serviceName : undefined),
    serviceOwner: service.serviceOwner ?? (kept ? old.serviceOwner : undefined),
  }
  requireSound(call, proxy, storeId)
  return proxy
}

/** Both parts, even if only one of them changes. */
function credentialIn(input: Input): Pick<ProxyConfiguration, 'accessKeyId' | 'secretAccessKey'> | undefined {
  const given = input.XksProxyAuthenticationCredential
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new ServiceError('SerializationException', 'XksProxyAuthenticationCredential must be of type structure.')
  }
  const credential: Input = { ...given }
  return {
    accessKeyId: text(credential, 'AccessKeyId', ACCESS_KEY_ID),
    secretAccessKey: text(credential, 'RawSecretAccessKey', SECRET_ACCESS_KEY),
  }
}

/** An empty service name removes the old one. */
function serviceIn({ caller }: Call, input: Input): Pick<ProxyConfiguration, 'serviceName' | 'serviceOwner'> {
  const owner = optionalText(input, 'XksProxyVpcEndpointServiceOwner', OWNER)
  if (input.XksProxyVpcEndpointServiceName === '') return { serviceName: undefined, serviceOwner: undefined }
  const serviceName = optionalText(input, 'XksProxyVpcEndpointServiceName', SERVICE_NAME)
  return { serviceName, serviceOwner: owner ?? (serviceName && caller.account.id) }
}

/** Rules between the members, and between the stores of one account and region. */
function requireSound(call: Call, proxy: ProxyConfiguration, storeId?: string): void {
  const { connectivity, endpoint, path, serviceName } = proxy
  if (!QUALIFIED.test(endpoint)) throw validation('XksProxyUriEndpoint must be a fully qualified DNS name.')
  if ((connectivity === 'VPC_ENDPOINT_SERVICE') !== (serviceName !== undefined)) {
    throw validation('XksProxyVpcEndpointServiceName goes with the connectivity VPC_ENDPOINT_SERVICE, and only there.')
  }
  requireService(call, proxy)
  const proxies = others(call, storeId).flatMap(({ backing }) => (backing.type === 'EXTERNAL_KEY_STORE' ? backing : []))
  const sameHost = proxies.filter((other) => other.endpoint.toLowerCase() === endpoint.toLowerCase())
  if (sameHost.some((other) => other.path === path)) {
    throw new ServiceError('XksProxyUriInUseException', `${endpoint}${path} is in use by another key store.`)
  }
  if (sameHost.some((other) => connectivity !== 'PUBLIC_ENDPOINT' || other.connectivity !== 'PUBLIC_ENDPOINT')) {
    throw new ServiceError('XksProxyUriEndpointInUseException', `${endpoint} is in use by another key store.`)
  }
  if (serviceName !== undefined && proxies.some((other) => other.serviceName === serviceName)) {
    throw new ServiceError('XksProxyVpcEndpointServiceInUseException', `${serviceName} is in use by another key store.`)
  }
}

/** Ours: a service exists if it is in the caller's region, and its owner must be an account of this cloud. */
function requireService({ caller, accounts }: Call, { serviceName, serviceOwner }: ProxyConfiguration): void {
  if (serviceName === undefined) return
  if (!serviceName.includes(`.vpce.${caller.region}.`)) {
    throw new ServiceError('XksProxyVpcEndpointServiceNotFoundException', `There is no service ${serviceName}.`)
  }
  if (accounts.has(serviceOwner ?? '')) return
  throw new ServiceError(
    'XksProxyVpcEndpointServiceInvalidConfigurationException',
    `The service ${serviceName} does not belong to the account ${serviceOwner}.`,
  )
}

const others = ({ state, caller }: Call, storeId: string | undefined): readonly HeldKeyStore[] =>
  state.keyStores(caller.account.id, caller.region).filter(({ id }) => id !== storeId)
