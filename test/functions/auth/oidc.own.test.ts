import type { RequestListener } from 'node:http'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../../support/openid-browser.ts'
import {
  DISCOVERY,
  json,
  KEY_SET,
  LOGIN_CLIENT,
  openidKey,
  startOpenidProvider,
  type OpenidProvider,
} from '../../support/openid-provider.ts'
import { useService, type Answered } from '../../support/service.ts'

const service = useService()
let admin = ''
let provider: OpenidProvider
const key = openidKey('first')

const person = (name: string, more: object = {}) => ({
  sub: `sub-of-${name}`,
  email: `${name}@company.test`,
  preferred_username: name,
  name: `${name} of the company`,
  ...more,
})
const PEOPLE = [
  person('olga', { groups: ['chiefs', 'others'] }),
  person('otto', { groups: 'engineers' }),
  person('admin'),
  person('oscar'),
  person('olaf'),
]

const asAdmin = (method: string, path: string, body?: object) =>
  service().call(method, path, { token: admin, ...(body && { body }) })
const anyone = (method: string, path: string, body?: object) => service().call(method, path, { ...(body && { body }) })

const [CONSOLE, COMMAND_LINE] = LOGIN_CLIENT.redirect_uris
const oidc = (more: object = {}): object => ({ issuer: provider.issuer, ...LOGIN_CLIENT, ...more })

async function connection(name: string, more: object = {}, fields: object = {}): Promise<any> {
  const body = { name, strategy: 'oidc', create_users: true, oidc: oidc(fields), ...more }
  const made = await asAdmin('POST', '/v1/usermgmt/connections', body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}

const begin = (more: object = {}) =>
  anyone('POST', '/v1/auth/oidc/authorizations', { connection: 'people', redirect_uri: CONSOLE, ...more })

/** Starts a log-in, and logs a person in at the provider. @returns the values that finish the log-in */
async function returned(name: string, more: object = {}): Promise<Record<string, string>> {
  const { status, body } = await begin(more)
  expect(status, JSON.stringify(body)).toBe(201)
  const back = await signIn(new URL(body.authorization_url as string), `sub-of-${name}`)
  const { code = '', state = '', iss = '' } = Object.fromEntries(back.searchParams)
  expect(state).toBe(body.state)
  return { authorization_token: body.authorization_token, code, state, iss }
}

const finish = (body: object): Promise<Answered> =>
  anyone('POST', '/v1/auth/tokens', { grant_type: 'authorization_code', ...body })

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
const REFUSED = { status: 401, detail: 'The log-in by the identity provider is not valid: begin again.' }
const shown = ({ status, body }: Answered) => ({ status, detail: body.detail })

beforeAll(async () => {
  provider = await startOpenidProvider(PEOPLE, key)
  admin = await service().logIn()
  await connection('people', {
    group_mappings: [
      { external: 'chiefs', group: 'admin' },
      { external: 'engineers', group: 'Key Users' },
    ],
  })
})
afterAll(() => provider.stop())

test('somebody of the provider logs in by code, and is a user from then on', async () => {
  const { status, body } = await finish(await returned('olga'))
  expect(status, JSON.stringify(body)).toBe(200)
  expect(claimsOf(body.jwt as string)).toMatchObject({ preferred_username: 'olga', cust: { groups: ['admin'] } })
  const user = (await asAdmin('GET', '/v1/usermgmt/users?username=olga')).body.resources[0]
  expect(user).toMatchObject({
    connection: 'people',
    name: 'olga of the company',
    email: 'olga@company.test',
    allowed_auth_methods: [],
  })
  const again = await finish(await returned('olga'))
  expect(claimsOf(again.body.jwt as string).sub).toBe(user.user_id)
  expect(claimsOf((await finish(await returned('otto'))).body.jwt as string).cust.groups).toEqual(['Key Users'])
  const session = (await asAdmin('GET', `/v1/auth/tokens/${body.refresh_token_id}`)).body
  expect(Date.parse(session.expiresAt as string) - Date.parse(session.createdAt as string)).toBe(12 * 3_600_000)
})

test('a command line is called back at any port of loopback', async () => {
  const at = COMMAND_LINE.replace('127.0.0.1', '127.0.0.1:51234')
  expect((await finish(await returned('olga', { redirect_uri: at }))).status).toBe(200)
})

test.each([
  'https://console.example.test/elsewhere',
  'https://console.example.test/back?more=1',
  'https://evil.example.test/back',
  'http://127.0.0.1:80/elsewhere',
  'http://console.example.test/back',
  'javascript:alert(1)',
])('%s is refused as a redirect address', async (redirect_uri) => {
  const { status, body } = await begin({ redirect_uri })
  expect([status, body.errors[0].pointer]).toEqual([422, '#/redirect_uri'])
})

test('a missing or disabled connection, or one of another strategy, starts no log-in', async () => {
  await connection('disabled', { enabled: false })
  for (const name of ['no such', 'disabled']) {
    const { status, body } = await begin({ connection: name })
    expect([status, body.errors[0].pointer]).toEqual([404, '#/connection'])
  }
  const byPassword = await anyone('POST', '/v1/auth/tokens', { name: 'olga', password: 'any', connection: 'people' })
  expect(byPassword.status).toBe(401)
})

test('a log-in finishes once, even if two requests arrive at a time', async () => {
  const once = await returned('olga')
  const both = await Promise.all([finish(once), finish(once)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  expect(shown(await finish(once))).toEqual(REFUSED)
})

test('a code is valid only with its verifier and its state', async () => {
  const [mine, other] = [await returned('olga'), await returned('oscar')]
  for (const body of [
    { ...mine, authorization_token: other.authorization_token, state: other.state },
    { ...mine, state: other.state },
    { ...mine, state: 'x' },
    { ...mine, code: 'another' },
    { ...mine, authorization_token: 'another' },
    { ...mine, authorization_token: `${mine.authorization_token?.slice(0, -8)}AAAAAAA=` },
    { ...mine, iss: 'https://mixed-up.example' },
  ])
    expect(shown(await finish(body))).toEqual(REFUSED)
  const { iss: _, ...withoutIssuer } = await returned('olga')
  expect(shown(await finish(withoutIssuer))).toEqual(REFUSED)
})

test('a log-in that was begun is over after ten minutes', async () => {
  const late = await returned('olga')
  service().deployment.clock.advance(601_000)
  try {
    expect(shown(await finish(late))).toEqual(REFUSED)
  } finally {
    service().deployment.clock.advance(-601_000)
  }
})

/** The service's answer to a log-in in which the provider exchanges the code for this id token. */
async function answeringToken(claims: object, signer = key, alg = 'RS256', place: object = {}): Promise<Answered> {
  const begun = await begin(place)
  const nonce = new URL(begun.body.authorization_url as string).searchParams.get('nonce')
  const now = Math.floor(Date.now() / 1_000)
  const all = { iss: provider.issuer, aud: LOGIN_CLIENT.client_id, sub: 'sub-of-olga', nonce, iat: now, exp: now + 300 }
  const id_token = await new SignJWT({ preferred_username: 'olga', ...all, ...claims })
    .setProtectedHeader({ alg, kid: signer.kid })
    .sign(alg === 'HS256' ? Buffer.from(LOGIN_CLIENT.client_secret) : signer.privateKey)
  provider.answer('/token', json({ access_token: 'any', token_type: 'Bearer', expires_in: 300, id_token }))
  try {
    const { authorization_token, state } = begun.body
    return await finish({ authorization_token, state, code: 'any', iss: provider.issuer })
  } finally {
    provider.answer('/token', undefined)
  }
}

test('an id token counts by its claims and its signature', async () => {
  expect((await answeringToken({})).status).toBe(200)
  const past = Math.floor(Date.now() / 1_000) - 3_600
  for (const [claims, signer, alg] of [
    [{ nonce: 'of another' }],
    [{ aud: 'another-client' }],
    [{ aud: [LOGIN_CLIENT.client_id, 'another-client'] }],
    [{ aud: [LOGIN_CLIENT.client_id, 'another-client'], azp: 'another-client' }],
    [{ iss: 'https://another.example' }],
    [{ exp: past, iat: past - 300 }],
    [{ sub: '' }],
    [{}, openidKey('first')],
    [{}, openidKey('unknown')],
    [{}, key, 'HS256'],
  ] as const)
    expect(shown(await answeringToken(claims, signer, alg)), JSON.stringify(claims)).toEqual(REFUSED)
})

const USER_INFO = '/me'
const FORGOTTEN = { preferred_username: undefined }

/** Like `answeringToken`, with this answer of UserInfo. */
async function withUserInfo(answer: RequestListener, claims: object): Promise<Answered> {
  provider.answer(USER_INFO, answer)
  try {
    return await answeringToken(claims)
  } finally {
    provider.answer(USER_INFO, undefined)
  }
}

test('claims that the id token lacks are read from UserInfo, with one call more', async () => {
  const info = {
    sub: 'sub-of-uma',
    preferred_username: 'uma',
    name: 'Uma',
    email: 'uma@company.test',
    groups: ['engineers'],
  }
  const asked = provider.asked(USER_INFO)
  const { status, body } = await withUserInfo(json(info), { ...FORGOTTEN, sub: 'sub-of-uma' })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(claimsOf(body.jwt as string)).toMatchObject({ preferred_username: 'uma', cust: { groups: ['Key Users'] } })
  expect(provider.asked(USER_INFO)).toBe(asked + 1)
  const whole = { ...info, sub: 'sub-of-uma' }
  expect((await withUserInfo(json({}, 500), whole)).status).toBe(200)
  expect(provider.asked(USER_INFO)).toBe(asked + 1) // the id token contained all of them
})

test('claims of the id token take precedence over UserInfo, which must be about the same person', async () => {
  const other = { sub: 'sub-of-olga', preferred_username: 'oscar', groups: [] }
  const { body } = await withUserInfo(json(other), { preferred_username: 'olga' })
  expect(claimsOf(body.jwt as string).preferred_username).toBe('olga')
  expect(shown(await withUserInfo(json({ ...other, sub: 'sub-of-otto' }), FORGOTTEN))).toEqual(REFUSED)
  const nobody = { ...other, sub: undefined, preferred_username: 'ulla' }
  expect(shown(await withUserInfo(json(nobody), { ...FORGOTTEN, sub: 'sub-of-ulla' }))).toEqual(REFUSED)
})

test('without UserInfo, the person that the id token names logs in', async () => {
  expect((await withUserInfo(json({ error: 'invalid_token' }, 401), {})).status).toBe(200)
  expect(shown(await withUserInfo(json({ error: 'invalid_token' }, 401), { ...FORGOTTEN, sub: 'sub-of-udo' }))).toEqual(
    REFUSED,
  )
  expect((await withUserInfo(json({}, 500), { ...FORGOTTEN, sub: 'sub-of-udo' })).status).toBe(503)
})

test('groups beyond the token are named in the audit record', async () => {
  const elsewhere = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: provider.issuer } } }
  expect((await answeringToken(elsewhere)).status).toBe(200)
  const { body } = await asAdmin('GET', '/v1/audit/records?success=true&limit=-1')
  const told = body.resources.map(({ details }: { details: { after?: object } }) => details.after)
  expect(told).toContainEqual({ groups_not_read: 'those of the claim groups, which are not in the token' })
})

test('an email address is a user name only if the provider verified it', async () => {
  await connection('by-mail', {}, { username_claim: 'email' })
  const made = { username: 'victim@company.test', connection: 'by-mail' }
  expect((await asAdmin('POST', '/v1/usermgmt/users', made)).status).toBe(201)
  const logIn = (email_verified: unknown, sub: string, email = 'victim@company.test') =>
    answeringToken({ sub, email, email_verified }, key, 'RS256', { connection: 'by-mail' })
  for (const [at, unproven] of [false, 'false', 'true', undefined, 1].entries()) {
    expect(shown(await logIn(unproven, `attacker-${at}`)), String(unproven)).toEqual(REFUSED)
    expect(shown(await logIn(unproven, `new-${at}`, `new-${at}@company.test`)), String(unproven)).toEqual(REFUSED)
  }
  expect((await logIn(true, 'victim')).status).toBe(200)
  expect((await logIn(false, 'victim')).status).toBe(200) // linked by now
  expect(shown(await logIn(true, 'attacker'))).toEqual(REFUSED)
})

test('a user belongs to one person of the provider, whatever names others have', async () => {
  const made = { username: 'made-for-one', connection: 'people', external_id: 'sub-of-one' }
  expect((await asAdmin('POST', '/v1/usermgmt/users', made)).status).toBe(201)
  const again = await asAdmin('POST', '/v1/usermgmt/users', { ...made, username: 'made-twice' })
  expect([again.status, again.body.errors[0].pointer]).toEqual([409, '#/external_id'])
  const local = await asAdmin('POST', '/v1/usermgmt/users', {
    username: 'local-one',
    password: 'Pass-word-1x',
    external_id: 'a',
  })
  expect([local.status, local.body.errors[0].pointer]).toEqual([422, '#/external_id'])
  expect(shown(await answeringToken({ sub: 'another', preferred_username: 'made-for-one' }))).toEqual(REFUSED)
  const { body } = await answeringToken({ sub: 'sub-of-one', preferred_username: 'any-name' })
  expect(claimsOf(body.jwt as string).preferred_username).toBe('made-for-one')
})

test('a name that a local user has is never taken over, and administrators read why', async () => {
  expect(shown(await finish(await returned('admin')))).toEqual(REFUSED)
  const { body } = await asAdmin('GET', '/v1/audit/records?success=false&limit=-1')
  const told = body.resources.map(({ details }: { details: { after?: object } }) => details.after)
  expect(told).toContainEqual({ refused_because: 'the user name is that of another user here' })
})

test('a provider with other keys works at once', async () => {
  const next = openidKey('second')
  await provider.restart(next)
  try {
    expect((await finish(await returned('olaf'))).status).toBe(200)
  } finally {
    await provider.restart(key)
  }
})

test('a provider that fails, is missing, or redirects is unavailable; local users still log in', async () => {
  const begun = await returned('olga')
  const redirecting: RequestListener = (_request, response) => {
    response.writeHead(302, { location: '/elsewhere', 'content-length': 0 }).end()
  }
  for (const listener of [json({}, 500), redirecting]) {
    provider.answer('/token', listener)
    expect((await finish(begun)).status).toBe(503)
    provider.answer('/token', undefined)
  }
  provider.answer('/token', json({ error: 'invalid_client' }, 401))
  expect((await finish(begun)).status).toBe(503)
  provider.answer('/token', undefined)
  await connection('gone', {}, { issuer: 'http://127.0.0.1:1' })
  expect((await begin({ connection: 'gone' })).status).toBe(503)
  await service().logIn()
})

test('a test of the connection reads the provider’s metadata and keys', async () => {
  const run = async () => (await asAdmin('POST', '/v1/usermgmt/connections/people/test', {})).body
  expect(await run()).toEqual({ connection_ok: true })
  provider.answer(KEY_SET, json({}, 404))
  expect(await run()).toMatchObject({ connection_error: 'The identity provider does not answer with its keys.' })
  provider.answer(KEY_SET, undefined)
  provider.answer(DISCOVERY, json({ issuer: 'https://another.example' }))
  expect(await run()).toMatchObject({
    connection_error: 'The identity provider does not describe itself as that issuer.',
  })
  provider.answer(DISCOVERY, undefined)
  expect(await run()).toEqual({ connection_ok: true })
})

test('the client secret is shown nowhere, and sent to no other issuer', async () => {
  const path = '/v1/usermgmt/connections/people'
  const moved = await asAdmin('PATCH', path, { oidc: { issuer: 'https://other.example' } })
  expect([moved.status, moved.body.errors[0].pointer]).toEqual([422, '#/oidc/client_secret'])
  const other = await asAdmin('PATCH', path, { ldap: { user_attribute: 'cn' } })
  expect([other.status, other.body.errors[0].pointer]).toEqual([422, '#/ldap'])
  expect(JSON.stringify((await asAdmin('GET', path)).body)).not.toContain(LOGIN_CLIENT.client_secret)
})

test.each([
  ['a private issuer', { issuer: 'https://10.0.0.1' }, '#/oidc/issuer'],
  ['a plain issuer', { issuer: 'http://provider.example' }, '#/oidc/issuer'],
  ['a plain address to come back to', { redirect_uris: ['http://a.example/'] }, '#/oidc/redirect_uris/0'],
  ['scopes without openid', { scopes: 'profile' }, '#/oidc/scopes'],
])('%s is refused', async (_what, fields, pointer) => {
  const body = { name: 'refused', strategy: 'oidc', oidc: oidc(fields) }
  const answer = await asAdmin('POST', '/v1/usermgmt/connections', body)
  expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, pointer])
})

test('every caller sees only the names and kinds of the ways to log in', async () => {
  const { status, body } = await anyone('GET', '/v1/auth/id-providers')
  expect(status).toBe(200)
  expect(body.resources).toContainEqual({ name: 'people', strategy: 'oidc' })
  expect(body.resources.map(({ name }: { name: string }) => name)).not.toContain('disabled')
  expect((await anyone('GET', '/v1/auth/id-providers?domain=nowhere')).body.total).toBe(0)
})

test.each([
  ['none', undefined],
  ['a number', 5],
  ['no address', 'authorize'],
  ['a script', 'javascript:alert(1)'],
])(
  'metadata whose authorization_endpoint is %s is refused with the reason, and the test names it',
  async (what, value) => {
    const other = await startOpenidProvider([], openidKey('first'))
    try {
      const described = (await (await fetch(`${other.issuer}${DISCOVERY}`)).json()) as object
      const metadata = { ...described, authorization_endpoint: value }
      other.answer(DISCOVERY, json(metadata))
      const name = `with ${what}`
      await connection(name, {}, { issuer: other.issuer })
      const reason = 'The metadata of the identity provider has no authorization_endpoint that can be used.'
      expect(await begin({ connection: name })).toMatchObject({ status: 503, body: { detail: reason } })
      const tested = await asAdmin('POST', `/v1/usermgmt/connections/${encodeURIComponent(name)}/test`, {})
      expect(tested.body).toEqual({
        ...{ connection_ok: false, connection_error: reason },
        connection_failed_step: 'address',
      })
    } finally {
      await other.stop()
    }
  },
)
