import { randomUUID } from 'node:crypto'
import { compactDecrypt, SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { issueCertificate, newSerial } from '../../../shared/crypto/x509/certificate.ts'
import { issuerKey, mint, mintWrongly, startIssuer } from '../../support/issuer.ts'
import {
  connectionBody,
  CONNECTIONS,
  CRM,
  endpointOf,
  ENDPOINTS,
  ISSUERS,
  localKey,
  ORGANIZATIONS,
  PAIR,
  refused,
  secretsOf,
  SHOP,
  SHOP_SANDBOX,
  useCrm,
} from '../crm/crm.ts'
import { basic, CrmKeysTests, newPair, opened, partsOf } from './crm-keys.ts'
import { inspected, tryInspect } from '../../support/inspect.ts'

const crm = useCrm()
const plane = () => new CrmKeysTests(crm())
const secrets = () => secretsOf(crm().admin, crm().organization.id as string)

let endpoint = ''
let credential = ''
let bytes = ''
const KIDS = ['10', '2018_data_key', 'a.b-c_d', randomUUID()]

/** Registers a cache-only key under a kid. */
const registered = async (kid: string, source: string): Promise<any> =>
  secrets().register({
    type: 'Data',
    certificate_id: crm().certificate.id,
    source_key_identifier: source,
    named_credential_id: credential,
    endpoint_id: endpoint,
    crm_param: { RemoteKeyIdentifier: kid },
  })

beforeAll(async () => {
  const made = await endpointOf(crm(), 'fetched')
  endpoint = made.endpoint.id as string
  credential = made.credential
  const source = await localKey(crm().admin, 'fetched-key')
  bytes = (await crm().admin.act(source.id as string, 'export')).material as string
  for (const kid of KIDS) await registered(kid, 'fetched-key')
}, 60_000)

const wrapping = () => crm().cloud.privateKeyOf(SHOP, 'keymgr_wrapping')

test('the answer has a kid and a JWE that two implementations open', async () => {
  const key = await wrapping()
  for (const kid of KIDS) {
    const { status, body, headers } = await plane().fetch(endpoint, kid)
    expect([status, Object.keys(body), body.kid]).toEqual([200, ['kid', 'jwe'], kid])
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    const [header, ...others] = partsOf(body.jwe as string)
    expect(JSON.parse(String(header))).toEqual({ alg: 'RSA-OAEP', enc: 'A256GCM', kid })
    expect(others.map(({ length }) => length)).toEqual([512, 12, 32, 16])
    expect(body.jwe).not.toContain('=')
    expect(opened(body.jwe as string, key).toString('hex')).toBe(bytes)
    const algorithms = { keyManagementAlgorithms: ['RSA-OAEP'], contentEncryptionAlgorithms: ['A256GCM'] }
    const { plaintext } = await compactDecrypt(body.jwe as string, key, algorithms)
    expect(Buffer.from(plaintext).toString('hex')).toBe(bytes)
  }
})

test('the nonce returns in the header, and every answer has a key and an iv of its own', async () => {
  const nonce = randomUUID().replaceAll('-', '')
  const answers = await Promise.all([1, 2].map(() => plane().fetch(endpoint, '10', `?requestId=${nonce}`)))
  const [one = [], other = []] = answers.map(({ body }) => partsOf(body.jwe as string))
  expect(JSON.parse(String(one[0]))).toEqual({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: '10', jti: nonce })
  for (const part of [1, 2]) expect(one[part]?.equals(other[part] ?? Buffer.alloc(0))).toBe(false)
  const jwe = answers[0]?.body.jwe as string
  const altered = jwe.startsWith('eyJhbGciOiJSU0Et') ? jwe.replace('eyJhbGciOiJSU0Et', 'eyJhbGciOiJSU0Eu') : jwe
  expect(altered).not.toBe(jwe)
  const key = await wrapping()
  expect(() => opened(altered, key)).toThrow()
})

test('the same address answers under /api, and with two slashes', async () => {
  const path = `/v1/keymgr/crm/endpoints/${endpoint}/keys`
  for (const target of [`/api${path}/10`, `${path}//10`, `/api${path}//10`])
    expect((await plane().get(target)).status).toBe(200)
})

test('credentials that are missing or wrong are answered with a challenge, as is an unknown endpoint', async () => {
  const wrong = basic({ ...PAIR, password: 'wrong' })
  const unknown = randomUUID()
  const answers = await Promise.all([
    plane().fetch(endpoint, '10', '', ''),
    plane().fetch(endpoint, '10', '', wrong),
    plane().fetch(endpoint, '10', '', basic({ ...PAIR, username: 'other' })),
    plane().fetch(endpoint, '10', '', 'Basic !'),
    plane().fetch(endpoint, '10', '', 'Bearer a.b.c'),
    plane().fetch(endpoint, 'unknown', '', wrong),
    plane().fetch(unknown, '10', '', wrong),
    plane().fetch(unknown, '10'),
  ])
  const shown = answers.map(({ status, headers, text }) => [status, headers['www-authenticate'], text])
  expect(new Set(shown.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(shown[0])]))
  expect(shown[0]?.slice(0, 2)).toEqual([401, 'Basic realm="crm"'])
  expect(answers.map(({ headers }) => headers['cache-control'])).toEqual(answers.map(() => 'no-store'))
})

test('a refused token costs the work of a wrong password, whether or not the endpoint exists', async () => {
  const wrong = basic({ ...PAIR, password: 'wrong' })
  const fastestMs = async (at: string, authorization: string): Promise<number> => {
    let fastest = Infinity
    for (let call = 0; call < 5; call++) {
      const from = performance.now()
      expect((await plane().fetch(at, '10', '', authorization)).status).toBe(401)
      fastest = Math.min(fastest, performance.now() - from)
    }
    return fastest
  }
  const least = (await fastestMs(endpoint, wrong)) / 4
  const token = mint(issuerKey('other'), { iss: 'https://other.test', sub: 'shop', exp: 4_102_444_800 })
  for (const at of [endpoint, randomUUID()])
    for (const bearer of ['Bearer a.b.c', `Bearer ${token}`]) expect(await fastestMs(at, bearer)).toBeGreaterThan(least)
})

test('the requested key is checked after the credentials', async () => {
  const long = 'x'.repeat(257)
  for (const query of [
    '?requestId="',
    '?requestId={}',
    `?requestId=${long}`,
    '?requestId=',
    '?requestId=a&requestId=b',
  ])
    expect((await plane().fetch(endpoint, '10', query)).status, query).toBe(400)
  expect((await plane().fetch(endpoint, 'a%20b')).status).toBe(400)
  const unknown = await plane().fetch(endpoint, 'unknown')
  expect([unknown.status, unknown.headers['cache-control']]).toEqual([404, 'no-store'])
  const path = `/v1/keymgr/crm/endpoints/${endpoint}/keys/10`
  const { status, headers } = await plane().get(path, basic(PAIR), 'POST')
  expect([status, headers.allow]).toEqual([405, 'GET'])
  expect((await plane().get('/v1/keymgr/crm/endpoints/nothing')).status).toBe(404)
})

test('a source key that is disabled is refused, and served again once it is active', async () => {
  const source = await localKey(crm().admin, 'disabled-key')
  await registered('disabled', 'disabled-key')
  await refused(crm().admin.call('DELETE', `/v1/vault/keys2/${source.id}`), 409, 9, [])
  await crm().admin.act(source.id as string, 'revoke', { reason: 'CessationOfOperation' })
  expect((await plane().fetch(endpoint, 'disabled')).status).toBe(403)
  await crm().admin.act(source.id as string, 'reactivate', { reason: 'DeactivatedToActive' })
  expect((await plane().fetch(endpoint, 'disabled')).status).toBe(200)
})

test('a key that was destroyed here is refused, and a key of another organization does not exist', async () => {
  const { admin, cloud } = crm()
  await localKey(admin, 'ended-key')
  const { id } = await registered('ended', 'ended-key')
  await secrets().act(id as string, 'destroy')
  const refusal = await plane().fetch(endpoint, 'ended')
  expect([refusal.status, refusal.headers['cache-control']]).toEqual([403, 'no-store'])
  await secrets().act(id as string, 'activate')
  expect((await plane().fetch(endpoint, 'ended')).status).toBe(200)

  const at = cloud.credentials.findIndex(({ organizationId }) => organizationId === SHOP_SANDBOX)
  cloud.changeSettings(SHOP_SANDBOX, { allowsPasswordFlow: true })
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'elsewhere', at))
  const other = await admin.ok('POST', `${CRM}/add-organizations`, { connection: 'elsewhere' })
  const body = { name: 'elsewhere', url_hostname: 'keys.example.test', password_authentication: PAIR }
  const made = await admin.ok('POST', ENDPOINTS, { ...body, organization_id: other.id })
  expect((await plane().fetch(made.id as string, 'ended')).status).toBe(404)
  await admin.ok('DELETE', `${ENDPOINTS}/${made.id as string}`)
  await admin.ok('DELETE', `${ORGANIZATIONS}/${other.id as string}`)
})

test('each of 100 fetches after a cold start is answered', async () => {
  await crm().service.deployment.kill('crm-keys')
  for (let fetch = 0; fetch < 100; fetch++) expect((await plane().fetch(endpoint, '10')).status).toBe(200)
})

test('issuers are identified by a key set, or by a document with its address', async () => {
  const { admin, organization } = crm()
  const key = issuerKey('first')
  const keys = await startIssuer(key)
  const document = await startIssuer()
  document.answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ issuer: keys.name, jwks_uri: keys.keySet }))
  }
  try {
    const now = Math.floor(crm().service.deployment.clock.now().getTime() / 1_000)
    const claims = { iss: keys.name, sub: 'shop', exp: now + 120, scope: 'keymgr_crm_cacheonly_key' }
    const wanted = { issuer: keys.name, jwks_uri: keys.keySet }
    for (const [name, known] of Object.entries({ set: wanted, document: { openid_config_url: document.keySet } })) {
      const issuer = await admin.ok('POST', ISSUERS, { name, ...known })
      expect(issuer).toMatchObject(wanted)
      const body = { name, url_hostname: 'keys.example.test', organization_id: organization.id, issuer_id: issuer.id }
      const made = await admin.ok('POST', ENDPOINTS, body)
      const statusOf = async (token: string, at = made.id as string): Promise<number> =>
        (await plane().fetch(at, '10', '', `Bearer ${token}`)).status
      expect(await statusOf(mint(key, claims))).toBe(200)
      expect(await statusOf(mint(issuerKey('first'), claims))).toBe(401)
      for (const alg of ['none', 'HS256'] as const) expect(await statusOf(mintWrongly(key, claims, alg))).toBe(401)
      expect(await statusOf(mint(key, claims), endpoint)).toBe(401) // of an endpoint with a password
    }
    document.answer = (response) => response.writeHead(500).end()
    const broken = { name: 'broken', openid_config_url: document.keySet }
    await refused(admin.call('POST', ISSUERS, broken), 422, 2, ['#/openid_config_url'])
  } finally {
    await keys.stop()
    await document.stop()
  }
})

test('an endpoint with OAuth 2 accepts tokens of its issuer that have the scope', async () => {
  const { admin, organization } = crm()
  const { privateKey } = newPair()
  const pem = await crm().cloud.pemOf(SHOP, 'keymgr_callouts')
  const signing = await crm().cloud.privateKeyOf(SHOP, 'keymgr_callouts')
  const issuer = await admin.ok('POST', ISSUERS, { name: 'callouts', issuer: 'https://shop.test', certificate: pem })
  expect(issuer).toMatchObject({ scope_required: true })
  const body = { name: 'oauth', url_hostname: 'keys.example.test', organization_id: organization.id }
  const both = { ...body, issuer_id: issuer.id, password_authentication: PAIR }
  await refused(admin.call('POST', ENDPOINTS, both), 422, 2, ['#/password_authentication'])
  await refused(admin.call('POST', ENDPOINTS, body), 422, 2, ['#/password_authentication'])
  const made = await admin.ok('POST', ENDPOINTS, { ...body, issuer_id: issuer.id })
  const now = Math.floor(crm().service.deployment.clock.now().getTime() / 1_000)
  const claims = { iss: 'https://shop.test', exp: now + 120, scope: 'other keymgr_crm_cacheonly_key' }
  const bearer = async (more: object = {}, key: any = signing, alg = 'RS256'): Promise<string> =>
    `Bearer ${await new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg, kid: 'keymgr_callouts' }).sign(key)}`
  const statusOf = async (authorization: string): Promise<number> =>
    (await plane().fetch(made.id as string, '10', '', authorization)).status
  expect(await statusOf(await bearer())).toBe(200)
  expect(await statusOf(await bearer({}, signing, 'PS256'))).toBe(200)
  expect(await statusOf(await bearer({ scope: 'other' }))).toBe(403)
  expect(await statusOf(await bearer({ iss: 'https://shop.test/' }))).toBe(401)
  expect(await statusOf(await bearer({ exp: now - 61 }))).toBe(401)
  expect(await statusOf(await bearer({ nbf: now + 120 }))).toBe(401)
  expect(await statusOf(await bearer({}, privateKey))).toBe(401)
  expect(await statusOf(await bearer({}, Buffer.alloc(32), 'HS256'))).toBe(401)
  expect(await statusOf(basic(PAIR))).toBe(401)
  await admin.ok('PATCH', `${ISSUERS}/${issuer.id}`, { scope_required: false, audience: 'keys' })
  expect(await statusOf(await bearer({ scope: undefined }))).toBe(401)
  expect(await statusOf(await bearer({ scope: undefined, aud: ['keys'] }))).toBe(200)
  await refused(admin.call('DELETE', `${ISSUERS}/${issuer.id}`), 409, 9, [])
  const field = '#/password_authentication'
  await refused(admin.call('PATCH', `${ENDPOINTS}/${made.id}`, { password_authentication: PAIR }), 422, 2, [field])
})

/** A self-signed certificate of a pair, which ends so many seconds from now. */
const certified = ({ publicKey, privateKey }: ReturnType<typeof newPair>, seconds: number): Promise<string> => {
  const ends = (shift: number) => new Date(crm().service.deployment.clock.now().getTime() + shift * 1_000)
  const common = { purpose: 'client', serial: newSerial(), subject: { cn: 'callouts' } } as const
  const dates = { notBefore: ends(-3_600), notAfter: ends(seconds) }
  return issueCertificate({ ...common, ...dates, issuer: { key: privateKey }, publicKey })
}

test('the certificate of an issuer is one unexpired certificate: no key, public or private, is accepted', async () => {
  const { admin, records } = crm()
  const pair = newPair()
  const secret = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const good = await certified(pair, 3_600)
  const body = { name: 'certified', issuer: 'https://certified.test' }
  const wrong = [
    secret,
    pair.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    await certified(pair, -60),
    `${good}${secret}`,
  ]
  for (const certificate of wrong)
    await refused(admin.call('POST', ISSUERS, { ...body, certificate }), 422, 2, ['#/certificate'])
  const { id } = await admin.ok('POST', ISSUERS, { ...body, certificate: good })
  for (const certificate of wrong)
    await refused(admin.call('PATCH', `${ISSUERS}/${id}`, { certificate }), 422, 2, ['#/certificate'])
  expect(await admin.ok('GET', `${ISSUERS}/${id}`)).toMatchObject({ certificate: good })
  const refusals = JSON.stringify(await records('message=*Crm%20Issuer&success=false'))
  expect(refusals).toContain('Crm Issuer')
  expect(refusals).not.toContain('-----BEGIN')
})

test('an issuer with an expired certificate no longer gives access to its endpoint', async () => {
  const { admin, organization, advance } = crm()
  const pair = newPair()
  const iss = 'https://short.test'
  const issuer = await admin.ok('POST', ISSUERS, {
    name: 'short',
    issuer: iss,
    certificate: await certified(pair, 120),
  })
  const body = { name: 'short', url_hostname: 'keys.example.test', organization_id: organization.id }
  const { id } = await admin.ok('POST', ENDPOINTS, { ...body, issuer_id: issuer.id })
  const exp = Math.floor(crm().service.deployment.clock.now().getTime() / 1_000) + 3_600
  const claims = { iss, exp, scope: 'keymgr_crm_cacheonly_key' }
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(pair.privateKey)
  const statusNow = async () => (await plane().fetch(id as string, '10', '', `Bearer ${token}`)).status
  expect(await statusNow()).toBe(200)
  advance(121_000)
  expect(await statusNow()).toBe(401)
})

test('the longest name and password of an endpoint are valid', async () => {
  const longest = { username: '€'.repeat(255), password: '€'.repeat(1_024) }
  const { endpoint: made } = await endpointOf(crm(), 'longest', { password_authentication: longest })
  expect((await plane().fetch(made.id as string, '10', '', basic(longest))).status).toBe(200)
  const longer = basic({ ...longest, password: `${longest.password}x` })
  expect((await plane().fetch(made.id as string, '10', '', longer)).status).toBe(401)
})

test('an endpoint shows its address and user name, and changes take effect at once', async () => {
  const { admin } = crm()
  const made = await endpointOf(crm(), 'changed')
  const { id } = made.endpoint
  expect(made.endpoint).toMatchObject({
    url: `https://keys.example.test/v1/keymgr/crm/endpoints/${id}/keys/`,
    password_authentication: { username: PAIR.username },
    organization_name: 'Shop',
  })
  expect(JSON.stringify(made.endpoint)).not.toContain('password"')
  const found = await admin.ok('GET', `${ENDPOINTS}?crm_organization_id=${SHOP}&name=chang*`)
  expect(found.resources.map((one: any) => one.id)).toEqual([id])
  const moved = await admin.ok('PATCH', `${ENDPOINTS}/${id}`, { url_hostname: 'other.example.test:8443' })
  expect(moved.url).toBe(`https://other.example.test:8443/v1/keymgr/crm/endpoints/${id}/keys/`)
  expect((await plane().fetch(id as string, '10')).status).toBe(200)
  const next = { username: 'next', password: 'another password' }
  await admin.ok('PATCH', `${ENDPOINTS}/${id}`, { password_authentication: next })
  expect((await plane().fetch(id as string, '10')).status).toBe(401)
  expect((await plane().fetch(id as string, '10', '', basic(next))).status).toBe(200)
  expect(await admin.ok('DELETE', `${ENDPOINTS}/${id}`)).toEqual({ status: 204 })
  expect((await plane().fetch(id as string, '10', '', basic(next))).status).toBe(401)
  const [first] = await plane().lines({ atLeast: 1 }, { endpoint: id, outcome: 'success' })
  expect(first).toMatchObject({ key: '10', caller: PAIR.username })
})

test('an inspection of a fetched key answers about the named endpoint, by the kid in its header', async () => {
  const { body } = await plane().fetch(endpoint, '10')
  const answer = await inspected(crm().admin, { ciphertext: body.jwe, endpoint })
  expect(answer).toMatchObject({
    kind: 'fetched cache-only key',
    proof: 'header',
    endpoint: { kind: 'key endpoint', id: endpoint },
    key: { name: '10' },
    local_key: { name: 'fetched-key', version: 0 },
    can_be_opened: true,
  })
  expect((await tryInspect(crm().admin, { ciphertext: body.jwe })).status).toBe(404)
})
