import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import {
  ConnectCustomKeyStoreCommand,
  CreateAliasCommand,
  CreateCustomKeyStoreCommand,
  CreateKeyCommand,
  DecryptCommand,
  DeleteCustomKeyStoreCommand,
  DescribeCustomKeyStoresCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  DisconnectCustomKeyStoreCommand,
  EnableKeyCommand,
  EnableKeyRotationCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  GetParametersForImportCommand,
  ReEncryptCommand,
  RotateKeyOnDemandCommand,
  ScheduleKeyDeletionCommand,
  UpdateCustomKeyStoreCommand,
} from '@aws-sdk/client-kms'
import type {
  CreateCustomKeyStoreCommandInput,
  CreateKeyCommandInput,
  KMSClient,
  UpdateCustomKeyStoreCommandInput,
} from '@aws-sdk/client-kms'
import { AssumeRoleCommand } from '@aws-sdk/client-sts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  startCloudA,
  type CloudASimulator,
  type HostAddress,
} from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, accountOf, kmsOf, outcome, stsOf } from '../clients.ts'
import { signatureOf } from '../signature.ts'
import { CREDENTIAL, HEALTH, NEXT_CREDENTIAL, pathIn, startXksProxy } from './xks-proxy.ts'
import type { Behaviour, Reply, XksProxy } from './xks-proxy.ts'

const account = ACCOUNTS.first
const HOST = 'xks.proxy.test'
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cloud-a-key-stores-'))
const file = path.join(folder, 'cloud-a.jsonl')
const clock = createClock()
let simulator: CloudASimulator
let hasty: CloudASimulator
let proxy: XksProxy

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
const start = () => startCloudA({ clock, file, resolve, proxyTimeoutMs: 5_000 })

beforeAll(async () => {
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

/** A separate region for each test, initially empty. */
const regions = (
  'ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 ' +
  'eu-north-1 eu-west-1 eu-west-2 eu-west-3 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2 eu-central-2 eu-south-1'
).split(' ')
function newPlace(): { region: string; kms: KMSClient } {
  const region = regions.pop()
  if (region === undefined) throw new Error('There are more tests than regions.')
  return { region, kms: kmsOf(simulator, { region }) }
}

const external = (region: string, more: Partial<CreateCustomKeyStoreCommandInput> = {}) => ({
  CustomKeyStoreName: 'outside',
  CustomKeyStoreType: 'EXTERNAL_KEY_STORE' as const,
  XksProxyConnectivity: 'PUBLIC_ENDPOINT' as const,
  XksProxyUriEndpoint: `https://${HOST}`,
  XksProxyUriPath: pathIn(region),
  XksProxyAuthenticationCredential: CREDENTIAL,
  ...more,
})
const serviceIn = (region: string, n = 1) => `com.amazonaws.vpce.${region}.vpce-svc-0123456789abcde${n}f`
const inVpc = (region: string, more: Partial<CreateCustomKeyStoreCommandInput> = {}) =>
  external(region, {
    XksProxyConnectivity: 'VPC_ENDPOINT_SERVICE',
    XksProxyVpcEndpointServiceName: serviceIn(region),
    ...more,
  })

const create = async (kms: KMSClient, input: CreateCustomKeyStoreCommandInput) =>
  (await kms.send(new CreateCustomKeyStoreCommand(input))).CustomKeyStoreId ?? ''
const connect = (kms: KMSClient, CustomKeyStoreId: string) =>
  kms.send(new ConnectCustomKeyStoreCommand({ CustomKeyStoreId }))
const disconnect = (kms: KMSClient, CustomKeyStoreId: string) =>
  kms.send(new DisconnectCustomKeyStoreCommand({ CustomKeyStoreId }))
const remove = (kms: KMSClient, CustomKeyStoreId: string) =>
  kms.send(new DeleteCustomKeyStoreCommand({ CustomKeyStoreId }))
const update = (kms: KMSClient, CustomKeyStoreId: string, input: Partial<UpdateCustomKeyStoreCommandInput>) =>
  outcome(kms.send(new UpdateCustomKeyStoreCommand({ CustomKeyStoreId, ...input })))
const describe = async (kms: KMSClient, CustomKeyStoreId: string) =>
  (await kms.send(new DescribeCustomKeyStoresCommand({ CustomKeyStoreId }))).CustomKeyStores?.[0] ?? {}
const stateOf = async (kms: KMSClient, id: string) => {
  const { ConnectionState, ConnectionErrorCode } = await describe(kms, id)
  return [ConnectionState, ConnectionErrorCode]
}

/** A connected store in a region of its own. */
async function connected(): Promise<{ region: string; kms: KMSClient; id: string }> {
  const { region, kms } = newPlace()
  const id = await create(kms, external(region))
  await connect(kms, id)
  return { region, kms, id }
}
const keyIn = async (kms: KMSClient, CustomKeyStoreId: string, XksKeyId: string) => {
  const input = { CustomKeyStoreId, XksKeyId, Origin: 'EXTERNAL_KEY_STORE' as const }
  return (await kms.send(new CreateKeyCommand(input))).KeyMetadata?.KeyId ?? ''
}

const refusing =
  (status: number, errorName: string): Behaviour =>
  () => ({ status, body: { errorName, errorMessage: 'as the test wants it' } })
/** The valid answer with some members changed. */
const changing =
  (change: Readonly<Record<string, unknown>>): Behaviour =>
  (_path, { status, body }: Reply) => ({ status, body: { ...(body as object), ...change } })

test('a store with a public endpoint is made once its proxy is healthy, and is shown without its secret', async () => {
  const { region, kms } = newPlace()
  const id = await create(kms, external(region))
  expect(id).toMatch(/^cks-[0-9a-f]{17}$/)
  expect(await describe(kms, id)).toEqual({
    CustomKeyStoreId: id,
    CustomKeyStoreName: 'outside',
    CustomKeyStoreType: 'EXTERNAL_KEY_STORE',
    ConnectionState: 'DISCONNECTED',
    CreationDate: expect.any(Date),
    XksProxyConfiguration: {
      Connectivity: 'PUBLIC_ENDPOINT',
      AccessKeyId: CREDENTIAL.AccessKeyId,
      UriEndpoint: `https://${HOST}`,
      UriPath: pathIn(region),
    },
  })
  expect(proxy.seen).toHaveLength(1)
  const [probe] = proxy.seen
  expect(probe?.path).toBe(`${pathIn(region)}/health`)
  expect(probe?.body).toEqual({
    requestMetadata: { kmsRequestId: expect.any(String), kmsOperation: 'CreateCustomKeyStore' },
  })
  expect(probe?.client).toBe(`cks.kms.${region}.amazonaws.com`)
  expect(probe?.headers).toMatchObject({ host: HOST, 'content-type': 'application/json' })
})

test('connecting and disconnecting take a few reads, or a minute', async () => {
  const { region, kms } = newPlace()
  simulator.setDelays({ connection: 2 })
  const id = await create(kms, external(region))
  await connect(kms, id)
  const seen = []
  for (let n = 0; n < 3; n++) seen.push((await stateOf(kms, id))[0])
  expect(seen).toEqual(['CONNECTING', 'CONNECTING', 'CONNECTED'])
  expect(await outcome(connect(kms, id))).toBe('done')
  expect(await stateOf(kms, id)).toEqual(['CONNECTED', undefined])
  await disconnect(kms, id)
  expect(await outcome(connect(kms, id))).toBe('CustomKeyStoreInvalidStateException')
  expect(await outcome(disconnect(kms, id))).toBe('CustomKeyStoreInvalidStateException')
  clock.advance(60_000)
  expect(await stateOf(kms, id)).toEqual(['DISCONNECTED', undefined])
  expect(await outcome(disconnect(kms, id))).toBe('CustomKeyStoreInvalidStateException')
  expect(proxy.seen.map(({ body }) => body.requestMetadata.kmsOperation)).toEqual([
    'CreateCustomKeyStore',
    'ConnectCustomKeyStore',
  ])
})

const WRONG_STATE = 'CustomKeyStoreInvalidStateException'
const NO_CREDENTIAL = 'XksProxyIncorrectAuthenticationCredentialException'
const MISCONFIGURED = 'XksProxyInvalidConfigurationException'
const UNREADABLE = 'XksProxyInvalidResponseException'
const UNREACHABLE = 'XksProxyUriUnreachableException'
const NO_KEY = 'XksKeyNotFoundException'
const BAD_KEY = 'XksKeyInvalidConfigurationException'

/** The proxy's answer, and the cloud's refusals to create a store, to connect it, and to create a key. */
const ANSWERS: readonly (readonly [string, Behaviour, string, string, string])[] = [
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

test('what a proxy answers is told in the cloud’s words, to who makes a store, connects it, or makes a key', async () => {
  const { region, kms, id } = await connected()
  const waiting = await create(kms, external(region, { CustomKeyStoreName: 'w', XksProxyUriPath: pathIn(region, 2) }))
  const found = []
  for (const [what, behave] of ANSWERS) {
    proxy.behave = behave
    const made = await outcome(
      create(kms, external(region, { CustomKeyStoreName: 'x', XksProxyUriPath: pathIn(region, 3) })),
    )
    await connect(kms, waiting)
    const [state, code] = await stateOf(kms, waiting)
    const key = await outcome(keyIn(kms, id, 'one'))
    expect([state, await outcome(connect(kms, waiting))]).toEqual(['FAILED', WRONG_STATE])
    await disconnect(kms, waiting)
    found.push([what, made, code, key])
  }
  expect(found).toEqual(ANSWERS.map((row) => row.filter((each) => typeof each === 'string')))
})

test.each<[string, unknown, string, string]>([
  ['a fleet of none', { xksProxyFleetSize: 0 }, UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE'],
  ['no vendor', { ekmVendor: undefined }, UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE'],
  ['no key manager', { ekmFleetDetails: [] }, UNREADABLE, 'XKS_PROXY_INVALID_RESPONSE'],
  [
    'an unknown word',
    { ekmFleetDetails: [{ id: 'a', model: 'b', healthStatus: 'FINE' }] },
    UNREADABLE,
    'XKS_PROXY_INVALID_RESPONSE',
  ],
  [
    'all of them down',
    { ekmFleetDetails: [{ id: 'a', model: 'b', healthStatus: 'UNAVAILABLE' }] },
    UNREACHABLE,
    'XKS_PROXY_NOT_REACHABLE',
  ],
])('a proxy that reports %s is not taken', async (_what, change, made, code) => {
  const region = 'us-east-1'
  const kms = kmsOf(simulator, { region, account: ACCOUNTS.second })
  const id = await create(kms, external(region))
  proxy.behave = () => ({ status: 200, body: { ...HEALTH, ...(change as object) } })
  expect(
    await outcome(create(kms, external(region, { CustomKeyStoreName: 'x', XksProxyUriPath: pathIn(region, 3) }))),
  ).toBe(made)
  await connect(kms, id)
  expect(await stateOf(kms, id)).toEqual(['FAILED', code])
  await disconnect(kms, id)
  await remove(kms, id)
})

test('a proxy that is degraded is taken', async () => {
  const { region, kms } = newPlace()
  proxy.behave = changing({ ekmFleetDetails: [{ id: 'a', model: 'b', healthStatus: 'DEGRADED' }] })
  expect(await outcome(create(kms, external(region)))).toBe('done')
})

test('a proxy that cannot be reached or trusted is told by the connection’s error code', async () => {
  const { region, kms } = newPlace()
  const id = await create(kms, inVpc(region, { XksProxyUriEndpoint: 'https://private.proxy.test' }))
  expect(proxy.seen).toEqual([])
  const found = []
  for (const host of ['private.proxy.test', 'untrusted.proxy.test', 'nobody.proxy.test', 'gone.proxy.test']) {
    const XksProxyUriEndpoint = `https://${host}`
    const input = external(region, {
      CustomKeyStoreName: host,
      XksProxyUriEndpoint,
      XksProxyUriPath: pathIn(region, 2),
    })
    const made = host === 'private.proxy.test' ? undefined : await outcome(create(kms, input))
    expect(await update(kms, id, { XksProxyUriEndpoint })).toBe('done')
    await connect(kms, id)
    found.push([host, made, ...(await stateOf(kms, id))])
    await disconnect(kms, id)
  }
  expect(found).toEqual([
    ['private.proxy.test', undefined, 'FAILED', 'XKS_PROXY_INVALID_TLS_CONFIGURATION'],
    ['untrusted.proxy.test', MISCONFIGURED, 'FAILED', 'XKS_PROXY_INVALID_TLS_CONFIGURATION'],
    ['nobody.proxy.test', UNREACHABLE, 'FAILED', 'XKS_PROXY_NOT_REACHABLE'],
    ['gone.proxy.test', UNREACHABLE, 'FAILED', 'XKS_VPC_ENDPOINT_SERVICE_INVALID_CONFIGURATION'],
  ])
})

test('a request that is not answered within 250 milliseconds is sent once more', async () => {
  const region = 'us-east-1'
  const kms = kmsOf(hasty, { region })
  hasty.setDelays({ connection: 0 })
  let hangs = 1
  proxy.behave = (_path, right) => (hangs-- > 0 ? 'hang' : right)
  const id = await create(kms, external(region))
  expect(proxy.seen).toHaveLength(2)
  hangs = 2
  const before = performance.now()
  await connect(kms, id)
  expect(performance.now() - before).toBeGreaterThanOrEqual(490)
  expect(await stateOf(kms, id)).toEqual(['FAILED', 'XKS_PROXY_TIMED_OUT'])
  expect(proxy.seen).toHaveLength(4)
  expect(proxy.seen[3]?.body).toEqual(proxy.seen[2]?.body)
})

test('connections are kept open, and one that the proxy has closed is replaced', async () => {
  const { kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'kept-open')
  await kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' }))
  expect(new Set(proxy.seen.map(({ connection }) => connection)).size).toBe(1)
  proxy.closeIdle()
  expect(await outcome(kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' })))).toBe('done')
  expect(new Set(proxy.seen.map(({ connection }) => connection)).size).toBe(2)
})

test.each<[string, Partial<CreateCustomKeyStoreCommandInput>]>([
  ['no name', { CustomKeyStoreName: '' }],
  ['no connectivity', { XksProxyConnectivity: undefined }],
  ['no endpoint', { XksProxyUriEndpoint: undefined }],
  ['an endpoint without TLS', { XksProxyUriEndpoint: 'http://xks.proxy.test' }],
  ['an endpoint with a port', { XksProxyUriEndpoint: `https://${HOST}:443` }],
  ['an endpoint with a path', { XksProxyUriEndpoint: `https://${HOST}/` }],
  ['an endpoint that is an address', { XksProxyUriEndpoint: 'https://127.0.0.1' }],
  ['an endpoint of one label', { XksProxyUriEndpoint: 'https://localhost' }],
  ['no path', { XksProxyUriPath: undefined }],
  ['a path with another end', { XksProxyUriPath: '/somewhere/kms/xks' }],
  ['a path with a dot', { XksProxyUriPath: '/some.where/kms/xks/v1' }],
  ['no credential', { XksProxyAuthenticationCredential: undefined }],
  ['a short key id', { XksProxyAuthenticationCredential: { ...CREDENTIAL, AccessKeyId: 'ABCDEFG' } }],
  ['a key id in small letters', { XksProxyAuthenticationCredential: { ...CREDENTIAL, AccessKeyId: 'a'.repeat(20) } }],
  ['a short secret', { XksProxyAuthenticationCredential: { ...CREDENTIAL, RawSecretAccessKey: 'x'.repeat(42) } }],
  ['a secret with a mark', { XksProxyAuthenticationCredential: { ...CREDENTIAL, RawSecretAccessKey: '_'.repeat(44) } }],
  ['a password', { KeyStorePassword: 'password' }],
  ['a public endpoint with a service', { XksProxyVpcEndpointServiceName: serviceIn('us-east-1') }],
  ['a VPC without a service', { XksProxyConnectivity: 'VPC_ENDPOINT_SERVICE' }],
  ['a service of another form', inVpc('us-east-1', { XksProxyVpcEndpointServiceName: 'com.example.vpce.service-1' })],
])('a store with %s is refused, and no proxy is asked', async (_what, change) => {
  const kms = kmsOf(simulator, { account: ACCOUNTS.second })
  expect(await outcome(create(kms, external('us-east-1', change)))).toBe('ValidationException')
  expect(proxy.seen).toEqual([])
})

test('names, addresses and services belong to one store of a region', async () => {
  const { region, kms } = newPlace()
  await create(kms, external(region))
  const attempt = (input: CreateCustomKeyStoreCommandInput) => outcome(create(kms, input))
  const named = { CustomKeyStoreName: 'another' }
  expect(await attempt(external(region, { XksProxyUriPath: pathIn(region, 2) }))).toBe(
    'CustomKeyStoreNameInUseException',
  )
  expect(await attempt(external(region, named))).toBe('XksProxyUriInUseException')
  expect(await attempt(external(region, { ...named, XksProxyUriPath: pathIn(region, 2) }))).toBe('done')
  const shared = { CustomKeyStoreName: 'vpc', XksProxyUriPath: pathIn(region, 3) }
  expect(await attempt(inVpc(region, shared))).toBe('XksProxyUriEndpointInUseException')
  const own = { ...shared, XksProxyUriEndpoint: 'https://private.proxy.test' }
  expect(await attempt(inVpc(region, { ...own, XksProxyVpcEndpointServiceName: serviceIn('xx-west-1') }))).toBe(
    'XksProxyVpcEndpointServiceNotFoundException',
  )
  expect(await attempt(inVpc(region, { ...own, XksProxyVpcEndpointServiceOwner: '000000000000' }))).toBe(
    'XksProxyVpcEndpointServiceInvalidConfigurationException',
  )
  expect(await attempt(inVpc(region, own))).toBe('done')
  const second = { ...own, CustomKeyStoreName: 'vpc 2', XksProxyUriEndpoint: 'https://other.proxy.test' }
  expect(await attempt(inVpc(region, second))).toBe('XksProxyVpcEndpointServiceInUseException')
  const beside = {
    CustomKeyStoreName: 'b',
    XksProxyUriPath: pathIn(region, 4),
    XksProxyUriEndpoint: own.XksProxyUriEndpoint,
  }
  expect(await attempt(external(region, beside))).toBe('XksProxyUriEndpointInUseException')
  const { CustomKeyStores } = await kms.send(new DescribeCustomKeyStoresCommand({ CustomKeyStoreName: 'vpc' }))
  expect(CustomKeyStores?.[0]?.XksProxyConfiguration).toMatchObject({
    Connectivity: 'VPC_ENDPOINT_SERVICE',
    VpcEndpointServiceName: serviceIn(region),
    VpcEndpointServiceOwner: account,
  })
  expect(await outcome(create(kmsOf(simulator, { region, account: ACCOUNTS.third }), external(region)))).toBe('done')
})

test('an account has ten stores in a region, in pages, each found by id or name', async () => {
  const { region, kms } = newPlace()
  const ids = []
  for (let n = 0; n < 10; n++) {
    ids.push(await create(kms, external(region, { CustomKeyStoreName: `s${n}`, XksProxyUriPath: pathIn(region, n) })))
  }
  const eleventh = external(region, { CustomKeyStoreName: 's10', XksProxyUriPath: pathIn(region, 10) })
  expect(await outcome(create(kms, eleventh))).toBe('LimitExceededException')
  const first = await kms.send(new DescribeCustomKeyStoresCommand({ Limit: 6 }))
  const second = await kms.send(new DescribeCustomKeyStoresCommand({ Limit: 6, Marker: first.NextMarker }))
  const shown = [...(first.CustomKeyStores ?? []), ...(second.CustomKeyStores ?? [])]
  expect(shown.map(({ CustomKeyStoreId }) => CustomKeyStoreId)).toEqual([...ids].sort())
  expect([first.Truncated, second.Truncated]).toEqual([true, false])
  const describing = (input: object) => outcome(kms.send(new DescribeCustomKeyStoresCommand(input)))
  expect(await describing({ CustomKeyStoreName: 'nowhere' })).toBe('CustomKeyStoreNotFoundException')
  expect(await describing({ CustomKeyStoreId: 'cks-1' })).toBe('CustomKeyStoreNotFoundException')
  expect(await describing({ CustomKeyStoreId: ids[0], CustomKeyStoreName: 's0' })).toBe('ValidationException')
})

test('what may be changed of a connected store, and what only of a disconnected one', async () => {
  const { region, kms, id } = await connected()
  await create(kms, external(region, { CustomKeyStoreName: 'other', XksProxyUriPath: pathIn(region, 2) }))
  proxy.seen.length = 0
  expect(await update(kms, id, { NewCustomKeyStoreName: 'renamed' })).toBe('done')
  expect(proxy.seen).toEqual([])
  const XksProxyAuthenticationCredential = NEXT_CREDENTIAL
  expect(await update(kms, id, { XksProxyAuthenticationCredential, XksProxyUriPath: pathIn(region, 3) })).toBe('done')
  expect(proxy.seen[0]?.headers.authorization).toContain(NEXT_CREDENTIAL.AccessKeyId)
  expect(proxy.seen[0]?.path).toBe(`${pathIn(region, 3)}/health`)
  const wrong = { ...NEXT_CREDENTIAL, RawSecretAccessKey: 'w'.repeat(44) }
  expect(await update(kms, id, { XksProxyAuthenticationCredential: wrong })).toBe(NO_CREDENTIAL)
  expect(await describe(kms, id)).toMatchObject({
    CustomKeyStoreName: 'renamed',
    ConnectionState: 'CONNECTED',
    XksProxyConfiguration: { AccessKeyId: NEXT_CREDENTIAL.AccessKeyId, UriPath: pathIn(region, 3) },
  })
  expect(await update(kms, id, { NewCustomKeyStoreName: 'other' })).toBe('CustomKeyStoreNameInUseException')
  expect(await update(kms, id, { XksProxyUriPath: pathIn(region, 2) })).toBe('XksProxyUriInUseException')
  expect(await update(kms, id, {})).toBe('ValidationException')
  expect(await update(kms, id, { KeyStorePassword: 'password' })).toBe('ValidationException')
  const moved = {
    XksProxyConnectivity: 'VPC_ENDPOINT_SERVICE' as const,
    XksProxyUriEndpoint: 'https://private.proxy.test',
    XksProxyVpcEndpointServiceName: serviceIn(region),
  }
  expect(await update(kms, id, moved)).toBe(WRONG_STATE)
  await disconnect(kms, id)
  const { XksProxyUriEndpoint: _, ...sameHost } = moved
  expect(await update(kms, id, sameHost)).toBe('ValidationException')
  expect(await update(kms, id, moved)).toBe('done')
  const back = { XksProxyConnectivity: 'PUBLIC_ENDPOINT' as const, XksProxyUriEndpoint: `https://${HOST}` }
  expect(await update(kms, id, { ...back, XksProxyVpcEndpointServiceName: '' })).toBe('done')
  expect((await describe(kms, id)).XksProxyConfiguration).not.toHaveProperty('VpcEndpointServiceName')
  proxy.behave = refusing(401, 'AuthenticationFailedException')
  await connect(kms, id)
  expect(await update(kms, id, { NewCustomKeyStoreName: 'failed' })).toBe(WRONG_STATE)
  expect(await update(kms, 'cks-1', { NewCustomKeyStoreName: 'x' })).toBe('CustomKeyStoreNotFoundException')
})

test('a store is deleted once it is disconnected and its keys are gone', async () => {
  const { kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'last')
  expect(await outcome(remove(kms, id))).toBe(WRONG_STATE)
  await disconnect(kms, id)
  expect(await outcome(remove(kms, id))).toBe('CustomKeyStoreHasCMKsException')
  await kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }))
  expect(await outcome(remove(kms, id))).toBe('CustomKeyStoreHasCMKsException')
  clock.advance(7 * 86_400_000)
  expect(await outcome(remove(kms, id))).toBe('done')
  expect(await outcome(describe(kms, id))).toBe('CustomKeyStoreNotFoundException')
})

test('a key in an external store is described as such, and each external key is behind one key', async () => {
  const { region, kms, id } = await connected()
  proxy.seen.length = 0
  const { KeyMetadata } = await kms.send(
    new CreateKeyCommand({ CustomKeyStoreId: id, XksKeyId: 'Key_1.a-b', Origin: 'EXTERNAL_KEY_STORE' }),
  )
  expect(KeyMetadata).toMatchObject({
    Origin: 'EXTERNAL_KEY_STORE',
    KeySpec: 'SYMMETRIC_DEFAULT',
    KeyState: 'Enabled',
    Enabled: true,
    CustomKeyStoreId: id,
    XksKeyConfiguration: { Id: 'Key_1.a-b' },
  })
  expect(KeyMetadata).not.toHaveProperty('CurrentKeyMaterialId')
  expect(KeyMetadata).not.toHaveProperty('CloudHsmClusterId')
  expect(proxy.seen.map(({ path: asked, body }) => [asked, body])).toEqual([
    [
      `${pathIn(region)}/keys/Key_1.a-b/metadata`,
      {
        requestMetadata: {
          awsPrincipalArn: `arn:aws:iam::${account}:user/keymgr-admin`,
          kmsRequestId: expect.any(String),
          kmsOperation: 'CreateKey',
          kmsKeyArn: KeyMetadata?.Arn,
        },
      },
    ],
  ])
  expect(await outcome(keyIn(kms, id, 'Key_1.a-b'))).toBe('XksKeyAlreadyInUseException')
  expect(await outcome(keyIn(kms, id, 'no-such-key'))).toBe(NO_KEY)
  const both = await Promise.all([outcome(keyIn(kms, id, 'raced')), outcome(keyIn(kms, id, 'raced'))])
  expect(both.sort()).toEqual(['XksKeyAlreadyInUseException', 'done'])
  const KeyId = KeyMetadata?.KeyId ?? ''
  const unsupported = 'UnsupportedOperationException'
  expect(await outcome(kms.send(new EnableKeyRotationCommand({ KeyId })))).toBe(unsupported)
  expect(await outcome(kms.send(new RotateKeyOnDemandCommand({ KeyId })))).toBe(unsupported)
  const wrapping = { WrappingAlgorithm: 'RSAES_OAEP_SHA_256', WrappingKeySpec: 'RSA_2048' } as const
  expect(await outcome(kms.send(new GetParametersForImportCommand({ KeyId, ...wrapping })))).toBe(unsupported)
})

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['is disabled', { keyStatus: 'DISABLED' }, BAD_KEY],
  ['is too short', { keySpec: 'AES_128' }, BAD_KEY],
  ['only encrypts', { keyUsage: ['ENCRYPT'] }, BAD_KEY],
  ['only decrypts', { keyUsage: ['DECRYPT'] }, BAD_KEY],
  ['has a status of its own', { keyStatus: 'SLEEPING' }, WRONG_STATE],
  ['has no usage', { keyUsage: undefined }, WRONG_STATE],
  ['has too many usages', { keyUsage: Array.from({ length: 11 }, () => 'ENCRYPT') }, WRONG_STATE],
  ['has more usages', { keyUsage: ['SIGN', 'ENCRYPT', 'DECRYPT', 'WRAP'] }, 'done'],
])('of an external key that %s, a key is made or not', async (_what, change, expected) => {
  const { kms, id } = await shared()
  proxy.behave = changing(change)
  expect(await outcome(keyIn(kms, id, `key-${randomBytes(6).toString('hex')}`))).toBe(expected)
})

/** One connected store for the tests that do not change it. */
let sharedStore: ReturnType<typeof connected> | undefined
function shared(): ReturnType<typeof connected> {
  sharedStore ??= connected()
  return sharedStore
}

test.each<[string, Partial<CreateKeyCommandInput>, string]>([
  ['of the cloud’s own origin', { Origin: 'AWS_KMS' }, 'ValidationException'],
  ['of another store’s origin', { Origin: 'AWS_CLOUDHSM' }, 'ValidationException'],
  ['without external key', { XksKeyId: undefined }, 'ValidationException'],
  ['with a malformed external key', { XksKeyId: 'a/b' }, 'ValidationException'],
  ['without store', { CustomKeyStoreId: undefined }, 'ValidationException'],
  ['of a store that is not there', { CustomKeyStoreId: 'cks-0' }, 'CustomKeyStoreNotFoundException'],
  ['that is a pair', { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' }, 'UnsupportedOperationException'],
  ['for MACs', { KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }, 'UnsupportedOperationException'],
  ['of several regions', { MultiRegion: true }, 'UnsupportedOperationException'],
])('a key %s is refused before the proxy is asked', async (_what, change, expected) => {
  const { kms, id } = await shared()
  proxy.seen.length = 0
  const input = { CustomKeyStoreId: id, XksKeyId: 'x', Origin: 'EXTERNAL_KEY_STORE' as const, ...change }
  expect(await outcome(kms.send(new CreateKeyCommand(input)))).toBe(expected)
  expect(proxy.seen).toEqual([])
})

test('what is encrypted has two layers, and both sides must agree to open it', async () => {
  const { region, kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'two-layers')
  const Plaintext = randomBytes(4096)
  const EncryptionContext = { tenant: '7', use: 'test' }
  proxy.seen.length = 0
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext }))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))
  expect(Buffer.from(opened.Plaintext ?? [])).toEqual(Plaintext)
  expect(opened).not.toHaveProperty('KeyMaterialId')
  const KeyArn = `arn:aws:kms:${region}:${account}:key/${KeyId}`
  expect(proxy.seen.map(({ path: asked }) => asked.split('/').at(-1))).toEqual(['encrypt', 'decrypt'])
  const [encrypted, decrypted] = proxy.seen.map(({ body }) => body)
  const metadata = (kmsOperation: string) => ({
    ...{ awsPrincipalArn: `arn:aws:iam::${account}:user/keymgr-admin`, kmsRequestId: expect.any(String) },
    ...{ kmsOperation, kmsKeyArn: KeyArn },
  })
  expect(encrypted).toEqual({
    requestMetadata: metadata('Encrypt'),
    plaintext: expect.any(String),
    encryptionAlgorithm: 'AES_GCM',
    additionalAuthenticatedData: expect.any(String),
    ciphertextDataIntegrityValueAlgorithm: 'SHA_256',
  })
  expect(decrypted).toEqual({
    requestMetadata: metadata('Decrypt'),
    ciphertext: expect.any(String),
    initializationVector: expect.any(String),
    authenticationTag: expect.any(String),
    ciphertextMetadata: Buffer.from('layout 1').toString('base64'),
    encryptionAlgorithm: 'AES_GCM',
    additionalAuthenticatedData: encrypted?.additionalAuthenticatedData,
  })
  expect(JSON.stringify(encrypted)).not.toContain(Plaintext.subarray(0, 30).toString('base64'))
  const decrypt = (blob: Uint8Array, context = EncryptionContext) =>
    outcome(kms.send(new DecryptCommand({ CiphertextBlob: blob, EncryptionContext: context })))
  expect(await decrypt(CiphertextBlob ?? new Uint8Array(), { tenant: '8', use: 'test' })).toBe(
    'KMSInvalidStateException',
  )
  const altered = Buffer.from(CiphertextBlob ?? [])
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
  expect(await decrypt(altered)).toBe('KMSInvalidStateException')
  expect(await decrypt(Buffer.from(CiphertextBlob ?? []).subarray(0, 30))).toBe('InvalidCiphertextException')
})

test('data keys and moving to another key go through the proxy, under the name of the call', async () => {
  const { kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'data-keys')
  const inside = (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId ?? ''
  proxy.seen.length = 0
  const made = await kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' }))
  expect(made).not.toHaveProperty('KeyMaterialId')
  const { CiphertextBlob } = await kms.send(new GenerateDataKeyWithoutPlaintextCommand({ KeyId, KeySpec: 'AES_256' }))
  const out = await kms.send(new ReEncryptCommand({ CiphertextBlob: made.CiphertextBlob, DestinationKeyId: inside }))
  const back = await kms.send(new ReEncryptCommand({ CiphertextBlob: out.CiphertextBlob, DestinationKeyId: KeyId }))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob: back.CiphertextBlob, KeyId }))
  expect(opened.Plaintext).toEqual(made.Plaintext)
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob, KeyId: inside })))).toBe('IncorrectKeyException')
  const called = proxy.seen.map(({ path: asked, body }) => [asked.split('/').at(-1), body.requestMetadata.kmsOperation])
  expect(called).toEqual([
    ['encrypt', 'GenerateDataKey'],
    ['encrypt', 'GenerateDataKeyWithoutPlaintext'],
    ['decrypt', 'ReEncrypt'],
    ['encrypt', 'ReEncrypt'],
    ['decrypt', 'Decrypt'],
  ])
  expect(proxy.seen[0]?.body).not.toHaveProperty('additionalAuthenticatedData')
})

test('who calls in a role is named to the proxy by the session', async () => {
  const { region, kms, id } = await shared()
  const KeyId = await keyIn(kms, id, 'by-role')
  const RoleArn = `arn:aws:iam::${account}:role/keymgr-operator`
  const { Credentials } = await stsOf(simulator, { region }).send(
    new AssumeRoleCommand({ RoleArn, RoleSessionName: 'night' }),
  )
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  proxy.seen.length = 0
  const answer = await kmsOf(simulator, { region, credentials }).send(
    new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' }),
  )
  expect(proxy.seen[0]?.body.requestMetadata).toMatchObject({
    awsPrincipalArn: `arn:aws:sts::${account}:assumed-role/keymgr-operator/night`,
    kmsRequestId: answer.$metadata.requestId,
  })
})

const base64 = (length: number) => randomBytes(length).toString('base64')

test('whatever a proxy gets wrong, who uses the key hears that it is in no state for that', async () => {
  const { kms, id } = await shared()
  const KeyId = await keyIn(kms, id, 'goes-wrong')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }))
  const encrypting = () => outcome(kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') })))
  const decrypting = () => outcome(kms.send(new DecryptCommand({ CiphertextBlob })))
  const wrongs: Readonly<Record<string, Behaviour>> = {
    ...Object.fromEntries(ANSWERS.map(([what, behave]) => [what, behave])),
    InvalidCiphertext: refusing(400, 'InvalidCiphertextException'),
  }
  for (const [what, behave] of Object.entries(wrongs)) {
    proxy.behave = behave
    expect([what, await encrypting(), await decrypting()]).toEqual([what, ...INVALID_STATE])
  }
  const changes = [
    { ciphertextDataIntegrityValue: undefined },
    { ciphertextDataIntegrityValue: base64(32) },
    { initializationVector: base64(13) },
    { authenticationTag: base64(12) },
    { ciphertextMetadata: base64(21) },
    { ciphertext: base64(8) },
    { ciphertext: 'no base64!' },
  ]
  for (const change of changes) {
    proxy.behave = changing(change)
    expect([change, await encrypting()]).toEqual([change, 'KMSInvalidStateException'])
  }
  proxy.behave = changing({ plaintext: base64(3) })
  expect(await decrypting()).toBe('KMSInvalidStateException')
  proxy.behave = undefined
  expect([await encrypting(), await decrypting()]).toEqual(['done', 'done'])
})
const INVALID_STATE = ['KMSInvalidStateException', 'KMSInvalidStateException']

test('keys of a store that is not connected are unavailable: they can be managed and not used', async () => {
  const { kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'unavailable')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }))
  await disconnect(kms, id)
  proxy.seen.length = 0
  const shown = async () => (await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata
  expect(await shown()).toMatchObject({ KeyState: 'Unavailable', Enabled: false })
  const encrypting = () => outcome(kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') })))
  expect(await encrypting()).toBe('KMSInvalidStateException')
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('KMSInvalidStateException')
  expect(await outcome(keyIn(kms, id, 'another'))).toBe(WRONG_STATE)
  expect(proxy.seen).toEqual([])
  const managing = [
    new CreateAliasCommand({ AliasName: 'alias/far', TargetKeyId: KeyId }),
    new DisableKeyCommand({ KeyId }),
  ]
  expect(await Promise.all(managing.map((command) => outcome(kms.send(command as DisableKeyCommand))))).toEqual([
    'done',
    'done',
  ])
  await connect(kms, id)
  expect(await shown()).toMatchObject({ KeyState: 'Disabled' })
  expect(await encrypting()).toBe('DisabledException')
  await kms.send(new EnableKeyCommand({ KeyId }))
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('done')
})

/** DescribeClusters, signed by hand, because the client of that service is not a dependency. */
async function describeClusters(region: string, input: object, service = 'cloudhsm') {
  const { accessKeyId, secretAccessKey: secret } = accountOf(simulator, account).credentials
  const body = JSON.stringify(input)
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const headers = {
    host: new URL(simulator.endpoint).host,
    'x-amz-date': stamp,
    'x-amz-target': 'BaldrApiService.DescribeClusters',
  }
  const signature = signatureOf({ path: '/', headers, body }, { region, service, secret })
  const credential = `${accessKeyId}/${stamp.slice(0, 8)}/${region}/${service}/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date;x-amz-target, Signature=${signature}`
  const answer = await fetch(simulator.endpoint, { method: 'POST', headers: { ...headers, authorization }, body })
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> }
}

test('each region of an account of the first partition has two clusters, one of them active', async () => {
  const { region } = newPlace()
  const [active, blank] = simulator.clustersIn(account, region)
  expect(active?.id).toMatch(/^cluster-[2-7a-z]{11}$/)
  const all = await describeClusters(region, {})
  expect(all.status).toBe(200)
  const rows = [
    { ClusterId: active?.id, State: 'ACTIVE', VpcId: active?.vpcId },
    { ClusterId: blank?.id, State: 'UNINITIALIZED', VpcId: blank?.vpcId },
  ]
  expect(all.body).toMatchObject({
    Clusters: rows.sort((a, b) => String(a.ClusterId).localeCompare(String(b.ClusterId))),
  })
  const found = await describeClusters(region, { Filters: { states: ['ACTIVE'] } })
  expect(found.body).toMatchObject({
    Clusters: [{ ClusterId: active?.id, Hsms: [{ State: 'ACTIVE' }, { State: 'ACTIVE' }] }],
  })
  const first = await describeClusters(region, { MaxResults: 1 })
  const second = await describeClusters(region, { MaxResults: 1, NextToken: first.body.NextToken })
  expect([first.body.Clusters, second.body.Clusters]).toEqual([
    [expect.objectContaining({ ClusterId: expect.any(String) })],
    [expect.objectContaining({ ClusterId: expect.any(String) })],
  ])
  expect(second.body).not.toHaveProperty('NextToken')
  expect(await describeClusters(region, { Filters: { colours: ['red'] } })).toMatchObject({
    status: 400,
    body: { __type: 'CloudHsmInvalidRequestException' },
  })
  expect((await describeClusters(region, {}, 'kms')).body).toMatchObject({ __type: 'InvalidSignatureException' })
  expect(simulator.clustersIn(ACCOUNTS.gov, 'us-gov-west-1')).toEqual([])
  expect(() => simulator.alterCluster(account, region, 'cluster-x', {})).toThrow('There is no cluster')
})

test('a store on a hardware cluster lives and dies by the rules of clusters', async () => {
  const { region, kms } = newPlace()
  const [active, blank] = simulator.clustersIn(account, region)
  if (active === undefined || blank === undefined) throw new Error('There are no clusters.')
  const input = {
    CustomKeyStoreName: 'hardware',
    CloudHsmClusterId: active.id,
    KeyStorePassword: 'not-the-right-one',
    TrustAnchorCertificate: active.trustAnchor,
  }
  const attempt = (change: Partial<CreateCustomKeyStoreCommandInput>) => outcome(create(kms, { ...input, ...change }))
  for (const id of ['cluster-aaaaaaaaaaa', 'cluster-1a23b4cdefg'])
    expect(await attempt({ CloudHsmClusterId: id })).toBe('CloudHsmClusterNotFoundException')
  expect(await attempt({ CloudHsmClusterId: 'cluster-1' })).toBe('ValidationException')
  expect(await attempt({ CloudHsmClusterId: blank.id })).toBe('CloudHsmClusterNotActiveException')
  expect(await attempt({ TrustAnchorCertificate: blank.trustAnchor })).toBe('IncorrectTrustAnchorException')
  expect(await attempt({ KeyStorePassword: 'short' })).toBe('ValidationException')
  expect(await attempt({ KeyStorePassword: undefined })).toBe('ValidationException')
  expect(await attempt({ XksProxyUriPath: pathIn(region) })).toBe('ValidationException')
  simulator.alterCluster(account, region, active.id, { hsms: 1 })
  expect(await attempt({})).toBe('CloudHsmClusterInvalidConfigurationException')
  simulator.alterCluster(account, region, active.id, { hsms: 2 })
  const id = await create(kms, input)
  expect(await attempt({ CustomKeyStoreName: 'second' })).toBe('CloudHsmClusterInUseException')
  const { CreationDate: _, ...shown } = await describe(kms, id)
  expect(shown).toEqual({
    CustomKeyStoreId: id,
    CustomKeyStoreName: 'hardware',
    CustomKeyStoreType: 'AWS_CLOUDHSM',
    ConnectionState: 'DISCONNECTED',
    CloudHsmClusterId: active.id,
    TrustAnchorCertificate: active.trustAnchor,
  })
  await connect(kms, id)
  expect(await stateOf(kms, id)).toEqual(['FAILED', 'INVALID_CREDENTIALS'])
  await disconnect(kms, id)
  expect(await update(kms, id, { KeyStorePassword: active.kmsuserPassword })).toBe('done')
  simulator.alterCluster(account, region, active.id, { hsms: 0 })
  await connect(kms, id)
  expect(await stateOf(kms, id)).toEqual(['FAILED', 'INSUFFICIENT_CLOUDHSM_HSMS'])
  await disconnect(kms, id)
  simulator.alterCluster(account, region, active.id, { hsms: 2 })
  simulator.alterCluster(account, region, blank.id, { state: 'ACTIVE', hsms: 2 })
  expect(await update(kms, id, { CloudHsmClusterId: blank.id })).toBe('CloudHsmClusterNotRelatedException')
  simulator.alterCluster(account, region, blank.id, { trustAnchor: active.trustAnchor })
  expect(await update(kms, id, { CloudHsmClusterId: blank.id })).toBe('done')
  expect(await update(kms, id, { CloudHsmClusterId: active.id })).toBe('done')
  await connect(kms, id)
  expect(await stateOf(kms, id)).toEqual(['CONNECTED', undefined])
  expect(await update(kms, id, { KeyStorePassword: 'another-one' })).toBe(WRONG_STATE)
  expect(await update(kms, id, { NewCustomKeyStoreName: 'renamed' })).toBe('done')

  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ CustomKeyStoreId: id, Origin: 'AWS_CLOUDHSM' }))
  expect(KeyMetadata).toMatchObject({ Origin: 'AWS_CLOUDHSM', CustomKeyStoreId: id, CloudHsmClusterId: active.id })
  const KeyId = KeyMetadata?.KeyId ?? ''
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('hardware') }))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob }))
  expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('hardware')
  expect(proxy.seen).toEqual([])
  expect(await outcome(keyIn(kms, id, 'x'))).toBe('ValidationException')
  await disconnect(kms, id)
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('KMSInvalidStateException')
})

test('stores and their keys are there again after a restart, and no secret is in the request log', async () => {
  const { region, kms, id } = await connected()
  const gone = await create(kms, external(region, { CustomKeyStoreName: 'gone', XksProxyUriPath: pathIn(region, 2) }))
  await remove(kms, gone)
  const KeyId = await keyIn(kms, id, 'kept')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('kept') }))
  const log = JSON.stringify(simulator.calls())
  expect(log).toContain(CREDENTIAL.AccessKeyId)
  expect(log).not.toContain(CREDENTIAL.RawSecretAccessKey)
  const before = await describe(kms, id)
  await simulator.stop()
  simulator = await start()
  await proxy.stop()
  const keyOf = proxy.keyOf
  proxy = await startXksProxy({ host: HOST, clientAuthority: simulator.proxyClientAuthority, now: clock.now, keyOf })
  const again = kmsOf(simulator, { region })
  expect(await describe(again, id)).toEqual(before)
  expect(await outcome(describe(again, gone))).toBe('CustomKeyStoreNotFoundException')
  const opened = await again.send(new DecryptCommand({ CiphertextBlob }))
  expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('kept')
})
