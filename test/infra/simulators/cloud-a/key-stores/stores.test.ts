import {
  type CreateCustomKeyStoreCommandInput,
  DecryptCommand,
  DescribeCustomKeyStoresCommand,
  EncryptCommand,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { ACCOUNTS, kmsOf, outcome } from '../clients.ts'
import { CREDENTIAL, NEXT_CREDENTIAL, pathIn } from './xks-proxy.ts'
import {
  account,
  HOST,
  clock,
  simulator,
  proxy,
  restart,
  newPlace,
  external,
  serviceIn,
  inVpc,
  create,
  connect,
  disconnect,
  remove,
  update,
  describe,
  stateOf,
  connected,
  keyIn,
  refusing,
  WRONG_STATE,
  NO_CREDENTIAL,
  useStores,
} from './stores.ts'

useStores()

test('a store with a public endpoint is created once its proxy is healthy, and is shown without its secret', async () => {
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

test('some fields of a connected store can change, others only of a disconnected one', async () => {
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

test('a store can be deleted once it is disconnected and has no keys', async () => {
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

test('stores and their keys exist after a restart, and no secret is in the request log', async () => {
  const { region, kms, id } = await connected()
  const gone = await create(kms, external(region, { CustomKeyStoreName: 'gone', XksProxyUriPath: pathIn(region, 2) }))
  await remove(kms, gone)
  const KeyId = await keyIn(kms, id, 'kept')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('kept') }))
  const log = JSON.stringify(simulator.calls())
  expect(log).toContain(CREDENTIAL.AccessKeyId)
  expect(log).not.toContain(CREDENTIAL.RawSecretAccessKey)
  const before = await describe(kms, id)
  await restart()
  const again = kmsOf(simulator, { region })
  expect(await describe(again, id)).toEqual(before)
  expect(await outcome(describe(again, gone))).toBe('CustomKeyStoreNotFoundException')
  const opened = await again.send(new DecryptCommand({ CiphertextBlob }))
  expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('kept')
})
