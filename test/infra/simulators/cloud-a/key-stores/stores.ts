import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import {
  ConnectCustomKeyStoreCommand,
  CreateCustomKeyStoreCommand,
  CreateKeyCommand,
  DeleteCustomKeyStoreCommand,
  DescribeCustomKeyStoresCommand,
  DisconnectCustomKeyStoreCommand,
  UpdateCustomKeyStoreCommand,
  type CreateCustomKeyStoreCommandInput,
  type KMSClient,
  type UpdateCustomKeyStoreCommandInput,
} from '@aws-sdk/client-kms'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  startCloudA,
  type CloudASimulator,
  type HostAddress,
} from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, outcome } from '../clients.ts'
import { CREDENTIAL, pathIn, startXksProxy, type Behaviour, type Reply, type XksProxy } from './xks-proxy.ts'

export const account = ACCOUNTS.first
export const HOST = 'xks.proxy.test'
export const clock = createClock()
let folder: string
let regions: string[]
let sharedStore: ReturnType<typeof connected> | undefined
export let simulator: CloudASimulator
export let hasty: CloudASimulator
export let proxy: XksProxy

/** Addresses of host names. */
function resolve(host: string): HostAddress | undefined {
  const { address, port, ca = '' } = proxy
  const places: Readonly<Record<string, HostAddress>> = {
    [HOST]: { address, port, ca },
    'private.proxy.test': { address, port, ca },
    'untrusted.proxy.test': { address, port },
    'nobody.proxy.test': { address, port: 1, ca },
  }
  return places[host]
}

/** A longer limit than that of the real cloud, so that a proxy on a busy machine is not unreachable. */
const start = () => startCloudA({ clock, file: path.join(folder, 'cloud-a.jsonl'), resolve, proxyTimeoutMs: 5_000 })

/** The simulators and the proxy for the tests of one file. */
export function useStores(): void {
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cloud-a-key-stores-'))
    regions = [...REGIONS]
    sharedStore = undefined
    simulator = await start()
    hasty = await startCloudA({ clock, resolve })
    const clientAuthority = simulator.proxyClientAuthority + hasty.proxyClientAuthority
    proxy = await startXksProxy({ host: HOST, clientAuthority, now: clock.now })
  })
  beforeEach(() => simulator.setDelays({ connection: 0 }))
  afterEach(() => {
    simulator.reset()
    proxy.behave = undefined
    proxy.seen.length = 0
    clock.set(new Date())
  })
  afterAll(async () => {
    await Promise.all([simulator.stop(), hasty.stop(), proxy.stop()])
    fs.rmSync(folder, { recursive: true })
  })
}

/** Stops the simulator and the proxy, and starts them again: the simulator from its file, the proxy with the same keys. */
export async function restart(): Promise<void> {
  await simulator.stop()
  simulator = await start()
  await proxy.stop()
  const { keyOf } = proxy
  proxy = await startXksProxy({ host: HOST, clientAuthority: simulator.proxyClientAuthority, now: clock.now, keyOf })
}

/** A separate region for each test, initially empty. */
const REGIONS = (
  'ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 ' +
  'eu-north-1 eu-west-1 eu-west-2 eu-west-3 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2 eu-central-2 eu-south-1'
).split(' ')
export function newPlace(): { region: string; kms: KMSClient } {
  const region = regions.pop()
  if (region === undefined) throw new Error('There are more tests than regions.')
  return { region, kms: kmsOf(simulator, { region }) }
}

export const external = (region: string, more: Partial<CreateCustomKeyStoreCommandInput> = {}) => ({
  CustomKeyStoreName: 'outside',
  CustomKeyStoreType: 'EXTERNAL_KEY_STORE' as const,
  XksProxyConnectivity: 'PUBLIC_ENDPOINT' as const,
  XksProxyUriEndpoint: `https://${HOST}`,
  XksProxyUriPath: pathIn(region),
  XksProxyAuthenticationCredential: CREDENTIAL,
  ...more,
})
export const serviceIn = (region: string, n = 1) => `com.amazonaws.vpce.${region}.vpce-svc-0123456789abcde${n}f`
export const inVpc = (region: string, more: Partial<CreateCustomKeyStoreCommandInput> = {}) =>
  external(region, {
    XksProxyConnectivity: 'VPC_ENDPOINT_SERVICE',
    XksProxyVpcEndpointServiceName: serviceIn(region),
    ...more,
  })

export const create = async (kms: KMSClient, input: CreateCustomKeyStoreCommandInput) =>
  (await kms.send(new CreateCustomKeyStoreCommand(input))).CustomKeyStoreId ?? ''
export const connect = (kms: KMSClient, CustomKeyStoreId: string) =>
  kms.send(new ConnectCustomKeyStoreCommand({ CustomKeyStoreId }))
export const disconnect = (kms: KMSClient, CustomKeyStoreId: string) =>
  kms.send(new DisconnectCustomKeyStoreCommand({ CustomKeyStoreId }))
export const remove = (kms: KMSClient, CustomKeyStoreId: string) =>
  kms.send(new DeleteCustomKeyStoreCommand({ CustomKeyStoreId }))
export const update = (kms: KMSClient, CustomKeyStoreId: string, input: Partial<UpdateCustomKeyStoreCommandInput>) =>
  outcome(kms.send(new UpdateCustomKeyStoreCommand({ CustomKeyStoreId, ...input })))
export const describe = async (kms: KMSClient, CustomKeyStoreId: string) =>
  (await kms.send(new DescribeCustomKeyStoresCommand({ CustomKeyStoreId }))).CustomKeyStores?.[0] ?? {}
export const stateOf = async (kms: KMSClient, id: string) => {
  const { ConnectionState, ConnectionErrorCode } = await describe(kms, id)
  return [ConnectionState, ConnectionErrorCode]
}

/** A connected store in a region of its own. */
export async function connected(): Promise<{ region: string; kms: KMSClient; id: string }> {
  const { region, kms } = newPlace()
  const id = await create(kms, external(region))
  await connect(kms, id)
  return { region, kms, id }
}
export const keyIn = async (kms: KMSClient, CustomKeyStoreId: string, XksKeyId: string) => {
  const input = { CustomKeyStoreId, XksKeyId, Origin: 'EXTERNAL_KEY_STORE' as const }
  return (await kms.send(new CreateKeyCommand(input))).KeyMetadata?.KeyId ?? ''
}

export const refusing =
  (status: number, errorName: string): Behaviour =>
  () => ({ status, body: { errorName, errorMessage: 'as the test wants it' } })
/** The valid answer with some members changed. */
export const changing =
  (change: Readonly<Record<string, unknown>>): Behaviour =>
  (_path, { status, body }: Reply) => ({ status, body: { ...(body as object), ...change } })

export const WRONG_STATE = 'CustomKeyStoreInvalidStateException'
export const NO_CREDENTIAL = 'XksProxyIncorrectAuthenticationCredentialException'
export const MISCONFIGURED = 'XksProxyInvalidConfigurationException'
export const UNREADABLE = 'XksProxyInvalidResponseException'
export const UNREACHABLE = 'XksProxyUriUnreachableException'
export const NO_KEY = 'XksKeyNotFoundException'
export const BAD_KEY = 'XksKeyInvalidConfigurationException'

/** The proxy's answer, and the cloud's refusals to create a store, to connect it, and to create a key. */
export const ANSWERS: readonly (readonly [string, Behaviour, string, string, string])[] = [
  [
    'AuthenticationFailed',
    refusing(401, 'AuthenticationFailedException'),
    NO_CREDENTIAL,
    'INVALID_CREDENTIALS',
    WRONG_STATE,
  ],
  [
    'InvalidUriPath',
    refusing(404, 'InvalidUriPathException'),
    MISCONFIGURED,
    'XKS_PROXY_INVALID_CONFIGURATION',
    WRONG_STATE,
  ],
  ['Throttling', refusing(429, 'ThrottlingException'), UNREACHABLE, 'XKS_PROXY_NOT_REACHABLE', WRONG_STATE],
  ['DependencyTimeout', refusing(503, 'DependencyTimeoutException'), UNREACHABLE, 'XKS_PROXY_TIMED_OUT', WRONG_STATE],
  ['Internal', refusing(500, 'InternalException'), UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE', WRONG_STATE],
  ['Validation', refusing(400, 'ValidationException'), UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE', WRONG_STATE],
  [
    'UnsupportedOperation',
    refusing(501, 'UnsupportedOperationException'),
    UNREADABLE,
    'XKS_PROXY_INVALID_RESPONSE',
    WRONG_STATE,
  ],
  ['AccessDenied', refusing(403, 'AccessDeniedException'), UNREADABLE, 'XKS_PROXY_ACCESS_DENIED', WRONG_STATE],
  ['InvalidState', refusing(400, 'InvalidStateException'), MISCONFIGURED, 'XKS_PROXY_INVALID_CONFIGURATION', BAD_KEY],
  ['InvalidKeyUsage', refusing(400, 'InvalidKeyUsageException'), UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE', BAD_KEY],
  ['KeyNotFound', refusing(404, 'KeyNotFoundException'), UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE', NO_KEY],
  [
    'a name with the wrong status',
    refusing(500, 'KeyNotFoundException'),
    UNREADABLE,
    'XKS_PROXY_INVALID_RESPONSE',
    WRONG_STATE,
  ],
  ['a name of nobody', refusing(400, 'StrangeException'), UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE', WRONG_STATE],
  ['no JSON', () => ({ status: 200, body: '<html>' }), UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE', WRONG_STATE],
  ['a list', () => ({ status: 200, body: [] }), UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE', WRONG_STATE],
]

/** One connected store for the tests that do not change it. */
export function shared(): ReturnType<typeof connected> {
  sharedStore ??= connected()
  return sharedStore
}
