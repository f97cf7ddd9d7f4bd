import { createPrivateKey, createHash, X509Certificate } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  startCloudB,
  type CloudBCredentials,
  type CloudBSimulator,
} from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { clientsOf, refusalOf, send } from '../clients.ts'

const clock = createClock()
const VAULT_SCOPE = 'https://vault.azure.net/.default'
let simulator: CloudBSimulator
let first: CloudBCredentials
let certified: CloudBCredentials

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  ;[first, certified] = simulator.credentials as readonly [CloudBCredentials, CloudBCredentials]
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

const formOf = (more: Record<string, string> = {}): Record<string, string> => ({
  grant_type: 'client_credentials',
  client_id: first.clientId,
  client_secret: first.clientSecret ?? '',
  scope: VAULT_SCOPE,
  ...more,
})

const ask = (form: Record<string, string>, tenant = first.tenantId) =>
  send(simulator, 'POST', `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`, { form })

test('a secret yields a token for an hour', async () => {
  const { status, body } = await ask(formOf())
  expect({ status, ...body }).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3599 })
  const url = 'https://shop-premium.vault.azure.net/keys?api-version=7.4'
  const list = () => send(simulator, 'GET', url, { bearer: String(body.access_token) })
  expect((await list()).code).toBe('OK')
  clock.advance(3_600_000)
  expect((await list()).body.error).toMatchObject({ code: 'Unauthorized', message: expect.stringContaining('Expired') })
})

test('a tenant is also known by its domain', async () => {
  expect((await ask(formOf(), 'shop.example')).status).toBe(200)
})

test.each<[string, Record<string, string>, string, number, number]>([
  ['a wrong secret', { client_secret: 'wrong' }, 'invalid_client', 7_000_215, 401],
  ['no secret', { client_secret: '' }, 'invalid_client', 7_000_218, 401],
  ['an unknown application', { client_id: crypto.randomUUID() }, 'unauthorized_client', 700_016, 400],
  ['no application', { client_id: '' }, 'invalid_request', 900_144, 400],
  ['another grant', { grant_type: 'password' }, 'unsupported_grant_type', 70_003, 400],
  ['a scope without its suffix', { scope: 'https://vault.azure.net/user' }, 'invalid_scope', 1_002_012, 400],
  ['a resource that there is not', { scope: 'https://nowhere.example/.default' }, 'invalid_resource', 500_011, 400],
])('%s is refused', async (_what, change, error, number, status) => {
  const reply = await ask(formOf(change))
  expect(reply).toMatchObject({ status, code: error, body: { error_codes: [number] } })
  expect(reply.body.error_description).toMatch(new RegExp(`^AADSTS${number}: `))
})

test('an unknown tenant and an application of another one are refused', async () => {
  expect(await ask(formOf(), crypto.randomUUID())).toMatchObject({
    code: 'invalid_request',
    body: { error_codes: [90_002] },
  })
  expect((await ask(formOf(), 'bank.example')).body.error_codes).toEqual([700_016])
})

test('an expired secret and a disabled application are refused', async () => {
  const [application] = simulator.applications()
  if (application === undefined) throw new Error('There is no application.')
  const [secret] = application.secrets
  simulator.putApplication({ ...application, secrets: [{ value: secret?.value ?? '', expiresAt: Date.now() - 1 }] })
  expect((await ask(formOf())).body.error_codes).toEqual([7_000_222])
  simulator.putApplication({ ...application, disabled: true })
  expect((await ask(formOf())).body.error_codes).toEqual([7_000_112])
  simulator.putApplication(application)
})

test('the official credential logs in with a certificate', async () => {
  expect((await clientsOf(simulator, certified).keys('shop-premium').createEcKey('certified')).name).toBe('certified')
  expect(simulator.counts()).toMatchObject({ Token: 1 })
})

interface Assertion {
  readonly claims?: Record<string, unknown>
  readonly header?: Record<string, unknown>
  readonly alg?: string
}

async function assertionOf({ claims, header, alg = 'RS256' }: Assertion = {}): Promise<Record<string, string>> {
  const pem = certified.certificate ?? ''
  const cer = new X509Certificate(pem).raw
  const now = Math.floor(Date.now() / 1000)
  const aud = `https://login.microsoftonline.com/${certified.tenantId}/oauth2/v2.0/token`
  const { clientId: iss } = certified
  const jwt = await new SignJWT({ iss, sub: iss, aud, nbf: now, exp: now + 600, jti: crypto.randomUUID(), ...claims })
    .setProtectedHeader({ alg, x5t: createHash('sha1').update(cer).digest('base64url'), ...header })
    .sign(createPrivateKey(pem))
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  return formOf({ client_id: iss, client_secret: '', client_assertion: jwt, client_assertion_type })
}

test('an assertion is checked: thumbprint, signature, times, subject and audience', async () => {
  const codes = async (more: Assertion) => (await ask(await assertionOf(more))).body.error_codes ?? 'accepted'
  const cer = new X509Certificate(certified.certificate ?? '').raw
  const s256 = { x5t: undefined, 'x5t#S256': createHash('sha256').update(cer).digest('base64url') }
  const now = Math.floor(Date.now() / 1000)
  expect(await codes({})).toBe('accepted')
  expect(await codes({ alg: 'PS256', header: s256 })).toBe('accepted')
  expect(await codes({ header: { x5t: 'AAAA' } })).toEqual([700_027])
  expect(await codes({ header: { x5t: undefined } })).toEqual([700_027])
  expect(await codes({ alg: 'RS384' })).toEqual([700_027])
  expect(await codes({ claims: { exp: now - 60, nbf: now - 600 } })).toEqual([700_024])
  expect(await codes({ claims: { sub: first.clientId } })).toEqual([700_021])
  expect(await codes({ claims: { aud: 'https://elsewhere.example' } })).toEqual([700_023])
  const form = await assertionOf()
  expect((await ask({ ...form, client_assertion: `${form.client_assertion ?? ''}AA` })).body.error_codes).toEqual([
    700_027,
  ])
  expect((await ask({ ...form, client_assertion: 'no token' })).body.error_codes).toEqual([50_027])
})

test('a certificate that is registered for an application logs it in until it expires', async () => {
  const { clientId, certificate = '' } = certified
  const aud = `https://login.microsoftonline.com/${first.tenantId}/oauth2/v2.0/token`
  const claims = { iss: first.clientId, sub: first.clientId, aud }
  const codes = async () =>
    (await ask({ ...(await assertionOf({ claims })), client_id: first.clientId })).body.error_codes ?? 'accepted'
  expect(await codes()).toEqual([700_027])
  simulator.registerCertificate(first.clientId, certificate)
  expect(await codes()).toBe('accepted')
  clock.advance(11 * 365 * 86_400_000)
  expect(await codes()).toEqual([700_027])
  expect(() => simulator.registerCertificate(clientId.replace('54', '55'), certificate)).toThrow(
    'There is no application',
  )
})

test('the login host describes itself', async () => {
  const base = 'https://login.microsoftonline.com'
  const { body } = await send(simulator, 'GET', `${base}/${first.tenantId}/v2.0/.well-known/openid-configuration`)
  expect(body).toMatchObject({ issuer: `${base}/${first.tenantId}/v2.0`, jwks_uri: expect.any(String) })
  const { keys } = (await send(simulator, 'GET', body.jwks_uri)).body
  expect(keys[0]).toMatchObject({ kty: 'RSA', use: 'sig' })
  expect(keys[0]).not.toHaveProperty('d')
})

test('a request that names no host of the cloud is refused as the login host refuses', async () => {
  const answer = await fetch(`${simulator.endpoint}/keys`)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: 'invalid_request', error_codes: [90_019] })
})

test('a vault demands claims, and the client returns with them', async () => {
  const keys = clientsOf(simulator).keys('shop-premium')
  await keys.createEcKey('claimed')
  simulator.demandClaims('shop-premium', JSON.stringify({ access_token: { nbf: { essential: true, value: '17' } } }))
  expect((await keys.getKey('claimed')).name).toBe('claimed')
  expect(simulator.counts()).toMatchObject({ Token: 2 })
  simulator.demandClaims('shop-premium', undefined)
})

test.each(['', 'Basic eDp5', 'Bearer not-a-token'])('the authorization «%s» is challenged', async (authorization) => {
  const answer = await fetch(`${simulator.endpoint}/keys?api-version=7.4`, {
    headers: { 'x-forwarded-host': 'shop-premium.vault.azure.net', authorization },
  })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe(
    `Bearer authorization="https://login.microsoftonline.com/${first.tenantId}", resource="https://vault.azure.net"`,
  )
})

test('a token of another tenant is refused', async () => {
  const banker = simulator.credentials[3] as CloudBCredentials
  const { body } = await ask(
    formOf({ client_id: banker.clientId, client_secret: banker.clientSecret ?? '' }),
    'bank.example',
  )
  const url = 'https://shop-premium.vault.azure.net/keys?api-version=7.4'
  const reply = await send(simulator, 'GET', url, { bearer: String(body.access_token) })
  expect(reply.body.error.message).toContain('AKV10032')
})

test('rights come from roles: a visitor sees keys and creates none', async () => {
  await clientsOf(simulator).keys('shop-premium').createEcKey('seen')
  const visitor = clientsOf(simulator, simulator.credentials[2]).keys('shop-premium')
  expect((await visitor.getKey('seen')).name).toBe('seen')
  expect(await refusalOf(visitor.createEcKey('unseen'))).toBe('403 Forbidden:ForbiddenByRbac')
  expect(await refusalOf(clientsOf(simulator, simulator.credentials[2]).keys('shop-hsm').getKey('seen'))).toBe(
    '403 Forbidden:ForbiddenByRbac',
  )
})

test('a role can be assigned for one key', async () => {
  const before = simulator.assignments()
  const vault = simulator.vaultNamed('shop-premium')
  const scope = `/subscriptions/${vault?.subscription ?? ''}/resourceGroups/SHOP-KEYS/providers/Microsoft.KeyVault/vaults/shop-premium/keys/mine`
  const principal = simulator.applications()[2]?.objectId ?? ''
  simulator.setAssignments([...before, { principal, role: 'Key Vault Crypto Officer', scope }])
  const visitor = clientsOf(simulator, simulator.credentials[2]).keys('shop-premium')
  expect((await visitor.createEcKey('mine')).name).toBe('mine')
  expect(await refusalOf(visitor.createEcKey('theirs'))).toBe('403 Forbidden:ForbiddenByRbac')
  simulator.setAssignments(before)
})

test('rights come from access policies in a vault that has them', async () => {
  const objectId = simulator.applications()[2]?.objectId ?? ''
  simulator.alterVault('shop-premium', {
    roles: false,
    accessPolicies: [{ objectId, permissions: { keys: ['Create'] } }],
  })
  const visitor = clientsOf(simulator, simulator.credentials[2]).keys('shop-premium')
  expect((await visitor.createEcKey('by-policy')).name).toBe('by-policy')
  expect(await refusalOf(visitor.getKey('by-policy'))).toBe('403 Forbidden:ForbiddenByPolicy')
  simulator.alterVault('shop-premium', { roles: true, accessPolicies: [], closed: true })
  expect(await refusalOf(visitor.getKey('by-policy'))).toBe('403 Forbidden:ForbiddenByFirewall')
  simulator.alterVault('shop-premium', { closed: false })
})
