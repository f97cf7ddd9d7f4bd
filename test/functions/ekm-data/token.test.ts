import { createPublicKey, randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { issuerKey, mint, mintWrongly } from '../../support/issuer.ts'
import { EMAIL, ENDPOINTS, HOST, refused, useEkm } from '../ekm/ekm.ts'

const ekm = useEkm()
const stranger = issuerKey('first') // the same name, another key

let endpoint: any
beforeAll(async () => {
  endpoint = await ekm().create()
})
beforeEach(async () => {
  expect((await wrap({})).status).toBe(200) // the instance is warm and accepts valid tokens
})

/** The Kelvin sign: a different character from K, but its lower case is k. */
const KELVIN = '\u212a'
const UNAUTHENTICATED = refused(401, 'UNAUTHENTICATED')
const BODY = { plaintext: 'AAAA' }
const wrap = (options: object) => ekm().call(endpoint, 'wrap', BODY, options)
const seconds = () => Math.floor(ekm().now.getTime() / 1_000)

test('a missing header, another scheme, two headers, and two tokens in one header are refused', async () => {
  const good = ekm().token()
  const wanted = [
    { token: null },
    { token: null, headers: { authorization: good } },
    { token: null, headers: { authorization: `Basic ${good}` } },
    { token: null, headers: { authorization: 'Bearer' } },
    { token: null, headers: { authorization: [`Bearer ${good}`, `Bearer ${good}`] } },
    { token: null, headers: { authorization: `Bearer ${good}, Bearer ${good}` } },
    { token: null, headers: { authorization: `Bearer ${good} ${good}` } },
  ]
  for (const options of wanted) {
    const answered = await wrap(options)
    expect(answered).toEqual(UNAUTHENTICATED)
    expect(answered.headers['www-authenticate']).toBe('Bearer')
  }
  expect((await wrap({ token: null, headers: { authorization: `bEARER ${good}` } })).status).toBe(200)
})

test('another algorithm, an unknown key, a changed token, and a header with its own key are refused', async () => {
  const { key } = ekm()
  const claims = ekm().claims()
  const good = mint(key, claims)
  const [head = '', body = '', signature = ''] = good.split('.')
  const flipped = Buffer.from(signature, 'base64url')
  flipped.writeUInt8(flipped.readUInt8(9) ^ 1, 9)
  const jwk = createPublicKey(stranger.publicKey.export({ format: 'pem', type: 'spki' })).export({ format: 'jwk' })
  const other = Buffer.from(JSON.stringify({ ...claims, email: 'other@else.test' })).toString('base64url')
  const tokens = [
    mintWrongly(key, claims, 'none'),
    mintWrongly(key, claims, 'HS256'),
    mintWrongly(key, claims, 'RS512'),
    mint(stranger, claims),
    mint(key, claims, { alg: 'RS256', kid: 'nobody' }),
    mint(key, claims, { alg: 'RS256' }),
    mint(stranger, claims, { alg: 'RS256', kid: 'first', jwk }),
    mint(stranger, claims, { alg: 'RS256', kid: 'first', jku: 'http://127.0.0.1:1/certs' }),
    mint(key, claims, { alg: 'RS256', kid: 'first', crit: ['exp'] }),
    `${head}.${body}.${flipped.toString('base64url')}`,
    `${head}.${other}.${signature}`,
    `${head}.${body}.`,
    `${head}.${body}`,
    `${good}.${signature}`,
    mint(key, { ...claims, filling: randomBytes(3_000).toString('hex') }),
    'not.a.token',
  ]
  for (const token of tokens) expect(await wrap({ token }), token.slice(0, 60)).toEqual(UNAUTHENTICATED)
})

test('the issuer is accepted with and without its scheme, other issuers are refused', async () => {
  const { name } = ekm().issuer
  expect((await wrap({ claims: { iss: name.replace('https://', '') } })).status).toBe(200)
  for (const iss of ['https://else.example.test', `${name}/`, name.toUpperCase(), '', undefined, 7, [name]])
    expect(await wrap({ claims: { iss } })).toEqual(UNAUTHENTICATED)
})

test('the audience must be the endpoint’s own host with its scheme', async () => {
  for (const aud of [`https://${HOST.toUpperCase()}`, [`https://${HOST}`]])
    expect((await wrap({ claims: { aud } })).status).toBe(200)
  for (const aud of [
    `https://${HOST}:443`,
    `https://${HOST}/`,
    endpoint.keyURI,
    `http://${HOST}`,
    `https://${HOST.replace('k', KELVIN)}`,
    HOST,
    'https://else.example.test',
    [`https://${HOST}`, 'https://else.example.test'],
    [`https://${HOST}`, `https://${HOST}`],
    [],
    '',
    undefined,
  ])
    expect(await wrap({ claims: { aud } }), String(aud)).toEqual(UNAUTHENTICATED)
})

test('times are checked with a minute of tolerance; a token without them, or valid for more than a day, is refused', async () => {
  const now = seconds()
  for (const claims of [
    { exp: now - 50 },
    { iat: now + 50, exp: now + 100 },
    { iat: now - 86_000, exp: now + 400 },
    { nbf: now + 50 },
  ])
    expect((await wrap({ claims })).status, JSON.stringify(claims)).toBe(200)
  for (const claims of [
    { exp: now - 61 },
    { exp: undefined },
    { exp: String(now + 100) },
    { iat: now + 70, exp: now + 100 },
    { iat: undefined },
    { iat: now - 86_400, exp: now + 1 },
    { nbf: now + 70 },
    { nbf: 'soon' },
  ])
    expect(await wrap({ claims }), JSON.stringify(claims)).toEqual(UNAUTHENTICATED)
})

test('the caller’s e-mail address must be verified, as a boolean claim', async () => {
  for (const claims of [
    { email_verified: undefined },
    { email_verified: false },
    { email_verified: 'true' },
    { email: undefined },
    { email: '' },
    { email: [EMAIL] },
    { email: EMAIL.replace('k', KELVIN) },
    { email: `${EMAIL} ` },
    { email: `${'x'.repeat(312)}@else.test` },
  ])
    expect(await wrap({ claims }), JSON.stringify(claims)).toEqual(UNAUTHENTICATED)
  expect((await wrap({ claims: { email: EMAIL.toUpperCase() } })).status).toBe(200)
})

test('the data plane refuses tokens of this service, and administration refuses tokens of the cloud', async () => {
  const token = await ekm().vault.admin.token()
  for (const verb of ['wrap', 'unwrap', 'asymmetricSign', 'getPublicKey', 'confidentialwrap'])
    expect(await ekm().call(endpoint, verb, BODY, { token })).toEqual(UNAUTHENTICATED)
  expect(await ekm().send('/api/v1/keymgr/ekm/session/beginsession', {}, { token })).toEqual(UNAUTHENTICATED)
  const { service } = ekm().vault
  for (const [method, path] of [
    ['GET', ENDPOINTS],
    ['POST', ENDPOINTS],
    ['GET', `${ENDPOINTS}/${endpoint.id as string}`],
    ['POST', `${ENDPOINTS}/${endpoint.id as string}/rotate`],
  ] as const)
    expect((await service.call(method, path, { token: ekm().token() })).status, path).toBe(401)
})

test('an unknown id is reported only to callers whose token is for the called host', async () => {
  const nowhere = { key_path: `/api/v1/keymgr/ekm/endpoints/${'0'.repeat(64)}` }
  expect(await ekm().call(nowhere, 'wrap', BODY)).toEqual(refused(404, 'NOT_FOUND'))
  const claims = { aud: 'https://else.example.test' }
  expect(await ekm().call(nowhere, 'wrap', BODY, { claims })).toEqual(UNAUTHENTICATED)
  expect(await ekm().call(nowhere, 'wrap', BODY, { token: null })).toEqual(UNAUTHENTICATED)
})
