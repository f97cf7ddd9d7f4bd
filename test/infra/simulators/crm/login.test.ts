import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { SHOP, SHOP_SANDBOX, startCrm, type CrmSimulator } from '../../../../infra/simulators/crm/simulator.ts'
import { ask, assertionForm, passwordForm, query, session } from './clients.ts'

const clock = createClock()
const seconds = () => Math.floor(clock.now().getTime() / 1_000)
const shop = (name: string) => `${name}@shop.example.test`
let simulator: CrmSimulator

beforeAll(async () => {
  simulator = await startCrm({ clock })
})
afterEach(() => {
  simulator.reset()
  simulator.setLoginLimit(3_600)
  simulator.changeSettings(SHOP, { allowsPasswordFlow: true, needsSecurityToken: true })
})
afterAll(() => simulator.stop())

/** Status, error and description of a log-in. */
const outcome = async (form: Record<string, string> | Promise<Record<string, string>>, host = simulator.endpoint) => {
  const { status, body } = await ask(host, await form)
  return body.error === undefined ? [status] : [status, body.error, body.error_description]
}

test('an assertion of an approved user is exchanged for a token of its organization', async () => {
  const { body } = await ask(simulator.endpoint, await assertionForm(simulator, seconds()))
  expect(body).toEqual({
    access_token: expect.stringMatching(new RegExp(`^${SHOP.slice(0, 15)}!`)),
    instance_url: simulator.instanceOf(SHOP),
    id: expect.stringMatching(new RegExp(`/id/${SHOP}/005.{15}$`)),
    token_type: 'Bearer',
    scope: 'api',
  })
  expect(body.instance_url).not.toBe(simulator.endpoint)
  const found = await query(
    { token: body.access_token, instance: body.instance_url },
    'SELECT Id, IsSandbox FROM Organization',
  )
  expect(found.body.records).toMatchObject([{ Id: SHOP, IsSandbox: false }])
})

const invalid = [400, 'invalid_grant', 'invalid assertion']

test.each([
  ['expires in more than three minutes', { exp: seconds() + 400 }, invalid],
  ['is expired', { exp: seconds() - 1 }, invalid],
  ['is for the other edition', { aud: 'https://test.salesforce.com' }, [400, 'invalid_grant', 'audience is invalid']],
  [
    'names a user who did not approve the application',
    { sub: shop('newcomer') },
    [400, 'invalid_grant', "user hasn't approved this consumer"],
  ],
  ['names an unknown application', { iss: 'nobody' }, [400, 'invalid_client_id', 'client identifier invalid']],
  ['names an inactive user', { sub: shop('former') }, [400, 'inactive_user', 'user is inactive']],
  [
    'names a user of another organization',
    { sub: 'keymgr@sandbox.shop.example.test' },
    [400, 'invalid_grant', 'user does not exist or is not part of this organization'],
  ],
])('an assertion that %s is refused', async (_what, claims, expected) => {
  expect(await outcome(assertionForm(simulator, seconds(), claims))).toEqual(expected)
})

test('an assertion with another signature is refused', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  expect(await outcome(assertionForm(simulator, seconds(), {}, privateKey))).toEqual(invalid)
  const own = createPrivateKey(simulator.credentials[0].privateKey)
  expect(await outcome(assertionForm(simulator, seconds(), {}, own, 'RS512'))).toEqual(invalid)
  expect(await outcome({ ...(await assertionForm(simulator, seconds())), assertion: 'a.b' })).toEqual(invalid)
})

test('a password followed by the security token is exchanged for a token', async () => {
  const { body } = await ask(simulator.endpoint, passwordForm(simulator))
  expect(body).toMatchObject({ instance_url: simulator.instanceOf(SHOP), token_type: 'Bearer' })
  expect(Number(body.issued_at)).toBeGreaterThan(0)
  expect(body.signature).not.toBe('')
  expect(body).not.toHaveProperty('expires_in')
  expect(body).not.toHaveProperty('refresh_token')
})

const failure = [400, 'invalid_grant', 'authentication failure']

test.each<[string, Record<string, string>, unknown]>([
  ['without the security token', { password: `password-of-${shop('keymgr')}` }, failure],
  ['of an unknown user', { username: 'nobody' }, failure],
  ['with another secret', { client_secret: 'x' }, [400, 'invalid_client', 'invalid client credentials']],
  ['with an unknown application', { client_id: 'x' }, [400, 'invalid_client_id', 'client identifier invalid']],
  ['by another flow', { grant_type: 'magic' }, [400, 'unsupported_grant_type', 'grant type not supported']],
])('a log-in by password %s is refused', async (_what, change, expected) => {
  expect(await outcome(passwordForm(simulator, change))).toEqual(expected)
})

test('an organization can do without security tokens, and without the password flow', async () => {
  simulator.changeSettings(SHOP, { needsSecurityToken: false })
  expect(await outcome(passwordForm(simulator, { password: `password-of-${shop('keymgr')}` }))).toEqual([200])
  simulator.changeSettings(SHOP, { allowsPasswordFlow: false })
  expect(await outcome(passwordForm(simulator))).toEqual(failure)
})

test('the own address of an organization knows only its users', async () => {
  const form = await assertionForm(simulator, seconds())
  expect(await outcome(form, simulator.instanceOf(SHOP))).toEqual([200])
  expect(await outcome(form, simulator.instanceOf(SHOP_SANDBOX))).toEqual([
    ...[400, 'invalid_client_id', 'client identifier invalid'],
  ])
})

test('a user can log in a limited number of times in an hour', async () => {
  simulator.setLoginLimit(simulator.counts().Login ?? 0)
  const attempt = () => outcome(passwordForm(simulator))
  expect(await attempt()).toEqual([400, 'invalid_grant', 'login rate exceeded'])
  clock.advance(3_600_001)
  simulator.setLoginLimit(1)
  expect(await attempt()).toEqual([200])
  expect(await attempt()).toEqual([400, 'invalid_grant', 'login rate exceeded'])
})

test('a session ends on request, and when it is not used for two hours', async () => {
  const own = await session(simulator)
  const works = async () => (await query(own, 'SELECT Id FROM Organization')).code
  expect(await works()).toBe('OK')
  clock.advance(3_600_000)
  expect(await works()).toBe('OK')
  clock.advance(7_200_001)
  expect(await works()).toBe('INVALID_SESSION_ID')
  const next = await session(simulator)
  simulator.endSessions(SHOP)
  expect((await query(next, 'SELECT Id FROM Organization')).status).toBe(401)
})

test('a token is invalid in another organization', async () => {
  const { token } = await session(simulator)
  const found = await query({ token, instance: simulator.instanceOf(SHOP_SANDBOX) }, 'SELECT Id FROM Organization')
  expect([found.status, found.code]).toEqual([401, 'INVALID_SESSION_ID'])
})

test('the request log has log-ins without secrets', async () => {
  await ask(simulator.endpoint, passwordForm(simulator))
  await ask(simulator.endpoint, await assertionForm(simulator, seconds()))
  const [user] = simulator.credentials
  expect(simulator.calls()).toMatchObject([
    { operation: 'Login', body: { grant_type: 'password', username: user.username } },
    { operation: 'Login', body: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' } },
  ])
  const text = JSON.stringify(simulator.calls())
  for (const secret of [user.password, user.clientSecret, 'eyJ']) expect(text).not.toContain(secret)
})
