import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudC, type CloudCSimulator, type KeyFile } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { apiOf, newKey, PROJECT, RING, signedBy, USER } from './clients.ts'

const clock = createClock()
let simulator: CloudCSimulator
let file: KeyFile

beforeAll(async () => {
  simulator = await startCloudC({ clock })
  file = simulator.keyFiles[0]
})
afterEach(() => clock.set(new Date()))
afterAll(() => simulator.stop())

const seconds = () => Math.floor(Date.now() / 1000)
const with_ = async (bearer: string | null) => (await apiOf(simulator, bearer).get(`v1/${RING}`)).code

test('a token that an account signs for itself is accepted', async () => {
  expect(await with_(await signedBy(file))).toBe('OK')
})

test.each<[string, Parameters<typeof signedBy>[1]]>([
  ['of an unknown key', { header: { kid: 'unknown' } }],
  ['of another issuer', { claims: { iss: 'other@shop-keys.iam.gserviceaccount.com' } }],
  ['in the name of somebody else', { claims: { sub: 'alice@shop.example' } }],
  ['that has ended', { claims: { iat: seconds() - 7200, exp: seconds() - 3600 } }],
  ['from the future', { claims: { iat: seconds() + 600, exp: seconds() + 1200 } }],
  ['that lives too long', { claims: { exp: seconds() + 7200 } }],
  ['without an end', { claims: { exp: undefined } }],
  ['for something else', { claims: { scope: 'https://www.googleapis.com/auth/drive' } }],
])('a token %s is not', async (_what, more) => {
  expect(await with_(await signedBy(file, more))).toBe('UNAUTHENTICATED')
})

test('a token signed with another key is refused, and so is a missing one', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  expect(await with_(await signedBy({ ...file, private_key }))).toBe('UNAUTHENTICATED')
  expect(await with_(null)).toBe('UNAUTHENTICATED')
  const { status, body } = await apiOf(simulator, 'nobody').get(`v1/${RING}`)
  expect(status).toBe(401)
  expect(body.error).toMatchObject({ code: 401, details: [{ domain: 'googleapis.com' }] })
})

test('a signed assertion is traded for a token that works for an hour', async () => {
  const assertion = await signedBy(file, { claims: { aud: file.token_uri } })
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  const answer: any = await (await fetch(file.token_uri, { method: 'POST', body })).json()
  expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
  expect(await with_(answer.access_token)).toBe('OK')
  clock.advance(3_600_000)
  expect(await with_(answer.access_token)).toBe('UNAUTHENTICATED')
})

test.each([
  ['another audience', async () => signedBy(file, { claims: { aud: 'https://elsewhere.example/token' } })],
  ['no signature', () => Promise.resolve('a.b.c')],
])('an assertion with %s is not', async (_what, make) => {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: await make(),
  })
  const answer = await fetch(file.token_uri, { method: 'POST', body })
  expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })])
})

test('a missing permission is refused like a missing resource', async () => {
  const visitor = apiOf(simulator, await signedBy(simulator.keyFiles[1] ?? file))
  expect((await visitor.get(`v1/${RING}/cryptoKeys`)).code).toBe('OK')
  const refused = await visitor.post(`v1/${RING}/cryptoKeys?cryptoKeyId=x`, { purpose: 'ENCRYPT_DECRYPT' })
  expect(refused).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' })
  expect(refused.body.error.message).toBe(
    `Permission 'cloudkms.cryptoKeys.create' denied on resource '${RING}' (or it may not exist).`,
  )
  expect(refused.body.error.details[0]).toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
  const missing = await visitor.get('v1/projects/no-such-project/locations/global/keyRings')
  expect(missing.code).toBe('PERMISSION_DENIED')
  expect((await visitor.get(`v1/${RING}x`)).code).toBe('NOT_FOUND')
})

test('one key file belongs to an application that uses keys and changes none', async () => {
  const application = apiOf(simulator, await signedBy(simulator.keyFiles[2] ?? file))
  const name = await newKey(apiOf(simulator, await signedBy(file)), 'of-application')
  const plaintext = Buffer.from('an order').toString('base64')
  const { body } = await application.post(`v1/${name}:encrypt`, { plaintext })
  const decrypted = await application.post(`v1/${name}:decrypt`, { ciphertext: body.ciphertext })
  expect(decrypted.body.plaintext).toBe(plaintext)
  const refused = await application.post(`v1/${RING}/cryptoKeys?cryptoKeyId=x`, { purpose: 'ENCRYPT_DECRYPT' })
  expect(refused.code).toBe('PERMISSION_DENIED')
})

test('the permissions of a project can be changed', async () => {
  const user = apiOf(simulator, simulator.bearerOf(USER))
  expect((await user.get(`v1/projects/lone-keys/locations/global/keyRings`)).code).toBe('PERMISSION_DENIED')
  simulator.alterProject('lone-keys', { bindings: [{ role: 'roles/cloudkms.viewer', members: [USER] }] })
  expect((await user.get(`v1/projects/lone-keys/locations/global/keyRings`)).code).toBe('OK')
  expect((await user.get(`v3/${PROJECT}`)).body).toMatchObject({
    projectId: 'shop-keys',
    name: 'projects/471100000010',
  })
})
