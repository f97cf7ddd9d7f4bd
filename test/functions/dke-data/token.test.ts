import { createPublicKey } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { issuerKey, mint, mintWrongly } from '../../support/issuer.ts'
import { ADA, AUDIENCE, BOB, EVE, HOST, refused, useDke, type CallOptions } from './dke-data.ts'

const dke = useDke()

let endpoint: any
let document: { kid: string; value: string }
beforeAll(async () => {
  endpoint = await dke().create()
  document = await dke().protect(endpoint)
})

const AUTHORITY = 'https://login.windows.net/common/oauth2/authorize'
const CHALLENGE = `Bearer resource="${AUDIENCE}", authorization="${AUTHORITY}", realm="${AUDIENCE}"`
const opens = (options: CallOptions = {}) => dke().decrypt(document.kid, document.value, options)
const seconds = () => Math.floor(dke().vault.service.deployment.clock.now().getTime() / 1_000)

test('a call without a token gets the address and the audience for one', async () => {
  for (const headers of [{}, { authorization: '' }]) {
    const answered = await opens({ token: null, headers })
    expect(answered).toEqual(refused(401))
    expect(answered.headers).toMatchObject({ resource: AUDIENCE, authorization: AUTHORITY })
  }
  expect((await opens({ token: null })).headers['www-authenticate']).toBe(CHALLENGE)
  const bad = await opens({ token: 'no.token.atall' })
  expect(bad.headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`)
})

test('the challenge names the host with its port, as the address has it', async () => {
  const own = await dke().create({ key_uri_hostname: 'dke.example.test:8443' })
  const { kid, value } = await dke().protect(own)
  const { headers } = await dke().decrypt(kid, value, { token: null })
  expect(new URL(headers.resource as string).host).toBe(new URL(kid).host)
  for (const aud of ['https://dke.example.test:8443', 'https://dke.example.test', 'https://dke.example.test:8443/'])
    expect((await dke().decrypt(kid, value, { claims: { aud } })).status, aud).toBe(200)
  expect((await dke().decrypt(kid, value, { claims: { aud: 'https://dke.example.test:8444' } })).status).toBe(401)
})

test('another scheme, algorithm, key or signature is refused', async () => {
  const good = await dke().suite.tokenOf(ADA, AUDIENCE)
  const claims = JSON.parse(Buffer.from(good.split('.')[1] ?? '', 'base64url').toString()) as object
  const stranger = issuerKey('first') // the same name, another key
  const published = await fetch(`${dke().suite.endpoint}/${dke().tenantOf(ADA)}/discovery/v2.0/keys`)
  const { keys } = (await published.json()) as { keys: [{ kty: 'RSA'; n: string; e: string }] }
  const publicKey = createPublicKey({ key: keys[0], format: 'jwk' })
  const [head = '', body = '', signature = ''] = good.split('.')
  const bad = [
    mint(stranger, claims),
    mint(stranger, claims, { alg: 'RS256', kid: 'nobody' }),
    mint(stranger, claims, { alg: 'RS256', kid: 'first', crit: ['exp'] }),
    mintWrongly(stranger, claims, 'none'),
    mintWrongly({ ...stranger, publicKey }, claims, 'HS256'),
    mintWrongly(stranger, claims, 'RS512'),
    `${head}.${body}.`,
    `${head}.${body}`,
    `${good}.${signature}`,
    `${head}.${body}.${signature.slice(0, -8)}AAAAAAAA`,
  ]
  for (const token of bad) expect(await opens({ token }), token.slice(0, 40)).toEqual(refused(401))
  for (const authorization of [`Basic ${good}`, good, `Bearer ${good}, Bearer ${good}`])
    expect((await opens({ token: null, headers: { authorization } })).status).toBe(401)
  expect((await opens({ token: null, headers: { authorization: `bearer ${good}` } })).status).toBe(200)
})

test('issuer, audience and tenant must be those of the endpoint, character for character', async () => {
  const shop = dke().tenantOf(ADA)
  const bank = dke().tenantOf(EVE)
  for (const iss of [`https://sts.windows.net/${shop}/`, `https://login.microsoftonline.com/${shop}/v2.0`])
    expect((await opens({ claims: { iss } })).status, iss).toBe(200)
  for (const claims of [
    { iss: `https://sts.windows.net/${shop}` },
    { iss: `https://sts.windows.net/${bank}/` },
    { iss: `https://else.example.test/${shop}/` },
    { iss: undefined },
    { iss: [`https://sts.windows.net/${shop}/`] },
    { aud: 'https://else.example.test' },
    { aud: `http://${HOST}` },
    { aud: HOST },
    { aud: `https://d\u212ae.example.test` },
    { aud: [] },
    { aud: undefined },
    { tid: bank },
    { tid: undefined },
  ])
    expect((await opens({ claims })).status, JSON.stringify(claims)).toBe(401)
  for (const aud of [
    ['https://else.example.test', AUDIENCE],
    `${AUDIENCE}/`,
    AUDIENCE.toUpperCase().replace('HTTPS', 'https'),
  ])
    expect((await opens({ claims: { aud } })).status, String(aud)).toBe(200)
  expect((await opens({ claims: { tid: shop.toUpperCase() } })).status).toBe(200)
})

test('five minutes of skew are allowed, and an end is required', async () => {
  const now = seconds()
  for (const claims of [{ exp: now - 240 }, { nbf: now + 240 }, { nbf: undefined }])
    expect((await opens({ claims })).status, JSON.stringify(claims)).toBe(200)
  for (const claims of [{ exp: now - 360 }, { exp: undefined }, { exp: 'soon' }, { nbf: now + 360 }, { nbf: 'soon' }])
    expect((await opens({ claims })).status, JSON.stringify(claims)).toBe(401)
})

test('a valid issuer alone is sufficient, and its tenant must be listed if tenants are', async () => {
  const bank = dke().tenantOf(EVE)
  const valid_issuers = [`https://sts.windows.net/${bank}/`]
  const email_authz_params = { authorized_email_addresses: ['*'] }
  const authorization_params = { authorization_type: 'email', valid_issuers, email_authz_params }
  const open = await dke().create({ auth_tenants: [], authorization_params })
  expect(await dke().opens(open, { upn: EVE })).toBe(200)
  expect(await dke().opens(open, { upn: ADA })).toBe(401)
  const narrow = await dke().create({ auth_tenants: [dke().tenantOf(ADA)], authorization_params })
  expect(await dke().opens(narrow, { upn: EVE })).toBe(403)
})

test('new signing keys of the tenant are found, and the tenant’s keys are read once for many calls', async () => {
  dke().vault.advance(61_000) // unknown keys are searched for once a minute
  await opens()
  dke().suite.reset()
  for (let call = 0; call < 5; call++) expect((await opens({ upn: BOB })).status).toBe(200)
  expect(dke().suite.counts()).toEqual({})
  await dke().suite.rotateKeys(true)
  expect((await opens()).status).toBe(200)
  expect(dke().suite.counts()).toEqual({ keys: 1 })
  const stranger = issuerKey('unknown')
  for (let call = 0; call < 5; call++) expect((await opens({ token: mint(stranger, {}) })).status).toBe(401)
  expect(dke().suite.counts()).toEqual({ keys: 1 })
})

test('while the identity platform is unreachable, known keys are valid and unknown tenants must retry later', async () => {
  expect((await opens()).status).toBe(200)
  dke().suite.inject({ fault: 'server-error' })
  expect((await opens()).status).toBe(200)
  const own = await dke().create({ auth_tenants: [dke().tenantOf(EVE)] })
  const { kid, value } = await dke().protect(own)
  await dke().vault.service.deployment.kill('dke-data')
  const answered = await dke().decrypt(kid, value, { upn: EVE })
  expect(answered).toEqual(refused(503))
  expect(answered.headers['retry-after']).toBe('1')
  dke().suite.reset()
})
