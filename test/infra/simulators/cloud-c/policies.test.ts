import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCloudC, type CloudCSimulator } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { apiOf, newKey, RING, type Api } from './clients.ts'

const BOB = 'user:bob@shop.example'
const ENCRYPTER = 'roles/cloudkms.cryptoKeyEncrypter'
let simulator: CloudCSimulator
let api: Api
let bob: Api
let name = ''

beforeAll(async () => {
  simulator = await startCloudC({ clock: createClock() })
  api = apiOf(simulator)
  bob = apiOf(simulator, `as ${BOB}`)
  name = await newKey(api, 'guarded')
})
afterAll(() => simulator.stop())

const set = (policy: object, on = name) => api.post(`v1/${on}:setIamPolicy`, { policy })
const encrypts = async () => (await bob.post(`v1/${name}:encrypt`, { plaintext: 'AAAA' })).code

test('a policy is read by either method, and a changed one takes effect at once', async () => {
  const { body: first } = await api.get(`v1/${name}:getIamPolicy`)
  expect((await api.post(`v1/${name}:getIamPolicy`, {})).body).toEqual(first)
  expect(first).not.toHaveProperty('bindings')
  expect(await encrypts()).toBe('PERMISSION_DENIED')
  const { body: next } = await set({ bindings: [{ role: ENCRYPTER, members: [BOB] }], etag: first.etag })
  expect(next).toMatchObject({ bindings: [{ role: ENCRYPTER, members: [BOB] }] })
  expect(await encrypts()).toBe('OK')
  expect((await bob.post(`v1/${name}:testIamPermissions`, { permissions: ['cloudkms.cryptoKeys.get'] })).body).toEqual(
    {},
  )
})

test('a stale policy is not overwritten', async () => {
  const { etag } = (await api.get(`v1/${name}:getIamPolicy`)).body
  await set({ bindings: [], etag })
  expect(await set({ bindings: [], etag })).toMatchObject({ status: 409, code: 'ABORTED' })
})

test.each([
  ['an unknown role', { bindings: [{ role: 'roles/made.up', members: [BOB] }] }],
  ['a member that is none', { bindings: [{ role: ENCRYPTER, members: ['bob'] }] }],
  ['no members', { bindings: [{ role: ENCRYPTER, members: [] }] }],
  [
    'a condition in an old version',
    { bindings: [{ role: ENCRYPTER, members: [BOB], condition: { expression: 'x' } }] },
  ],
])('a policy with %s is refused', async (_what, policy) => {
  expect((await set(policy)).code).toBe('INVALID_ARGUMENT')
})

test('conditions are shown to those who ask for version 3', async () => {
  const condition = { title: 'soon', expression: 'request.time < timestamp("2030-01-01T00:00:00Z")' }
  await set({ version: 3, bindings: [{ role: ENCRYPTER, members: [BOB], condition }] })
  const asked = await api.get(`v1/${name}:getIamPolicy?options.requestedPolicyVersion=3`)
  expect(asked.body).toMatchObject({ version: 3, bindings: [{ condition }] })
  const { body } = await api.get(`v1/${name}:getIamPolicy`)
  expect(body.bindings[0]).not.toHaveProperty('condition')
})

test('keys inherit the permissions of their ring', async () => {
  await set({ bindings: [] })
  expect(await encrypts()).toBe('PERMISSION_DENIED')
  await set({ bindings: [{ role: ENCRYPTER, members: [BOB] }] }, RING)
  expect(await encrypts()).toBe('OK')
})
