import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createPublicKey, verify } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { ADMIN_PASSWORD, useService, type Answered } from '../../support/service.ts'

const service = useService()
let admin = ''
beforeAll(async () => {
  admin = await service().logIn()
})

const ask = (body: object): Promise<Answered> => service().call('POST', '/v1/auth/tokens', { body })
const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, any>

/** A user of the root domain with a password that every policy accepts. */
async function user(username: string): Promise<{ userId: string; password: string }> {
  const password = `Pass-word-${username}1`
  const { status, body } = await service().call('POST', '/v1/usermgmt/users', {
    token: admin,
    body: { username, password },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return { userId: body.user_id as string, password }
}

test('a log-in answers a token of 300 seconds with its claims, signed with a published key', async () => {
  const { status, body } = await ask({ name: 'admin', password: ADMIN_PASSWORD })
  expect(status).toBe(200)
  expect(body).toMatchObject({ duration: 300, token_type: 'Bearer' })
  const [header = '', payload = '', signature = ''] = (body.jwt as string).split('.')
  const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string; alg: string }
  const claims = claimsOf(body.jwt as string)
  expect(alg).toBe('ES256')
  expect(claims.exp - claims.iat).toBe(300)
  expect(claims).toMatchObject({
    iss: service().deployment.baseUrl,
    aud: `${service().deployment.baseUrl}/api`,
    preferred_username: 'admin',
    cust: { groups: ['admin'], domain_name: 'root' },
  })
  const { body: jwks } = await service().call('GET', '/v1/auth/jwks.json')
  const jwk = jwks.keys.find((key: { kid: string }) => key.kid === kid)
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${header}.${payload}`)
  expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(true)
})

test('the published keys are also at the well-known address', async () => {
  const atRoot = await fetch(`${service().deployment.baseUrl}/.well-known/jwks.json`)
  expect(await atRoot.json()).toEqual((await service().call('GET', '/v1/auth/jwks.json')).body)
})

test.each([
  ['by name', { name: 'admin', password: ADMIN_PASSWORD }],
  ['by username', { username: 'admin', password: ADMIN_PASSWORD }],
  ['with the grant named', { grant_type: 'password', name: 'admin', password: ADMIN_PASSWORD }],
  ['with the root domain named', { name: 'admin', password: ADMIN_PASSWORD, domain: 'root' }],
  ['through auth_domain', { name: 'admin', password: ADMIN_PASSWORD, auth_domain: 'root' }],
])('a user logs in %s', async (_how, body) => {
  expect((await ask(body)).status).toBe(200)
})

test('a wrong name, password or domain gets the same answer', async () => {
  const answers = await Promise.all([
    ask({ name: 'nobody', password: ADMIN_PASSWORD }),
    ask({ name: 'admin', password: 'Wrong-Password-1' }),
    ask({ name: 'admin', password: ADMIN_PASSWORD, domain: 'no such domain' }),
  ])
  for (const { status, body } of answers) {
    const { traceId: _, ...shown } = body
    expect(status).toBe(401)
    expect(shown).toEqual({
      type: 'urn:keymgr:problem:login-failed',
      title: 'Unauthorized',
      status: 401,
      code: 3,
      detail: 'User name or password is wrong, or the user is locked for now.',
      codeDesc: 'KMERRUnauthorized: User name or password is wrong, or the user is locked for now.',
    })
  }
})

test('every fault of a token request is named at once, including rules between fields', async () => {
  const { status, body } = await ask({
    grant_type: 'refresh_token',
    labels: 7,
    domain: 'a',
    auth_domain: 'b',
    auth_domain_path: '/c',
    surprise: true,
  })
  expect(status).toBe(400)
  expect(body.errors.map((error: { pointer: string }) => error.pointer).sort()).toEqual(
    ['#/auth_domain', '#/labels', '#/labels', '#/surprise'].sort(),
  )
})

test('a log-in is renewed by its refresh token until it is revoked', async () => {
  const { body: first } = await ask({ name: 'admin', password: ADMIN_PASSWORD, labels: ['cli'] })
  const renew = () => ask({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  const { status, body: second } = await renew()
  expect(status).toBe(200)
  expect(second).not.toHaveProperty('refresh_token')
  expect(claimsOf(second.jwt as string).sub).toBe(claimsOf(first.jwt as string).sub)
  const shown = await service().call('GET', `/v1/auth/tokens/${first.refresh_token_id}`, { token: admin })
  expect(shown.body).toMatchObject({ labels: ['cli'] })
  expect(JSON.stringify(shown.body)).not.toContain((first.refresh_token as string).split('.')[2])
  const revoked = await service().call('DELETE', `/v1/auth/tokens/${first.refresh_token_id}`, { token: admin })
  expect(revoked.body).toEqual({ status: 204 })
  expect((await renew()).status).toBe(401)
})

test('a public client is named in the token, its renewals and their audit records, and gets no right by it', async () => {
  const client_id = 'inventory-app'
  const { body: first } = await ask({ name: 'admin', password: ADMIN_PASSWORD, client_id })
  const { body: second } = await ask({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  for (const { client_id: answered, jwt } of [first, second]) {
    expect(answered).toBe(client_id)
    expect(claimsOf(jwt as string).cust).toMatchObject({ client_id, client_type: 'user' })
  }
  const token = second.jwt as string
  expect((await service().call('GET', '/v1/auth/self/user', { token })).body.username).toBe('admin')
  await service().call('POST', '/v1/vault/keys2', { token, body: { name: 'by a public client' } })
  const { body } = await service().call('GET', '/v1/audit/records?limit=3', { token })
  const records = body.resources as { message: string; principal: object }[]
  expect(records.map(({ message }) => message)).toEqual(['Create Key', 'Generate Token', 'Generate Token'])
  for (const { principal } of records) expect(principal).toMatchObject({ client_id })
  expect((await service().call('GET', '/v1/audit/client-records', { token })).body.total).toBe(0)
})

test('a renewal that replaces its refresh token ends the old one', async () => {
  const { body: first } = await ask({ name: 'admin', password: ADMIN_PASSWORD })
  const { body: second } = await ask({
    grant_type: 'refresh_token',
    refresh_token: first.refresh_token,
    renew_refresh_token: true,
  })
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect((await ask({ grant_type: 'refresh_token', refresh_token: first.refresh_token })).status).toBe(401)
  expect((await ask({ grant_type: 'refresh_token', refresh_token: second.refresh_token })).status).toBe(200)
})

test('replacing a refresh token repeatedly does not extend its lifetime', async () => {
  const { body: first } = await ask({ name: 'admin', password: ADMIN_PASSWORD, refresh_token_lifetime: 1 })
  const endOf = async (id: string) =>
    (await service().call('GET', `/v1/auth/tokens/${id}`, { token: admin })).body.expiresAt as string
  let { refresh_token: value, refresh_token_id: id } = first
  for (let renewal = 0; renewal < 3; renewal++) {
    const { body } = await ask({ grant_type: 'refresh_token', refresh_token: value, renew_refresh_token: true })
    expect(await endOf(body.refresh_token_id as string)).toBe(await endOf(id as string))
    ;({ refresh_token: value, refresh_token_id: id } = body)
  }
})

test.each([
  ['with another secret', (token: string) => `${token.slice(0, -4)}AAAA`],
  ['of another id', (token: string) => token.replace(/\.[0-9a-f]{8}-/, '.00000000-')],
  ['of another domain', (token: string) => token.replace(/^0{8}/, '00000001')],
  ['that is none', () => 'none'],
])('a refresh token %s is refused', async (_what, changed) => {
  const { body } = await ask({ name: 'admin', password: ADMIN_PASSWORD })
  const { status, body: answer } = await ask({
    grant_type: 'refresh_token',
    refresh_token: changed(body.refresh_token as string),
  })
  expect([status, answer.detail]).toEqual([401, 'The refresh token is not valid: log in again.'])
})

test('revoking by value and logging out end the log-in, and ignore unknown tokens', async () => {
  const { body: first } = await ask({ name: 'admin', password: ADMIN_PASSWORD })
  const { body: second } = await ask({ name: 'admin', password: ADMIN_PASSWORD })
  expect(
    (await service().call('POST', '/v1/auth/revoke', { body: { refresh_token: first.refresh_token } })).status,
  ).toBe(204)
  expect((await service().call('POST', '/v1/auth/revoke', { body: { refresh_token: 'unknown' } })).status).toBe(204)
  expect((await service().call('POST', '/v1/auth/logout', { token: second.jwt as string })).status).toBe(204)
  for (const { refresh_token } of [first, second])
    expect((await ask({ grant_type: 'refresh_token', refresh_token })).status).toBe(401)
})

test('refresh tokens end with their lifetime and when unused too long', async () => {
  const { clock } = service().deployment
  const lifetime = await ask({ name: 'admin', password: ADMIN_PASSWORD, refresh_token_lifetime: 60 })
  const idle = await ask({ name: 'admin', password: ADMIN_PASSWORD, refresh_token_revoke_unused_in: 10 })
  const renew = async ({ body }: Answered) =>
    (await ask({ grant_type: 'refresh_token', refresh_token: body.refresh_token })).status
  clock.advance(9 * 60_000)
  expect([await renew(lifetime), await renew(idle)]).toEqual([200, 200])
  clock.advance(9 * 60_000)
  expect([await renew(lifetime), await renew(idle)]).toEqual([200, 200])
  clock.advance(11 * 60_000)
  expect([await renew(lifetime), await renew(idle)]).toEqual([200, 401])
  clock.advance(31 * 60_000)
  expect(await renew(lifetime)).toBe(401)
  admin = await service().logIn()
})

test('users see their own log-ins, user administrators all of them', async () => {
  const { userId, password } = await user('own-log-ins')
  const { body } = await ask({ name: 'own-log-ins', password })
  const own = await service().call('GET', '/v1/auth/tokens?limit=-1', { token: body.jwt as string })
  expect(own.body).toMatchObject({ total: 1, resources: [{ user_id: userId, id: body.refresh_token_id }] })
  const all = await service().call('GET', '/v1/auth/tokens?limit=-1', { token: admin })
  expect(all.body.total).toBeGreaterThan(1)
  const theirs = await service().call('GET', `/v1/auth/tokens?user_id=${encodeURIComponent(userId)}`, { token: admin })
  expect(theirs.body.total).toBe(1)
  const foreign = all.body.resources.find((one: { user_id: string }) => one.user_id !== userId)
  expect((await service().call('GET', `/v1/auth/tokens/${foreign.id}`, { token: body.jwt as string })).status).toBe(404)
  expect((await service().call('DELETE', `/v1/auth/tokens/${foreign.id}`, { token: body.jwt as string })).status).toBe(
    404,
  )
})

test('five failures lock a user for a minute, in which the right password gets the same refusal', async () => {
  const { userId, password } = await user('locked-out')
  for (let failure = 0; failure < 5; failure++)
    expect((await ask({ name: 'locked-out', password: 'Wrong-Password-1' })).status).toBe(401)
  const refused = await ask({ name: 'locked-out', password })
  expect([refused.status, refused.body.detail]).toEqual([
    401,
    'User name or password is wrong, or the user is locked for now.',
  ])
  const shown = await service().call('GET', `/v1/usermgmt/users/${userId}`, { token: admin })
  expect(shown.body).toMatchObject({ failed_logins_count: 5 })
  expect(shown.body).toHaveProperty('account_lockout_at')
  service().deployment.clock.advance(61_000)
  expect((await ask({ name: 'locked-out', password })).status).toBe(200)
  expect((await service().call('GET', `/v1/usermgmt/users/${userId}`, { token: admin })).body).toMatchObject({
    failed_logins_count: 0,
    logins_count: 1,
  })
})

/** A log-in from another address of this machine. */
async function askFrom(localAddress: string, body: object): Promise<number | undefined> {
  const { baseUrl } = service().deployment
  const headers = { 'content-type': 'application/json' }
  const sent = request(`${baseUrl}/api/v1/auth/tokens`, { method: 'POST', localAddress, headers })
  const answered = once(sent, 'response')
  sent.end(JSON.stringify(body))
  const [response] = (await answered) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test('guessing locks an administrator only for the guessing address', async () => {
  const { userId, password } = await user('besieged')
  const joined = await service().call('POST', `/v1/usermgmt/groups/admin/users/${userId}`, { token: admin })
  expect(joined.status).toBe(200)
  const right = { name: 'besieged', password }
  for (let failure = 0; failure < 6; failure++)
    expect((await ask({ name: 'besieged', password: 'Wrong-Password-1' })).status).toBe(401)
  expect((await ask(right)).status).toBe(401)
  expect(await askFrom('127.0.0.2', { ...right, password: 'Wrong-Password-1' })).toBe(401)
  expect(await askFrom('127.0.0.2', right)).toBe(200)
  expect((await ask(right)).status).toBe(200)
  for (let failure = 0; failure < 5; failure++) await ask({ name: 'besieged', password: 'Wrong-Password-1' })
  expect((await ask(right)).status).toBe(401)
  service().deployment.clock.advance(61_000)
  expect((await ask(right)).status).toBe(200)
})

test('a user administrator unlocks a user', async () => {
  const { userId, password } = await user('unlocked')
  for (let failure = 0; failure < 5; failure++) await ask({ name: 'unlocked', password: 'Wrong-Password-1' })
  const unlocked = await service().call('PATCH', `/v1/usermgmt/users/${userId}`, {
    token: admin,
    body: { failed_logins_count: 0 },
  })
  expect(unlocked.status).toBe(200)
  expect((await ask({ name: 'unlocked', password })).status).toBe(200)
})

test('concurrent failures are all counted', async () => {
  const { userId } = await user('hammered')
  await Promise.all(Array.from({ length: 20 }, () => ask({ name: 'hammered', password: 'Wrong-Password-1' })))
  const { body } = await service().call('GET', `/v1/usermgmt/users/${userId}`, { token: admin })
  expect(body.failed_logins_count).toBeGreaterThanOrEqual(5)
  expect(body).toHaveProperty('account_lockout_at')
})

test('the right password among many guesses at the same time does not pass a lock', async () => {
  const { userId, password } = await user('guessed')
  const guesses = Array.from({ length: 40 }, (_, n) => (n === 39 ? password : `Wrong-Password-${n}`))
  const answers = await Promise.all(guesses.map((guess) => ask({ name: 'guessed', password: guess })))
  expect(answers.map(({ status }) => status)).toEqual(guesses.map(() => 401))
  const { body } = await service().call('GET', `/v1/usermgmt/users/${userId}`, { token: admin })
  expect(body).toMatchObject({ logins_count: 0 })
})

test('many log-ins at the same time by the right password are all admitted', async () => {
  const { password } = await user('busy')
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask({ name: 'busy', password })))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test('no cache stores answers that may contain secrets', async () => {
  const { password } = await user('uncached')
  const logIn = await ask({ name: 'uncached', password })
  const refused = await ask({ name: 'uncached', password: 'Wrong-Password-1' })
  const listed = await service().call('GET', '/v1/auth/tokens', { token: admin })
  const unknown = await service().call('GET', '/v1/unknown')
  for (const { headers } of [logIn, refused, listed, unknown]) expect(headers.get('cache-control')).toBe('no-store')
  for (const path of ['/v1/auth/jwks.json', '/v1/openapi.json'])
    expect((await service().call('GET', path)).headers.get('cache-control')).toBe('public, max-age=60')
})

test('users change their own password by the old one, within the rules, which ends former log-ins', async () => {
  const { password } = await user('changes')
  const { body: before } = await ask({ name: 'changes', password })
  const change = (body: object) =>
    service().call('PATCH', '/v1/auth/changepw', { body: { username: 'changes', ...body } })
  expect((await change({ password: 'Wrong-Password-1', new_password: 'New-Password-2' })).status).toBe(401)
  const weak = await change({ password, new_password: 'short' })
  expect(weak.status).toBe(422)
  expect(new Set(weak.body.errors.map((error: { pointer: string }) => error.pointer))).toEqual(
    new Set(['#/new_password']),
  )
  expect(JSON.stringify(weak.body)).not.toContain('short')
  expect((await change({ password, new_password: 'New-Password-2' })).status).toBe(204)
  expect((await ask({ name: 'changes', password })).status).toBe(401)
  expect((await ask({ name: 'changes', password: 'New-Password-2' })).status).toBe(200)
  expect((await ask({ grant_type: 'refresh_token', refresh_token: before.refresh_token })).status).toBe(401)
})

test('a password that must be changed permits nothing else', async () => {
  const password = 'Change-me-1st'
  const made = await service().call('POST', '/v1/usermgmt/users', {
    token: admin,
    body: { username: 'must-change', password, password_change_required: true },
  })
  expect(made.status).toBe(201)
  const refused = await ask({ name: 'must-change', password })
  expect({ status: refused.status, body: refused.body }).toMatchObject({
    status: 403,
    body: {
      type: 'urn:keymgr:problem:password-outdated',
      detail: 'The password must be changed first: PATCH /v1/auth/changepw.',
    },
  })
  const changed = await service().call('PATCH', '/v1/auth/changepw', {
    body: { username: 'must-change', password, new_password: 'Changed-it-2' },
  })
  expect(changed.status).toBe(204)
  expect((await ask({ name: 'must-change', password: 'Changed-it-2' })).status).toBe(200)
})

test('after a rotation a new key signs, and existing tokens stay valid until they expire', async () => {
  const before = await service().logIn()
  const { body: old } = await service().call('GET', '/v1/auth/auth-key', { token: before })
  const { status, body: present } = await service().call('POST', '/v1/auth/rotate-auth-key', { token: before })
  expect(status).toBe(200)
  expect(present.kid).not.toBe(old.kid)
  const after = await service().logIn()
  expect(JSON.parse(Buffer.from(after.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({ kid: present.kid })
  for (const token of [before, after])
    expect((await service().call('GET', '/v1/vault/keys2', { token })).status).toBe(200)
  const kids = async () =>
    (await service().call('GET', '/v1/auth/jwks.json')).body.keys.map((key: { kid: string }) => key.kid)
  expect(await kids()).toEqual(expect.arrayContaining([old.kid, present.kid]))
  service().deployment.clock.advance(396_000)
  expect((await service().call('GET', '/v1/auth/self/user', { token: before })).status).toBe(401)
  expect(await kids()).toEqual([present.kid])
  admin = await service().logIn()
})

test("a child domain's administrator cannot rotate the deployment's signing key", async () => {
  const { child } = await childAdmin(service(), 'no-rotation')
  const { status } = await service().call('POST', '/v1/auth/rotate-auth-key', { token: child })
  expect(status).toBe(403)
})

test('callers see and change their own user, domains and password policy', async () => {
  const { password, userId } = await user('myself')
  const token = await service().logIn('myself', password)
  const changed = await service().call('PATCH', '/v1/auth/self/user', {
    token,
    body: { nickname: 'me', email: 'me@example.org' },
  })
  expect(changed.body).toMatchObject({ user_id: userId, nickname: 'me', email: 'me@example.org' })
  expect((await service().call('GET', '/v1/auth/self/user', { token })).body).toEqual(changed.body)
  expect((await service().call('PATCH', '/v1/auth/self/user', { token, body: { enabled: false } })).status).toBe(400)
  const domains = await service().call('GET', '/v1/auth/self/domains', { token })
  expect(domains.body).toMatchObject({ total: 1, resources: [{ name: 'root' }] })
  const policy = await service().call('GET', '/v1/auth/self/pwdpolicy', { token })
  expect(policy.body).toMatchObject({
    policy_name: 'global',
    inclusive_min_total_length: 8,
    failed_logins_lockout_thresholds: [0, 0, 0, 0, 1],
  })
})
