import { beforeAll, expect, test } from 'vitest'
import { callOverTls } from '../../support/mutual-tls.ts'
import { ADMIN_PASSWORD, useService, type Answered } from '../../support/service.ts'

const service = useService()
const TOKENS = '/v1/auth/tokens'
const asked = (name = 'admin', password = ADMIN_PASSWORD) => ({
  name,
  password,
  cookies: true,
  ...service().domainField,
})
let admin = ''
beforeAll(async () => {
  admin = await service().logIn()
})

const call = (path: string, body?: object, headers: Record<string, string> = {}, token?: string): Promise<Answered> =>
  service().call('POST', path, { headers, token, ...(body && { body }) })
const cookieOf = ({ headers }: Answered): string => headers.getSetCookie()[0]?.split(';')[0] ?? ''
const renew = (cookie: string, more: object = {}, headers: Record<string, string> = {}): Promise<Answered> =>
  call(TOKENS, { grant_type: 'refresh_token', ...more }, { cookie, ...headers })

async function loggedIn(more: object = {}): Promise<{ cookie: string; jwt: string; answer: Answered }> {
  const answer = await call(TOKENS, { ...asked(), ...more })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return { cookie: cookieOf(answer), jwt: answer.body.jwt as string, answer }
}

test('the refresh token of a cookie session is only in the cookie', async () => {
  const { answer, cookie } = await loggedIn()
  expect(Object.keys(answer.body as object).sort()).toEqual(['duration', 'jwt', 'refresh_token_id', 'token_type'])
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^keymgr-session=[\w.-]{117}; Path=\/; HttpOnly; SameSite=Strict$/),
  ])
  const { status, body, headers } = await renew(cookie)
  expect({ status, id: body.refresh_token_id, set: headers.getSetCookie() }).toEqual({
    ...{ status: 200, id: answer.body.refresh_token_id, set: [] },
  })
  expect(body).not.toHaveProperty('refresh_token')
})

test('over TLS the cookie is bound to the host', async () => {
  const { headers } = await callOverTls(service(), undefined, 'POST', TOKENS, { body: asked() })
  const [cookie = ''] = headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-keymgr-session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
  const body = { grant_type: 'refresh_token' }
  const renewed = (name: string) =>
    callOverTls(service(), undefined, 'POST', TOKENS, { body, headers: { cookie: name } })
  expect((await renewed(cookie.split(';')[0] ?? '')).status).toBe(200)
  expect((await renewed((cookie.split(';')[0] ?? '').replace('__Host-', ''))).status).toBe(422)
})

test('a replaced session has another cookie, and the former one stops', async () => {
  const { cookie } = await loggedIn()
  const renewed = await renew(cookie, { renew_refresh_token: true })
  expect(renewed.body).not.toHaveProperty('refresh_token')
  expect((await renew(cookie)).status).toBe(401)
  expect((await renew(cookieOf(renewed))).status).toBe(200)
})

test('a renewal without refresh token and cookie is refused, naming the field', async () => {
  expect(await call(TOKENS, { grant_type: 'refresh_token' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '#/refresh_token' }] },
  })
})

test('pages of other origins cannot use the cookie', async () => {
  const { cookie } = await loggedIn()
  const { host } = new URL(service().deployment.baseUrl)
  for (const headers of [
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
    { origin: 'https://shop.example' },
    { origin: 'null' },
  ]) {
    expect((await renew(cookie, {}, headers)).status, JSON.stringify(headers)).toBe(403)
    expect((await call('/v1/auth/revoke', {}, { cookie, ...headers })).status).toBe(403)
  }
  const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const posted = await service().call('POST', TOKENS, { headers: form, body: 'grant_type=refresh_token' })
  expect(posted.status).toBe(415)
  for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: `http://${host}` }])
    expect((await renew(cookie, {}, headers)).status, JSON.stringify(headers)).toBe(200)
})

test('log-out and revoke end the session and clear the cookie', async () => {
  const cleared = [expect.stringMatching(/^keymgr-session=; .*Max-Age=0$/)]
  const first = await loggedIn()
  const out = await call('/v1/auth/logout', undefined, { cookie: first.cookie }, first.jwt)
  expect([out.status, out.headers.getSetCookie()]).toEqual([204, cleared])
  expect((await renew(first.cookie)).status).toBe(401)
  const second = await loggedIn()
  const other = await call('/v1/auth/logout', undefined, { cookie: second.cookie }, admin)
  expect(other.status).toBe(204)
  expect((await renew(second.cookie)).status).toBe(401)
  admin = await service().logIn()
  const third = await loggedIn()
  const revoked = await call('/v1/auth/revoke', {}, { cookie: third.cookie })
  expect([revoked.status, revoked.headers.getSetCookie()]).toEqual([204, cleared])
  expect((await renew(third.cookie)).status).toBe(401)
  expect(await call('/v1/auth/revoke', {})).toMatchObject({ status: 422 })
})

test('a session kept by cookie ends after 30 minutes without use, or sooner where asked', async () => {
  const { clock } = service().deployment
  const long = await loggedIn()
  const short = await loggedIn({ refresh_token_revoke_unused_in: 5 })
  clock.advance(6 * 60_000)
  expect((await renew(short.cookie)).status).toBe(401)
  clock.advance(23 * 60_000)
  expect((await renew(long.cookie)).status).toBe(200)
  clock.advance(31 * 60_000)
  expect((await renew(long.cookie)).status).toBe(401)
  expect(await call(TOKENS, { ...asked(), refresh_token_revoke_unused_in: 31 })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '#/refresh_token_revoke_unused_in' }] },
  })
  admin = await service().logIn()
})

test('a user without permission for user interfaces gets no cookie, and loses existing ones', async () => {
  const { userId } = await service().userIn(admin, 'machine', [])
  const { cookies, ...body } = asked('machine', 'Pass-word-7x')
  const first = await call(TOKENS, { ...body, cookies })
  const flag = { login_flags: { prevent_ui_login: true } }
  const changed = await service().call('PATCH', `/v1/usermgmt/users/${userId}`, { token: admin, body: flag })
  expect(changed.status).toBe(200)
  const refused = await call(TOKENS, { ...body, cookies })
  expect(refused).toMatchObject({ status: 403, body: { code: 4 } })
  expect(refused.headers.getSetCookie()).toEqual([])
  expect((await renew(cookieOf(first))).status).toBe(401)
  expect((await call(TOKENS, body)).status).toBe(200)
})

test('only log-ins of users get cookies', async () => {
  for (const grant of ['refresh_token', 'client_credential'])
    expect(
      await call(TOKENS, { grant_type: grant, client_id: 'one', refresh_token: 'x', cookies: true }),
    ).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '#/cookies' }] },
    })
})
