import { GenerateDataKeyCommand } from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { ACCOUNTS, kmsOf, outcome } from '../clients.ts'
import { HEALTH, pathIn } from './xks-proxy.ts'
import {
  connected,
  create,
  external,
  ANSWERS,
  proxy,
  connect,
  stateOf,
  keyIn,
  WRONG_STATE,
  disconnect,
  UNREADABLE,
  UNREACHABLE,
  simulator,
  remove,
  newPlace,
  changing,
  inVpc,
  update,
  MISCONFIGURED,
  hasty,
  useStores,
} from './stores.ts'

useStores()

test('an error of a proxy is returned in the cloud’s words when a store or key is created, or a store is connected', async () => {
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

test('the error code of a connection states that a proxy cannot be reached or trusted', async () => {
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
