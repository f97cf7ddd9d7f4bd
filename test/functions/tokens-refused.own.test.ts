import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { base64url, decodeJwt, decodeProtectedHeader, SignJWT, type JWTPayload } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../shared/base/ids.ts'
import { openFor } from '../../shared/keyring/domain-key.ts'
import { SIGNING_KEY_PURPOSE, tokenKeys } from '../../shared/keyring/token-key.ts'
import { childAdmin } from '../support/callers.ts'
import { call, useService, type Answered } from '../support/service.ts'
import { pointProcessAt } from '../support/own-process.ts'

const service = useService()
let token = ''
let claims: JWTPayload = {}
let kid = ''
/** The service's own signing key, so that tokens below are refused for their claims and not for their signature. */
let ownKey: KeyObject

beforeAll(async () => {
  token = await service().logIn()
  claims = decodeJwt(token)
  kid = decodeProtectedHeader(token).kid ?? ''
  pointProcessAt(service().deployment.environmentOf('auth'))
  const present = (await tokenKeys()).find(({ item }) => item.id === kid)
  const pkcs8 = await openFor(ROOT_DOMAIN_ID, SIGNING_KEY_PURPOSE(kid), present?.item.sealed ?? '')
  ownKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
})

const callWith = (authorization: string): Promise<Answered> =>
  service().call('GET', '/v1/auth/self/user', { headers: { authorization } })
const callAs = (jwt: string): Promise<Answered> => callWith(`Bearer ${jwt}`)

interface Changes {
  readonly header?: object
  readonly payload?: Readonly<Record<string, unknown>>
  readonly key?: KeyObject
}

/** A valid token with these changes; `undefined` removes a member. */
const forged = ({ header = {}, payload = {}, key = ownKey }: Changes): Promise<string> =>
  new SignJWT({ ...claims, ...payload }).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid, ...header }).sign(key)

/** A token assembled by hand, where the library would not sign. */
const assembled = (header: object, signature: (input: string) => string): string => {
  const input = [header, claims].map((part) => base64url.encode(JSON.stringify(part))).join('.')
  return `${input}.${signature(input)}`
}

const publicPem = async (): Promise<string> => {
  const { body } = await service().call('GET', '/v1/auth/jwks.json')
  return createPublicKey({ key: body.keys[0], format: 'jwk' }).export({ format: 'pem', type: 'spki' }).toString()
}

const ec = (namedCurve = 'P-256'): KeyObject => generateKeyPairSync('ec', { namedCurve }).privateKey
const nowSeconds = (): number => Math.floor(service().deployment.clock.now().getTime() / 1_000)

test('a token re-signed with the same key and claims is accepted, so each refusal below has its own reason', async () => {
  expect(await callAs(await forged({}))).toMatchObject({ status: 200, body: { username: 'admin' } })
})

test.each<[string, () => string | Promise<string>]>([
  ['alg none', () => assembled({ alg: 'none', typ: 'JWT', kid }, () => '')],
  ['alg none, with a signature', () => assembled({ alg: 'none', typ: 'JWT', kid }, () => token.split('.')[2] ?? '')],
  [
    'HS256 with the public key as its secret',
    async () => {
      const pem = await publicPem()
      const mac = (input: string) => createHmac('sha256', pem).update(input).digest('base64url')
      return assembled({ alg: 'HS256', typ: 'JWT', kid }, mac)
    },
  ],
  [
    'RS256',
    () => forged({ header: { alg: 'RS256' }, key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }),
  ],
  ['ES384', () => forged({ header: { alg: 'ES384' }, key: ec('P-384') })],
  ['another ES256 key under our kid', () => forged({ key: ec() })],
  ['a key of its own in the header', () => forged({ header: { jwk: ec().export({ format: 'jwk' }) }, key: ec() })],
  ['an unknown kid', () => forged({ header: { kid: '01890000-0000-7000-8000-00000000ffff' } })],
  ['no kid', () => forged({ header: { kid: undefined } })],
  ['a kid that is a path', () => forged({ header: { kid: '../../etc/passwd' } })],
  ['another type', () => forged({ header: { typ: 'at+jwt' } })],
  [
    'a critical extension we do not know',
    () => {
      const signed = (input: string) => sign('sha256', Buffer.from(input), { key: ownKey, dsaEncoding: 'ieee-p1363' })
      return assembled({ alg: 'ES256', typ: 'JWT', kid, crit: ['once'], once: true }, (input) =>
        signed(input).toString('base64url'),
      )
    },
  ],
  ['another audience', () => forged({ payload: { aud: 'https://elsewhere.example/api' } })],
  ['another issuer', () => forged({ payload: { iss: 'https://elsewhere.example' } })],
  ['no issuer', () => forged({ payload: { iss: undefined } })],
  ['no expiry', () => forged({ payload: { exp: undefined } })],
  ['no time of issue', () => forged({ payload: { iat: undefined } })],
  ['an expiry that is a text', () => forged({ payload: { exp: '9999999999' } })],
  ['no subject', () => forged({ payload: { sub: undefined } })],
  ['a subject of another form', () => forged({ payload: { sub: 'admin' } })],
  ['a user who is not there', () => forged({ payload: { sub: 'local|01890000-0000-7000-8000-00000000ffff' } })],
  ['groups that are no list', () => forged({ payload: { cust: { ...(claims.cust as object), groups: 'admin' } } })],
  ['no claims of ours', () => forged({ payload: { cust: undefined } })],
])('a token with %s is refused', async (_what, make) => {
  const { status, body } = await callAs(await make())
  expect({ status, body }).toMatchObject({ status: 401, body: { code: 3, status: 401 } })
  expect(body.codeDesc).toMatch(/^KMERRUnauthorized: /)
})

test('a token with any changed character is refused', async () => {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const swapped = base64url.encode(JSON.stringify({ ...claims, preferred_username: 'somebody-else' }))
  for (const altered of [
    `${header}.${swapped}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -4)}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    token.slice(0, token.length / 2),
    `${header}..${signature}`,
    `.${payload}.${signature}`,
    `${token}.${signature}`,
    `${header}.${payload}.${signature}${signature}`,
    `${payload}.${payload}.${signature}`,
    `${header}.${payload}.${'A'.repeat(86)}`, // r and s are 0
    `${header}.${'A'.repeat(8_192)}.${signature}`,
  ])
    expect(await callAs(altered), altered.slice(0, 200)).toMatchObject({ status: 401, body: { code: 3 } })
})

test.each([
  ['Basic', () => `Basic ${Buffer.from('admin:Correct-Horse-7').toString('base64')}`],
  ['no scheme', () => token],
  ['an empty header', () => ''],
  ['the scheme alone', () => 'Bearer'],
  ['two tokens', () => `Bearer ${token}, Bearer ${token}`],
  ['something behind the token', () => `Bearer ${token} extra`],
])('%s is no bearer token', async (_what, header) => {
  expect(await callWith(header())).toMatchObject({ status: 401, body: { code: 3 } })
})

test.each(['bearer', 'BEARER', 'Bearer '])('the scheme %j is accepted', async (scheme) => {
  expect((await callWith(`${scheme} ${token}`)).status).toBe(200)
})

test('a token is accepted only in the header', async () => {
  const inQuery = await service().call('GET', `/v1/auth/self/user?access_token=${token}`)
  expect(inQuery.status).toBe(401)
  const inCookie = await service().call('GET', '/v1/auth/self/user', { headers: { cookie: `token=${token}` } })
  expect(inCookie.status).toBe(401)
})

test('an expired token is refused with the time since its expiry', async () => {
  const made = nowSeconds()
  const expired = await forged({ payload: { iat: made - 400, nbf: made - 400, exp: made - 100 } })
  const { status, body } = await callAs(expired)
  expect(status).toBe(401)
  const [, seconds = '0'] =
    /^The token is expired by (\d+) seconds\: get another one with POST \/api\/v1\/auth\/tokens\.$/.exec(
      body.detail as string,
    ) ?? []
  expect(Number(seconds)).toBeGreaterThanOrEqual(100)
  expect(Number(seconds)).toBeLessThanOrEqual(100 + nowSeconds() - made + 1)
})

test('a valid token is refused after its 300 seconds', async () => {
  const { clock } = service().deployment
  const fresh = await service().logIn()
  expect(decodeJwt(fresh).exp).toBe((decodeJwt(fresh).iat ?? 0) + 300)
  expect((await callAs(fresh)).status).toBe(200)
  clock.advance(310_000)
  try {
    const { status, body } = await callAs(fresh)
    expect(status).toBe(401)
    expect(body.detail).toMatch(/expired by \d+ seconds/)
  } finally {
    clock.advance(-310_000)
  }
})

test('a token that is not valid yet is refused', async () => {
  const now = nowSeconds()
  const early = await forged({ payload: { iat: now + 60, nbf: now + 60, exp: now + 360 } })
  expect((await callAs(early)).status).toBe(401)
})

test('after a rotation a former token is valid only under its own key', async () => {
  const old = await service().logIn()
  const rotated = await service().call('POST', '/v1/auth/rotate-auth-key', { token: old })
  expect(rotated.status, JSON.stringify(rotated.body)).toBe(200)
  expect(rotated.body.kid).not.toBe(kid)
  const fresh = await service().logIn()
  expect(decodeProtectedHeader(fresh).kid).toBe(rotated.body.kid)
  expect((await callAs(old)).status).toBe(200)
  expect((await callAs(fresh)).status).toBe(200)
  const set = await service().call('GET', '/v1/auth/jwks.json')
  const atTheRoot = await call(service().deployment.baseUrl, 'GET', '/.well-known/jwks.json')
  expect(atTheRoot.body).toEqual(set.body)
  expect((await service().call('GET', '/.well-known/jwks.json')).status).toBe(404)
  expect((set.body.keys as { kid: string }[]).map((key) => key.kid)).toEqual([kid, rotated.body.kid])
  expect(JSON.stringify(set.body)).not.toContain('"d"')
  expect((await callAs(await forged({ header: { kid: rotated.body.kid as string } }))).status).toBe(401)
})

test('the signing key cannot be rotated so often that valid tokens would lose their key', async () => {
  const before = await service().logIn()
  let refused: Answered | undefined
  for (let turn = 0; turn < 20 && refused === undefined; turn++) {
    const rotated = await service().call('POST', '/v1/auth/rotate-auth-key', { token: before })
    if (rotated.status !== 200) refused = rotated
  }
  expect(refused).toMatchObject({ status: 409, body: { code: 8 } })
  expect((await callAs(before)).status).toBe(200)
  expect((await callAs(await service().logIn())).status).toBe(200)
})

test('a disabled user is refused within 5 seconds, and admitted again as fast', async () => {
  const { clock } = service().deployment
  const admin = await service().logIn()
  const { token: theirs, userId } = await service().userIn(admin, 'to-be-disabled', [])
  expect((await callAs(theirs)).status).toBe(200)
  const path = `/v1/usermgmt/users/${userId}`
  expect((await service().call('PATCH', path, { token: admin, body: { enabled: false } })).status).toBe(200)
  clock.advance(5_100)
  expect((await callAs(theirs)).body.detail).toContain('no longer valid')
  expect((await service().call('GET', '/v1/vault/keys2', { token: theirs })).status).toBe(401)
  expect((await service().call('PATCH', path, { token: admin, body: { enabled: true } })).status).toBe(200)
  clock.advance(5_100)
  expect((await callAs(theirs)).status).toBe(200)
  expect((await service().call('DELETE', path, { token: admin })).status).toBe(200)
  clock.advance(5_100)
  expect((await callAs(theirs)).status).toBe(401)
})

test("a deleted domain's token is refused within 5 seconds, and its log-in cannot be renewed", async () => {
  const { clock } = service().deployment
  const admin = await service().logIn()
  const { child, childId } = await childAdmin(service(), 'short-lived')
  const password = `Pass-word-${'admin-of-short-lived'.length}x`
  const login = await service().call('POST', '/v1/auth/tokens', {
    body: { name: 'admin-of-short-lived', password, domain: 'short-lived' },
  })
  expect((await callAs(child)).status).toBe(200)
  const gone = await service().call('DELETE', `/v1/domains/${childId}`, { token: admin })
  expect(gone.status, JSON.stringify(gone.body)).toBe(200)
  clock.advance(5_100)
  for (const path of ['/v1/auth/self/user', '/v1/domain', '/v1/vault/keys2', '/v1/usermgmt/users'])
    expect((await service().call('GET', path, { token: child })).status, path).toBe(401)
  const renewal = { grant_type: 'refresh_token', refresh_token: login.body.refresh_token as string }
  expect((await service().call('POST', '/v1/auth/tokens', { body: renewal })).status).toBe(401)
})
