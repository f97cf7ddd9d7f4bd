import { createHash } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { CLIENT, startIdentityProvider, type IdentityProvider } from '../../../../infra/simulators/people/provider.ts'

const clock = createClock()
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider(clock)
})
afterAll(() => provider.stop())

const BACK = 'http://127.0.0.1:4711/back'
const VERIFIER = 'a-verifier-of-at-least-43-characters-0123456789'
const ASKED = {
  client_id: CLIENT.client_id,
  redirect_uri: BACK,
  response_type: 'code',
  scope: 'openid profile email',
  state: 'a state',
  nonce: 'a nonce',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
}
const ALICE = { username: 'alice', password: 'password of alice' }

const send = (path: string, form: Readonly<Record<string, string>>, headers = {}) =>
  fetch(provider.issuer + path, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) })
const authorize = (more: object = {}) => `/authorize?${new URLSearchParams({ ...ASKED, ...more }).toString()}`

/** The query with which a browser comes back after a log-in. */
async function back(form: Readonly<Record<string, string>> = ALICE, more: object = {}): Promise<URLSearchParams> {
  const { status, headers } = await send(authorize(more), form)
  expect(status).toBe(303)
  return new URL(headers.get('location') ?? '').searchParams
}

async function redeem(form: Readonly<Record<string, string>>, client: object = CLIENT) {
  const response = await send('/token', { redirect_uri: BACK, code_verifier: VERIFIER, ...client, ...form })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}
const byCode = async (more: Readonly<Record<string, string>> = {}, client: object = CLIENT) =>
  redeem({ grant_type: 'authorization_code', code: (await back()).get('code') ?? '', ...more }, client)

test('a code becomes an id token with the claims of the scopes, and UserInfo has the same', async () => {
  const query = await back()
  expect(query.get('state')).toBe('a state')
  expect(query.get('iss')).toBe(provider.issuer)
  const code = { grant_type: 'authorization_code', code: query.get('code') ?? '' }
  const { status, body } = await redeem(code)
  expect(status).toBe(200)
  const claims = {
    preferred_username: 'alice',
    name: 'Alice Archer',
    email: 'alice@company.test',
    email_verified: true,
    groups: ['key-owners'],
  }
  const { payload } = await jwtVerify(body.id_token ?? '', createRemoteJWKSet(new URL(`${provider.issuer}/jwks`)), {
    issuer: provider.issuer,
    audience: CLIENT.client_id,
  })
  expect(payload).toMatchObject({ ...claims, nonce: 'a nonce' })
  const authorization = `Bearer ${body.access_token ?? ''}`
  const info = await fetch(`${provider.issuer}/userinfo`, { headers: { authorization } })
  expect(await info.json()).toEqual({ sub: payload.sub, ...claims })
  expect(await redeem(code)).toEqual({ status: 400, body: { error: 'invalid_grant' } }) // once
})

test.each([
  ['another client', { client_id: 'another' }],
  ['a redirect elsewhere', { redirect_uri: 'https://pages.example.test/' }],
  ['another answer than a code', { response_type: 'token' }],
  ['no proof key', { code_challenge: '' }],
  ['a proof key in the clear', { code_challenge_method: 'plain' }],
  ['no id token', { scope: 'profile' }],
])('a request with %s gets a page without a form', async (_what, more) => {
  for (const response of [await fetch(provider.issuer + authorize(more)), await send(authorize(more), ALICE)]) {
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain('<form')
  }
})

test('a wrong password is reported on the page, which loads nothing and escapes foreign markup', async () => {
  const response = await send(authorize({ state: '"><script>' }), { username: 'alice', password: '<b>' })
  expect(response.status).toBe(400)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await response.text()
  expect(page).toContain('role="alert"')
  expect(page).not.toMatch(/<script|<b>/)
})

test.each([
  ['another proof key', { code_verifier: 'another' }, CLIENT, 400, 'invalid_grant'],
  ['another address', { redirect_uri: `${BACK}/2` }, CLIENT, 400, 'invalid_grant'],
  ['an unknown code', { code: 'unknown' }, CLIENT, 400, 'invalid_grant'],
  ['a wrong secret', {}, { ...CLIENT, client_secret: 'wrong' }, 401, 'invalid_client'],
  ['an unknown grant', { grant_type: 'password' }, CLIENT, 400, 'unsupported_grant_type'],
])('%s is refused at the token endpoint', async (_what, more, client, status, error) => {
  expect(await byCode(more, client)).toEqual({ status, body: { error } })
})

test('a device waits until a person confirms its code', async () => {
  const begun = await send('/device_authorization', { ...CLIENT, scope: 'openid profile' })
  const { device_code, user_code } = (await begun.json()) as { device_code: string; user_code: string }
  const ask = () => redeem({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })
  expect(await ask()).toEqual({ status: 400, body: { error: 'authorization_pending' } })
  const bob = { username: 'bob', password: 'password of bob' }
  expect((await send('/device', { ...bob, user_code: 'AAAA-AAAA' })).status).toBe(400)
  expect((await send('/device', { ...bob, user_code, password: 'wrong' })).status).toBe(400)
  expect((await send('/device', { ...bob, user_code: user_code.toLowerCase() })).status).toBe(200)
  expect((await ask()).status).toBe(200)
  expect(await ask()).toEqual({ status: 400, body: { error: 'expired_token' } })
})

test('a code ends after a minute, a device after ten', async () => {
  const code = (await back()).get('code') ?? ''
  const begun = await send('/device_authorization', { ...CLIENT, scope: 'openid' })
  const { device_code } = (await begun.json()) as { device_code: string }
  clock.advance(601_000)
  expect(await redeem({ grant_type: 'authorization_code', code })).toMatchObject({ status: 400 })
  const asked = await redeem({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })
  expect(asked.body.error).toBe('expired_token')
})
