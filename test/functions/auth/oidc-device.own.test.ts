import { afterAll, beforeAll, expect, test } from 'vitest'
import { confirmDevice } from '../../support/openid-browser.ts'
import {
  json,
  LOGIN_CLIENT,
  openidKey,
  startOpenidProvider,
  type OpenidProvider,
} from '../../support/openid-provider.ts'
import { useService, type Answered } from '../../support/service.ts'

const service = useService()
let admin = ''
let provider: OpenidProvider

beforeAll(async () => {
  const people = [{ sub: 'sub-of-dora', email: 'dora@company.test', preferred_username: 'dora' }]
  provider = await startOpenidProvider(people, openidKey('first'))
  admin = await service().logIn()
  const body = { name: 'people', strategy: 'oidc', create_users: true }
  const { redirect_uris: _, ...client } = LOGIN_CLIENT
  const made = await service().call('POST', '/v1/usermgmt/connections', {
    token: admin,
    body: { ...body, oidc: { issuer: provider.issuer, ...client } },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})
afterAll(() => provider.stop())

const begin = (connection = 'people') =>
  service().call('POST', '/v1/auth/oidc/device-authorizations', { body: { connection } })
const ask = (device_token: unknown): Promise<Answered> =>
  service().call('POST', '/v1/auth/tokens', { body: { grant_type: 'device_code', device_token } })

test('a command line logs in the user who confirms in a browser, once', async () => {
  const { status, body } = await begin()
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body).toMatchObject({ user_code: expect.any(String), interval: expect.any(Number) })
  const pending = await ask(body.device_token)
  expect([pending.status, pending.body.code]).toEqual([409, 8])
  expect(pending.body.detail).toMatch(/^authorization_pending: .* again in \d+ seconds\.$/)
  await confirmDevice(new URL(body.verification_uri_complete as string), 'sub-of-dora')
  service().deployment.clock.advance(body.interval * 1_000)
  const { status: done, body: token } = await ask(body.device_token)
  expect(done, JSON.stringify(token)).toBe(200)
  const user = (await service().call('GET', '/v1/auth/self/user', { token: token.jwt })).body
  expect(user).toMatchObject({ username: 'dora', connection: 'people' })
  expect((await ask(body.device_token)).status).toBe(401)
})

test('20 polls in a second are one question to the provider, and the next interval has one more', async () => {
  const { body } = await begin()
  const before = provider.asked('/token')
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(body.device_token)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([409, ...Array.from({ length: 19 }, () => 429)])
  expect(answers.find(({ status }) => status === 429)?.body.detail).toMatch(/^slow_down: wait \d+ seconds/)
  expect(provider.asked('/token')).toBe(before + 1)
  service().deployment.clock.advance(body.interval * 1_000)
  expect((await ask(body.device_token)).status).toBe(409)
  expect(provider.asked('/token')).toBe(before + 2)
})

test.each([
  ['slow_down', 429],
  ['expired_token', 401],
  ['access_denied', 401],
])('%s of the provider is answered with %i', async (error, status) => {
  const { body } = await begin()
  provider.answer('/token', json({ error }, 400))
  const answer = await ask(body.device_token)
  provider.answer('/token', undefined)
  expect(answer.status).toBe(status)
  if (status === 429) expect(answer.body.detail).toMatch(/^slow_down: wait \d+ seconds/)
})

test('a token of another kind or user finishes no log-in, and a missing connection starts none', async () => {
  expect((await ask('anything')).status).toBe(401)
  expect((await begin('no such')).status).toBe(404)
})
