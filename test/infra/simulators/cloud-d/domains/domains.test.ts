import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudD, type CloudDSimulator, type Domain } from '../../../../../infra/simulators/cloud-d/simulator.ts'

const MY_SCOPES = 'urn:opc:idm:__myscopes__'
let simulator: CloudDSimulator
let domain: Domain
let clientId: string
let clientSecret: string

beforeAll(async () => {
  simulator = await startCloudD({ clock: { now: () => new Date() } })
  const [first] = simulator.domains
  const client = first?.tenancy.applications[0]
  if (first === undefined || client === undefined) throw new Error('The shop has a domain with clients.')
  domain = first
  ;({ clientId, clientSecret } = client)
})
afterEach(() => {
  domain.protectKeySet(true)
  simulator.reset()
})
afterAll(() => simulator.stop())

async function ask(path: string, init: RequestInit = {}, url = domain.url) {
  const answer = await fetch(`${url}${path}`, init)
  const text = await answer.text()
  const body: any = text === '' ? undefined : JSON.parse(text) // `any`: differs by operation
  return { status: answer.status, body }
}

const basic = (secret: string) => `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
const tokenFor = (form: Record<string, string>, secret = clientSecret) =>
  ask('/oauth2/v1/token', {
    method: 'POST',
    headers: { authorization: basic(secret) },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
  })
const keySet = (token?: string) =>
  ask('/admin/v1/SigningCert/jwk', token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })

test('the configuration names an issuer of another host, and addresses of this one', async () => {
  const { body } = await ask('/.well-known/openid-configuration')
  expect(body).toMatchObject({
    issuer: 'https://identity.oraclecloud.com/',
    jwks_uri: `${domain.url}/admin/v1/SigningCert/jwk`,
    token_endpoint: `${domain.url}/oauth2/v1/token`,
  })
  expect((await ask('/.well-known/idcs-configuration')).body).toEqual({ 'openid-configuration': body })
})

test('the key set is for clients with a token of the domain', async () => {
  expect((await keySet()).status).toBe(401)
  expect((await keySet('nonsense')).status).toBe(401)
  expect((await keySet((await tokenFor({ scope: 'https://ekm.test/oci_ekms' })).body.access_token)).status).toBe(401)
  const { body } = await keySet((await tokenFor({ scope: MY_SCOPES })).body.access_token)
  expect(body.keys).toMatchObject([{ kty: 'RSA', alg: 'RS256', use: 'sig', kid: expect.any(String) }])
  expect(body.keys[0]).not.toHaveProperty('d')
})

test('the key set can be public', async () => {
  domain.protectKeySet(false)
  expect((await keySet()).status).toBe(200)
})

test.each([
  ['a wrong secret', { scope: MY_SCOPES }, 'wrong', 401, 'invalid_client'],
  ['another grant', { grant_type: 'password', scope: MY_SCOPES }, undefined, 400, 'unsupported_grant_type'],
  ['no scope', {}, undefined, 400, 'invalid_scope'],
])('a token with %s is refused', async (_what, form, secret, status, error) => {
  expect(await tokenFor(form, secret)).toMatchObject({ status, body: { error } })
})

test('a token for a key manager has its audience and scope, and is verified by the key set', async () => {
  domain.protectKeySet(false)
  const { access_token } = (await tokenFor({ scope: 'https://ekm.test/oci_ekms' })).body
  const { payload } = await jwtVerify(access_token, createLocalJWKSet((await keySet()).body))
  expect(payload).toMatchObject({
    iss: 'https://identity.oraclecloud.com/',
    aud: ['https://ekm.test/'],
    scope: 'oci_ekms',
    client_id: clientId,
    sub: clientId,
  })
})

test('tests get tokens with claims of their choice, for known clients', async () => {
  const token = await domain.tokenOf({
    clientId,
    audience: 'https://a.test/',
    scope: 'oci_hyok_x',
    claims: { tenant: 'x' },
  })
  expect(decodeJwt(token)).toMatchObject({ aud: ['https://a.test/'], scope: 'oci_hyok_x', tenant: 'x' })
  expect(() => domain.tokenOf({ clientId: 'nobody', audience: 'https://a.test/' })).toThrow('nobody is unknown.')
})

test('another domain has keys of its own, and they rotate', async () => {
  const bank = simulator.domains[1]
  bank?.protectKeySet(false)
  domain.protectKeySet(false)
  const other = await ask('/admin/v1/SigningCert/jwk', {}, bank?.url)
  const before = (await keySet()).body.keys
  expect(other.body.keys[0].n).not.toBe(before[0].n)
  await domain.rotateKeys(true)
  expect((await keySet()).body.keys).toHaveLength(2)
  await domain.rotateKeys(false)
  expect((await keySet()).body.keys).toHaveLength(1)
})

test('its calls are in the request log, and faults affect them', async () => {
  await ask('/.well-known/openid-configuration')
  expect(simulator.calls()).toMatchObject([{ service: 'domain', operation: 'GetOpenIdConfiguration' }])
  simulator.inject({ fault: 'unavailable', service: 'domain', times: 1 })
  expect((await ask('/.well-known/openid-configuration')).status).toBe(503)
  simulator.inject({ fault: 'wrong-answer', operation: 'GetOpenIdConfiguration', times: 1, answer: () => ({}) })
  expect((await ask('/.well-known/openid-configuration')).body).toEqual({})
  expect((await ask('/.well-known/openid-configuration')).status).toBe(200)
})
