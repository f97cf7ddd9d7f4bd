import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudC, type CloudCSimulator } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { apiOf, lookUntil, newKey, PROJECT, RING, type Api } from './clients.ts'

const DAY_MS = 86_400_000
const clock = createClock()
let simulator: CloudCSimulator
let api: Api
let count = 0
const id = () => `key-${++count}`
const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString()

beforeAll(async () => {
  simulator = await startCloudC({ clock })
  api = apiOf(simulator)
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

const create = (body: object, query = '') => api.post(`v1/${RING}/cryptoKeys?cryptoKeyId=${id()}${query}`, body)

test('locations and key rings are listed and created, with the typed member that clients misread', async () => {
  const { body } = await api.get(`v1/${PROJECT}/locations`)
  expect(body.locations.find((each: any) => each.locationId === 'europe-west3')).toMatchObject({
    name: `${PROJECT}/locations/europe-west3`,
    metadata: { '@type': 'type.googleapis.com/google.cloud.kms.v1.LocationMetadata', hsmAvailable: true },
  })
  const parent = `v1/${PROJECT}/locations/us-east1/keyRings`
  expect((await api.get(parent)).body).toEqual({ totalSize: 0 })
  expect((await api.post(`${parent}?keyRingId=fresh`, '')).body).toMatchObject({
    name: `${PROJECT}/locations/us-east1/keyRings/fresh`,
  })
  expect((await api.post(`${parent}?keyRingId=fresh`, '')).code).toBe('ALREADY_EXISTS')
  expect((await api.post(`${parent}?keyRingId=no/id`, {})).code).toBe('INVALID_ARGUMENT')
  expect((await api.get(parent)).body.keyRings).toHaveLength(1)
  expect((await api.get(`v1/${PROJECT}/locations/nowhere/keyRings`)).code).toBe('INVALID_ARGUMENT')
})

test('a key is created with its first version, which is its primary', async () => {
  const { body } = await create({ purpose: 'ENCRYPT_DECRYPT', labels: { team: 'blue' } })
  expect(body).toMatchObject({
    purpose: 'ENCRYPT_DECRYPT',
    primary: { name: `${String(body.name)}/cryptoKeyVersions/1`, state: 'ENABLED' },
    versionTemplate: { algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION', protectionLevel: 'SOFTWARE' },
    labels: { team: 'blue' },
    destroyScheduledDuration: '2592000s',
  })
  expect((await api.get(`v1/${String(body.name)}`)).body).toEqual(body)
})

test('enumerations are accepted as numbers and words, and answers have words', async () => {
  const { body } = await create({ purpose: 5, versionTemplate: { algorithm: 12, protectionLevel: 2 } })
  expect(body).toMatchObject({
    purpose: 'ASYMMETRIC_SIGN',
    versionTemplate: { algorithm: 'EC_SIGN_P256_SHA256', protectionLevel: 'HSM' },
  })
  expect(body).not.toHaveProperty('primary')
})

test.each<[string, object, string?]>([
  ['no purpose', {}],
  ['an unknown purpose', { purpose: 'SOMETHING' }],
  ['an unknown member', { purpose: 'ENCRYPT_DECRYPT', colour: 'blue' }],
  ['no algorithm where there is no default', { purpose: 'MAC' }],
  ['an algorithm of another purpose', { purpose: 'MAC', versionTemplate: { algorithm: 'EC_SIGN_P256_SHA256' } }],
  [
    'an algorithm that software does not have',
    { purpose: 'ASYMMETRIC_SIGN', versionTemplate: { algorithm: 'EC_SIGN_SECP256K1_SHA256' } },
  ],
  ['labels in capitals', { purpose: 'ENCRYPT_DECRYPT', labels: { Team: 'blue' } }],
  ['a rotation without its first time', { purpose: 'ENCRYPT_DECRYPT', rotationPeriod: '86400s' }],
  ['a short rotation', { purpose: 'ENCRYPT_DECRYPT', rotationPeriod: '3600s', nextRotationTime: inDays(1) }],
  ['a rotation in the past', { purpose: 'ENCRYPT_DECRYPT', rotationPeriod: '86400s', nextRotationTime: inDays(-1) }],
  [
    'a rotation of a signing key',
    {
      ...{ purpose: 'ASYMMETRIC_SIGN', versionTemplate: { algorithm: 'EC_SIGN_P256_SHA256' } },
      ...{ rotationPeriod: '86400s', nextRotationTime: inDays(1) },
    },
  ],
  ['a short wait for destruction', { purpose: 'ENCRYPT_DECRYPT', destroyScheduledDuration: '60s' }],
  ['an import-only key with a version', { purpose: 'ENCRYPT_DECRYPT', importOnly: true }],
])('a key with %s is refused', async (_what, body) => {
  expect((await create(body)).code).toBe('INVALID_ARGUMENT')
})

test('an id can be used once', async () => {
  const name = await newKey(api, id())
  const again = `v1/${RING}/cryptoKeys?cryptoKeyId=${name.slice(name.lastIndexOf('/') + 1)}`
  expect(await api.post(again, { purpose: 'ENCRYPT_DECRYPT' })).toMatchObject({ status: 409, code: 'ALREADY_EXISTS' })
})

test('exactly the fields of the mask change, in either spelling', async () => {
  const name = await newKey(api, id(), { purpose: 'ENCRYPT_DECRYPT', labels: { a: '1' } })
  const change = { labels: { b: '2' }, rotationPeriod: '864000s', nextRotationTime: inDays(3) }
  expect((await api.patch(`v1/${name}?updateMask=labels`, change)).body).toMatchObject({ labels: { b: '2' } })
  expect((await api.get(`v1/${name}`)).body).not.toHaveProperty('rotationPeriod')
  const { body } = await api.patch(`v1/${name}?updateMask=rotation_period,nextRotationTime`, change)
  expect(body).toMatchObject({ labels: { b: '2' }, rotationPeriod: '864000s' })
  const cleared = await api.patch(`v1/${name}?updateMask=rotationPeriod,next_rotation_time`, {})
  expect(cleared.body).not.toHaveProperty('nextRotationTime')
})

test.each([
  ['nothing', ''],
  ['what stays', 'purpose'],
  ['a period without a time', 'rotationPeriod'],
])('a mask that names %s is refused', async (_what, mask) => {
  const name = await newKey(api, id())
  const { code } = await api.patch(`v1/${name}?updateMask=${mask}`, { purpose: 'MAC', rotationPeriod: '864000s' })
  expect(code).toBe('INVALID_ARGUMENT')
})

test('a key rotates by the clock, once for all missed times', async () => {
  const rotation = { rotationPeriod: '864000s', nextRotationTime: inDays(10) }
  const name = await newKey(api, id(), { purpose: 'ENCRYPT_DECRYPT', ...rotation })
  clock.advance(9 * DAY_MS)
  expect((await api.get(`v1/${name}`)).body.primary.name).toBe(`${name}/cryptoKeyVersions/1`)
  clock.advance(26 * DAY_MS)
  const { body } = await api.get(`v1/${name}`)
  expect(body.primary.name).toBe(`${name}/cryptoKeyVersions/2`)
  const ahead = Date.parse(body.nextRotationTime) - clock.now().getTime()
  expect(ahead).toBeGreaterThan(4 * DAY_MS)
  expect(ahead).toBeLessThan(6 * DAY_MS)
})

test('a version is created beside the primary, and becomes the primary when it is enabled', async () => {
  const name = await newKey(api, id())
  const made = await api.post(`v1/${name}/cryptoKeyVersions`, {})
  expect(made.body).toMatchObject({ name: `${name}/cryptoKeyVersions/2`, state: 'ENABLED' })
  expect((await api.get(`v1/${name}`)).body.primary.name).toBe(`${name}/cryptoKeyVersions/1`)
  const primary = (cryptoKeyVersionId: string) => api.post(`v1/${name}:updatePrimaryVersion`, { cryptoKeyVersionId })
  await api.patch(`v1/${name}/cryptoKeyVersions/2?updateMask=state`, { state: 'DISABLED' })
  expect((await primary('2')).code).toBe('FAILED_PRECONDITION')
  await api.patch(`v1/${name}/cryptoKeyVersions/2?updateMask=state`, { state: 1 })
  expect((await primary('2')).body.primary.name).toBe(`${name}/cryptoKeyVersions/2`)
  expect((await primary('7')).code).toBe('NOT_FOUND')
  const signing = await newKey(api, id(), {
    purpose: 'ASYMMETRIC_SIGN',
    versionTemplate: { algorithm: 'EC_SIGN_P256_SHA256' },
  })
  expect((await api.post(`v1/${signing}:updatePrimaryVersion`, { cryptoKeyVersionId: '1' })).code).toBe(
    'INVALID_ARGUMENT',
  )
})

test('hardware creates a version after a delay', async () => {
  const versionTemplate = { algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION', protectionLevel: 'HSM' }
  const name = await newKey(api, id(), { purpose: 'ENCRYPT_DECRYPT', versionTemplate })
  const version = `v1/${name}/cryptoKeyVersions/1`
  expect((await api.get(version)).body.state).toBe('PENDING_GENERATION')
  expect(
    (
      await lookUntil(
        () => api.get(version),
        (body) => body.state === 'ENABLED',
      )
    ).body,
  ).toHaveProperty('generateTime')
})

test('a version waits for its destruction, is restored as disabled, and is destroyed by the clock', async () => {
  const name = await newKey(api, id(), { purpose: 'ENCRYPT_DECRYPT', destroyScheduledDuration: '172800s' })
  const version = `v1/${name}/cryptoKeyVersions/1`
  const { body } = await api.post(`${version}:destroy`, '')
  expect(body.state).toBe('DESTROY_SCHEDULED')
  expect(Date.parse(body.destroyTime) - clock.now().getTime()).toBeGreaterThan(1.9 * DAY_MS)
  expect((await api.post(`${version}:destroy`, {})).code).toBe('FAILED_PRECONDITION')
  expect((await api.patch(`${version}?updateMask=state`, { state: 'ENABLED' })).code).toBe('FAILED_PRECONDITION')
  expect((await api.post(`${version}:restore`, {})).body).toMatchObject({ state: 'DISABLED' })
  expect((await api.post(`${version}:restore`, {})).code).toBe('FAILED_PRECONDITION')
  await api.post(`${version}:destroy`, {})
  clock.advance(2 * DAY_MS)
  const gone = (await api.get(version)).body
  expect(gone).toMatchObject({ state: 'DESTROYED', destroyEventTime: expect.any(String) })
  expect(gone).not.toHaveProperty('destroyTime')
  expect(await simulator.materialOf(name, 1)).toBeUndefined()
})

test('lists have pages, which may be short or empty before others, and filters', async () => {
  const ring = `${PROJECT}/locations/global/keyRings/shared`
  simulator.seed(ring, 5, (n) => (n === 3 ? { algorithm: 'HMAC_SHA256' } : { state: n < 2 ? 'DISABLED' : 'ENABLED' }))
  simulator.inject({ fault: 'empty-page', operation: 'ListCryptoKeys', calls: [2] })
  simulator.inject({ fault: 'short-page', operation: 'ListCryptoKeys', calls: [3] })
  const pages: number[] = []
  const names: string[] = []
  let token = ''
  do {
    const { body } = await api.get(`v1/${ring}/cryptoKeys?pageSize=2&pageToken=${token}`)
    expect(body.totalSize).toBe(5)
    pages.push(body.cryptoKeys?.length ?? 0)
    names.push(...(body.cryptoKeys ?? []).map((key: any) => key.name))
    token = body.nextPageToken ?? ''
  } while (token !== '')
  expect(pages).toEqual([2, 0, 1, 2])
  expect(new Set(names).size).toBe(5)
  const macs = await api.get(`v1/${ring}/cryptoKeys?filter=purpose%3DMAC`)
  expect(macs.body.cryptoKeys.map((key: any) => key.purpose)).toEqual(['MAC'])
  const disabled = await api.get(`v1/${ring}/cryptoKeys/seeded-000000/cryptoKeyVersions?filter=state%3DDISABLED`)
  expect(disabled.body.cryptoKeyVersions).toHaveLength(1)
  expect((await api.get(`v1/${ring}/cryptoKeys?pageToken=made-up`)).code).toBe('INVALID_ARGUMENT')
  expect((await api.get(`v1/${ring}/cryptoKeys?filter=purpose`)).code).toBe('INVALID_ARGUMENT')
})

test('a key can be changed and removed without a request', async () => {
  const [other = ''] = simulator.seed(RING, 1, () => ({ id: 'others' }))
  const name = `${RING}/cryptoKeys/${other}`
  simulator.alter(name, { labels: { by: 'others' }, newVersions: 2, version: { number: 1, state: 'DESTROYED' } })
  expect((await api.get(`v1/${name}`)).body).toMatchObject({
    labels: { by: 'others' },
    primary: { name: `${name}/cryptoKeyVersions/3` },
  })
  simulator.forget(name)
  expect((await api.get(`v1/${name}`)).code).toBe('NOT_FOUND')
})
