import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startCloudC, type CloudCSimulator } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { apiOf, newKey, PROJECT, RING, signedBy, userApi, type Api } from './clients.ts'

const clock = createClock()
let simulator: CloudCSimulator
let api: Api
let user: Api
let start: string

beforeAll(async () => {
  simulator = await startCloudC({ clock })
  api = apiOf(simulator)
  user = userApi(simulator)
})
beforeEach(() => {
  simulator.reset()
  clock.advance(60_000)
  start = clock.now().toISOString()
})
afterAll(() => simulator.stop())

const OF_KMS = 'protoPayload.serviceName="cloudkms.googleapis.com"'
const list = async (filter: string, more: object = {}, by: Api = api) =>
  by.post('v2/entries:list', { resourceNames: [PROJECT], filter, orderBy: 'timestamp asc', pageSize: 1000, ...more })
const since = (more = '') => `${OF_KMS} AND timestamp>="${start}"${more}`
const entries = async (filter: string): Promise<any[]> => (await list(filter)).body.entries ?? []
const done = async (filter: string) => (await entries(filter)).map(({ protoPayload }) => protoPayload.methodName)
const hello = { plaintext: Buffer.from('hello').toString('base64') }

test('changes and uses are logged with caller, action and time', async () => {
  const name = await newKey(api, 'logged')
  clock.advance(1000)
  await user.post(`v1/${name}:encrypt`, hello)
  const [made, used, ...others] = await entries(since())
  expect(others).toEqual([])
  expect(made).toMatchObject({
    logName: `${PROJECT}/logs/cloudaudit.googleapis.com%2Factivity`,
    resource: {
      type: 'cloudkms_cryptokey',
      labels: { location: 'europe-west3', key_ring_id: 'orders', crypto_key_id: 'logged' },
    },
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      methodName: 'CreateCryptoKey',
      resourceName: name,
      authenticationInfo: { principalEmail: 'keymgr@shop-keys.iam.gserviceaccount.com' },
      status: {},
    },
  })
  expect(used).toMatchObject({
    logName: `${PROJECT}/logs/cloudaudit.googleapis.com%2Fdata_access`,
    protoPayload: { methodName: 'Encrypt', authenticationInfo: { principalEmail: 'alice@shop.example' } },
  })
  expect(Date.parse(used.timestamp) - Date.parse(made.timestamp)).toBeGreaterThanOrEqual(1000)
})

test('a refused call is logged with its code', async () => {
  await user.post(`v1/${RING}/cryptoKeys?cryptoKeyId=refused`, { purpose: 'ENCRYPT_DECRYPT' })
  const [entry] = await entries(since())
  expect(entry).toMatchObject({ severity: 'ERROR', protoPayload: { status: { code: 7 }, resourceName: RING } })
})

test('uses are written only where the project wants it', async () => {
  const name = await newKey(api, 'quiet')
  simulator.alterProject('shop-keys', { dataAccessLog: false })
  await user.post(`v1/${name}:encrypt`, hello)
  await api.post(`v1/${name}/cryptoKeyVersions`, {})
  simulator.alterProject('shop-keys', { dataAccessLog: true })
  expect(await done(since())).toEqual(['CreateCryptoKey', 'CreateCryptoKeyVersion'])
})

test('a reader of changes sees no uses, and a caller without permission sees nothing', async () => {
  const name = await newKey(api, 'private')
  await user.post(`v1/${name}:encrypt`, hello)
  const visitor = apiOf(simulator, await signedBy(simulator.keyFiles[1] ?? simulator.keyFiles[0]))
  const { body } = await list(since(), {}, visitor)
  expect(body.entries.map((entry: any) => entry.protoPayload.methodName)).toEqual(['CreateCryptoKey'])
  expect((await list(since(), {}, user)).code).toBe('PERMISSION_DENIED')
})

test('a range is half-open, so that adjacent ranges neither lose nor double an entry', async () => {
  for (const id of ['first', 'second', 'third']) {
    await newKey(api, `range-${id}`)
    clock.advance(1000)
  }
  const middle = (await entries(since()))[1].timestamp
  expect(await entries(since(` AND timestamp<"${middle}"`))).toHaveLength(1)
  expect(await entries(`${OF_KMS} AND timestamp>="${middle}"`)).toHaveLength(2)
})

test('filters are parts joined by AND and OR, in brackets', async () => {
  await newKey(api, 'filtered')
  await api.post(`v1/${PROJECT}/locations/us-east1/keyRings?keyRingId=filtered`)
  const ofRing = (location: string, ring: string) =>
    `(resource.labels.location="${location}" AND resource.labels.key_ring_id="${ring}")`
  const both = ` AND (${ofRing('europe-west3', 'orders')} OR ${ofRing('us-east1', 'filtered')})`
  expect(await done(since(both))).toEqual(['CreateCryptoKey', 'CreateKeyRing'])
  expect(await done(since(` AND ${ofRing('us-east1', 'filtered')}`))).toEqual(['CreateKeyRing'])
  expect(await done(since(` NOT protoPayload.methodName:"cryptokey"`))).toEqual(['CreateKeyRing'])
  expect(await done(since(` protoPayload.resourceName="${RING}/cryptoKeys/filtered"`))).toEqual(['CreateCryptoKey'])
})

test.each([
  ['an open bracket', '(a="b"'],
  ['a value without a field', '"text"'],
  ['a field without a value', 'a='],
  ['an operator too many', 'a = = "b"'],
])('a filter with %s is refused', async (_what, filter) => {
  expect((await list(filter)).code).toBe('INVALID_ARGUMENT')
})

test('pages continue after the previous one, in either order, even after short and empty ones', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'].map((id) => `paged-${id}`)
  for (const id of ids) await newKey(api, id)
  const whole = (await entries(since())).map(({ insertId }) => insertId)
  const seen: string[] = []
  const sizes: number[] = []
  let pageToken: string | undefined
  simulator.inject({ fault: 'empty-page', operation: 'ListLogEntries', calls: [2] })
  simulator.inject({ fault: 'short-page', operation: 'ListLogEntries', calls: [3] })
  do {
    const { body } = await list(since(), { pageSize: 2, orderBy: 'timestamp desc', pageToken })
    sizes.push(body.entries?.length ?? 0)
    seen.push(...(body.entries ?? []).map((entry: any) => entry.insertId))
    pageToken = body.nextPageToken
  } while (pageToken !== undefined)
  expect(sizes).toEqual([2, 0, 1, 2])
  expect(seen.toReversed()).toEqual(whole)
  expect((await list(since(), { pageToken: 'made-up' })).code).toBe('INVALID_ARGUMENT')
  expect((await list(since(), { orderBy: 'severity' })).code).toBe('INVALID_ARGUMENT')
  expect((await list(since(), { resourceNames: [] })).code).toBe('INVALID_ARGUMENT')
})
