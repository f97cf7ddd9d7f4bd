import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import {
  ISSUERS,
  startWorkspace,
  type IssuerName,
  type WorkspaceSimulator,
} from '../../../../infra/simulators/workspace/simulator.ts'
import { authenticated, authorized, call, CLIENT, FILE, KACLS_URL, logIn, type Reply } from './clients.ts'

const clock = createClock()
const [ADA, CAROL] = ['ada@shop.example.test', 'carol@staff.example.test']
const NAMES = Object.keys(ISSUERS) as IssuerName[]
let simulator: WorkspaceSimulator

beforeAll(async () => {
  simulator = await startWorkspace({ clock })
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

const post = (path: string, body: object | string): Promise<Reply> => call('POST', `${simulator.endpoint}${path}`, body)
const FOR_FILE = { application: 'drive', kacls_url: KACLS_URL, resource_name: FILE, role: 'writer' }
const FOR_KEY_PAIR = { ...FOR_FILE, application: 'gmail', role: 'signer', spki_hash: 'aGFzaA==' }

/** Requests an authorization for Ada, or for another person. */
const authorize = async (body: object, email = ADA): Promise<Reply> =>
  post('/authorization', { authentication: await simulator.authenticationOf(email, { audience: CLIENT }), ...body })

test('the configuration of the identity provider contains the addresses of its keys and tokens', async () => {
  const { status, body } = await call('GET', simulator.openidConfigurationUrl)
  const issuer = `${simulator.endpoint}/idp`
  expect({ status, ...body }).toMatchObject({
    ...{ status: 200, issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` },
    id_token_signing_alg_values_supported: ['RS256'],
  })
  expect(simulator.idpIssuer).toBe(issuer)
})

test('everybody of the company logs in, and an id token is good for an hour', async () => {
  for (const { email, sub, google_email } of simulator.people) {
    const { status, body } = await logIn(simulator, email.toUpperCase(), { password: `password of ${email}` })
    expect({ status, ...body }).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3_600 })
    const claims = await authenticated(simulator, body.id_token, clock.now())
    expect(claims).toMatchObject({ sub, email, email_verified: true, aud: CLIENT })
    expect(claims.google_email).toBe(google_email)
    expect(claims).not.toHaveProperty('password')
    expect(Number(claims.exp) - Number(claims.iat)).toBe(3_600)
  }
})

test.each([
  ['a wrong password', { password: 'wrong' }, 'invalid_grant'],
  ['a stranger', { username: 'mallory@shop.example.test' }, 'invalid_grant'],
  ['no client', { client_id: '' }, 'invalid_request'],
  ['another grant', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
])('a log-in with %s is refused', async (_what, more, error) => {
  expect(await logIn(simulator, ADA, more)).toMatchObject({ status: 400, body: { error } })
})

test('every issuer publishes its own keys, and signs only with them', async () => {
  const moduli = new Set<string>()
  for (const name of NAMES) {
    const { status, headers, body } = await call('GET', `${simulator.keySets}/${encodeURIComponent(ISSUERS[name])}`)
    expect([status, headers.get('cache-control')]).toEqual([200, expect.stringMatching(/^public, max-age=\d+/)])
    expect(body.keys).toEqual([
      { kty: 'RSA', alg: 'RS256', use: 'sig', kid: 'first', e: 'AQAB', n: expect.any(String) },
    ])
    moduli.add(body.keys[0].n)
    const token = await simulator.authorizationOf({ issuer: name, claims: { iss: ISSUERS.drive } })
    const judged = authorized(simulator, token, 'drive', clock.now())
    await (name === 'drive'
      ? judged
      : expect(judged).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_JWS/) }))
  }
  expect(moduli.size).toBe(NAMES.length)
})

test.each(['drive', 'meet', 'calendar'] as const)(
  'an authorization of %s says what was asked for',
  async (application) => {
    const asked = { ...FOR_FILE, application, perimeter_id: 'europe', delegated_to: 'room@shop.example.test' }
    const { status, body } = await authorize(asked)
    expect(status).toBe(200)
    const claims = await authorized(simulator, body.authorization, application, clock.now())
    const iat = Math.floor(clock.now().getTime() / 1_000)
    expect(claims).toEqual({
      ...{
        iss: ISSUERS[application],
        aud: 'cse-authorization',
        iat: expect.closeTo(iat, -1),
        exp: Number(claims.iat) + 3_600,
      },
      ...{ email: ADA, email_type: 'google', role: 'writer', kacls_url: KACLS_URL, resource_name: FILE },
      ...{ perimeter_id: 'europe', delegated_to: 'room@shop.example.test', kacls_owner_domain: 'shop.example.test' },
    })
  },
)

test('an authorization for Gmail names the key pair of a person and the message', async () => {
  const { body } = await authorize({
    ...FOR_KEY_PAIR,
    role: 'decrypter',
    message_id: 'm1',
    resource_name: 'x'.repeat(512),
  })
  expect(await authorized(simulator, body.authorization, 'gmail', clock.now())).toMatchObject({
    ...{ role: 'decrypter', message_id: 'm1', spki_hash: 'aGFzaA==', spki_hash_algorithm: 'SHA-256' },
  })
})

test('a key service may be on loopback, without TLS', async () => {
  const kacls_url = 'http://127.0.0.1:8080/api/v1/keymgr/WorkspaceCSE/endpoints/one'
  expect((await authorize({ ...FOR_FILE, kacls_url })).status).toBe(200)
})

test('it identifies people by their address in the suite, and guests as guests', async () => {
  const { body } = await authorize(FOR_FILE, CAROL)
  const claims = await authorized(simulator, body.authorization, 'drive', clock.now())
  expect(claims.email).toBe('carol@shop.example.test')
  const guest = await authorize({ ...FOR_FILE, role: 'reader', email_type: 'google-visitor' }, 'eve@bank.example.test')
  expect(await authorized(simulator, guest.body.authorization, 'drive', clock.now())).toMatchObject({
    ...{ email: 'eve@bank.example.test', email_type: 'google-visitor', role: 'reader' },
  })
})

test.each<[string, object, string]>([
  ['an unknown application', { application: 'chat' }, 'application'],
  ['the role of another application', { role: 'signer' }, 'role'],
  ['the role of a migration', { role: 'migrator' }, 'role'],
  ['an http address', { kacls_url: KACLS_URL.replace('https', 'http') }, 'kacls_url'],
  ['an address that ends with a slash', { kacls_url: `${KACLS_URL}/` }, 'kacls_url'],
  ['no resource', { resource_name: '' }, 'resource_name'],
  ['a resource name that is too long', { resource_name: 'ä'.repeat(65) }, 'resource_name'],
  ['a perimeter that is too long', { perimeter_id: 'p'.repeat(129) }, 'perimeter_id'],
  ['an unknown kind of address', { email_type: 'robot' }, 'email_type'],
  ['the hash of a key pair for a file', { spki_hash: 'aGFzaA==' }, 'body'],
  ['Gmail without the hash of a key pair', { ...FOR_KEY_PAIR, spki_hash: undefined }, 'spki_hash'],
  ['Gmail with another hash', { ...FOR_KEY_PAIR, spki_hash_algorithm: 'SHA-1' }, 'spki_hash_algorithm'],
  ['no authentication', { authentication: undefined }, 'authentication'],
])('an authorization for %s is refused', async (_what, more, member) => {
  const { status, body } = await authorize({ ...FOR_FILE, ...more })
  expect([status, body.error]).toEqual([400, expect.objectContaining({ status: 'INVALID_ARGUMENT', code: 400 })])
  expect(body.error.message).toMatch(new RegExp(`^${member}: `))
})

test('so is a body that is not JSON, and one that is no object', async () => {
  for (const path of ['/authorization', '/migration'])
    for (const body of ['{', '[]']) expect((await post(path, body)).status, path + body).toBe(400)
})

test('an authentication is refused unless the identity provider signed it within the hour', async () => {
  const asked = async (authentication: string) => (await post('/authorization', { ...FOR_FILE, authentication })).status
  const good = await simulator.authenticationOf(ADA, { audience: CLIENT })
  const unverified = await simulator.authenticationOf(ADA, { audience: CLIENT, claims: { email_verified: false } })
  const signature = good.slice(good.lastIndexOf('.') + 1)
  expect([
    await asked(good),
    await asked(unverified),
    await asked(await simulator.authorizationOf({ issuer: 'drive', claims: {} })),
    await asked(
      good.replace(
        signature,
        signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      ),
    ),
    await asked('nothing'),
  ]).toEqual([200, 401, 401, 401, 401])
  clock.advance(3_600_000)
  expect(await asked(good)).toBe(401)
  await expect(simulator.authenticationOf('mallory@shop.example.test', { audience: CLIENT })).rejects.toThrow('Nobody')
})

test.each(['verifier', 'migrator'])('the token of a migration names no person: %s', async (role) => {
  const { body } = await post('/migration', { kacls_url: KACLS_URL, resource_name: FILE, perimeter_id: '', role })
  const claims = await authorized(simulator, body.authorization, 'migration', clock.now())
  expect(claims).toMatchObject({ role, kacls_url: KACLS_URL, resource_name: FILE, perimeter_id: '' })
  expect(claims).not.toHaveProperty('email')
})

test.each([
  ['the role of a person', { role: 'writer' }],
  ['no resource', { resource_name: undefined }],
  ['a person', { email: ADA }],
])('a migration with %s is refused', async (_what, more) => {
  const asked = { kacls_url: KACLS_URL, resource_name: FILE, role: 'verifier', ...more }
  expect((await post('/migration', asked)).status).toBe(400)
})

test('tests get tokens with claims of their own', async () => {
  const claims = { kacls_url: KACLS_URL, email: undefined, role: 'nobody' }
  const token = await simulator.authorizationOf({ issuer: 'meet', claims })
  const found = await authorized(simulator, token, 'meet', clock.now())
  expect(found).toMatchObject({ kacls_url: KACLS_URL, role: 'nobody', email_type: 'google' })
  expect(found).not.toHaveProperty('email')
  const ended = await simulator.authorizationOf({ issuer: 'migration', claims: { exp: 1 } })
  await expect(authorized(simulator, ended, 'migration', clock.now())).rejects.toMatchObject({
    code: 'ERR_JWT_EXPIRED',
  })
})

test('keys are rotated one issuer at a time, with the former key or without it', async () => {
  const before = await simulator.authorizationOf({ issuer: 'drive', claims: {} })
  const judged = (token: string) => authorized(simulator, token, 'drive', clock.now())
  await simulator.rotateKeys('drive', true)
  const between = await simulator.authorizationOf({ issuer: 'drive', claims: {} })
  expect([await judged(before), await judged(between)]).toHaveLength(2)
  await simulator.rotateKeys('drive', false)
  await expect(judged(between)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
  const meet = await call('GET', `${simulator.keySets}/${ISSUERS.meet}`)
  expect(meet.body.keys).toMatchObject([{ kid: 'first' }])
  const { body } = await logIn(simulator, ADA)
  await simulator.rotateKeys('idp', false)
  await expect(authenticated(simulator, body.id_token, clock.now())).rejects.toMatchObject({
    code: 'ERR_JWKS_NO_MATCHING_KEY',
  })
  expect((await authorize(FOR_FILE)).status).toBe(200)
})

test('an unknown address gets 404, and every address has one method', async () => {
  const stranger = `${simulator.keySets}/somebody@system.gserviceaccount.com`
  for (const url of [`${simulator.endpoint}/`, simulator.keySets, stranger, `${stranger}%`])
    expect(await call('GET', url), url).toMatchObject({ status: 404, body: { error: { code: 404 } } })
  const refused = await call('GET', `${simulator.endpoint}/authorization`)
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
  expect((await post('/idp/jwks', {})).headers.get('allow')).toBe('GET')
  expect(simulator.calls().at(-1)).toEqual({ operation: 'jwks', path: '/idp/jwks', refused: '405' })
})

test.each([
  ['throttle', 429],
  ['server-error', 503],
  ['access-denied', 403],
  ['expired-credentials', 401],
] as const)('the fault %s is answered %i, to the operations that it names', async (fault, status) => {
  const remove = simulator.inject({ fault, operation: 'keys' })
  const keySet = () => call('GET', `${simulator.keySets}/${ISSUERS.drive}`)
  expect([(await keySet()).status, (await authorize(FOR_FILE)).status]).toEqual([status, 200])
  remove()
  expect((await keySet()).status).toBe(200)
  expect(simulator.counts()).toEqual({ keys: 2, authorization: 1 })
})

test('answers can be cut, spoiled, and watched', async () => {
  const keySet = () => call('GET', `${simulator.endpoint}/idp/jwks`)
  simulator.inject({ fault: 'cut-before', times: 1 })
  await expect(keySet()).rejects.toThrow('fetch failed')
  simulator.inject({ fault: 'bad-json', times: 1 })
  await expect(keySet()).rejects.toThrow(SyntaxError)
  const seen: string[] = []
  simulator.inject({ fault: 'observe', after: ({ operation }) => void seen.push(operation) })
  await keySet()
  expect(seen).toEqual(['jwks'])
})
