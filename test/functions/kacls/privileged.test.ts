import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { issuerKey, mintWrongly } from '../../support/issuer.ts'
import hashes from '../../vectors/resource-key-hash.json' with { type: 'json' }
import { ADA, BOB, RESOURCE, refused, useKacls, type CallOptions } from './kacls.ts'
import { replyJson, usePeer, type Peer } from './peer.ts'

const kacls = useKacls()
const peer = usePeer()

const KEY = randomBytes(32)
const ELSE = '//googleapis.com/drive/files/second'
const OPENERS = 'privileged-unwrap-configuration'

/** An endpoint whose keys administrators may decrypt. */
async function privileged(openers?: object): Promise<any> {
  const endpoint = await kacls().create()
  await kacls().change(endpoint, { allow_privileged_unwrap: true })
  if (openers !== undefined) await kacls().put(endpoint.id as string, OPENERS, openers)
  kacls().letPass()
  return endpoint
}
const imported = (endpoint: any, more: object = {}, options: CallOptions = {}) =>
  kacls().privileged(endpoint, 'privilegedwrap', { key: KEY.toString('base64'), ...more }, options)
const exported = (endpoint: any, wrapped_key: string, options: CallOptions = {}, more: object = {}) =>
  kacls().privileged(endpoint, 'privilegedunwrap', { wrapped_key, ...more }, options)
const seconds = () => Math.floor(kacls().vault.service.deployment.clock.now().getTime() / 1_000)

let endpoint: any
let blob: string
beforeAll(async () => {
  endpoint = await privileged({ kacls_base_url: [peer().url] })
  blob = await kacls().wrapped(endpoint, KEY)
})

test('an imported key is unwrapped by its owner, and a wrapped key is exported, under every name of the call', async () => {
  const { status, body } = await imported(endpoint, {}, { email: BOB })
  expect(status).toBe(200)
  const opened = await kacls().unwrap(endpoint, body.wrapped_key)
  expect(opened.body).toEqual({ key: KEY.toString('base64') })
  for (const call of ['privilegedunwrap', 'privileged_unwrap', 'takeout_unwrap']) {
    const answered = await kacls().privileged(endpoint, call, { wrapped_key: blob }, { email: BOB })
    expect({ status: answered.status, body: answered.body }, call).toEqual({
      status: 200,
      body: { key: KEY.toString('base64') },
    })
  }
})

test('a key is exported and unwrapped only for its own resource', async () => {
  expect(await exported(endpoint, blob, {}, { resource_name: ELSE })).toEqual(refused(403))
  const { body } = await imported(endpoint, { resource_name: ELSE })
  expect(await kacls().unwrap(endpoint, body.wrapped_key)).toEqual(refused(403))
  expect(await exported(endpoint, body.wrapped_key)).toEqual(refused(403))
})

test('a resource name of 512 bytes is taken, and a longer, empty or absent one is not', async () => {
  expect((await imported(endpoint, { resource_name: 'r'.repeat(512) })).status).toBe(200)
  for (const resource_name of ['r'.repeat(513), '', null, 7])
    expect(await imported(endpoint, { resource_name }), String(resource_name)).toEqual(refused(400))
  expect((await imported(endpoint, { perimeter_id: 'p'.repeat(128) })).status).toBe(200)
  expect(await imported(endpoint, { perimeter_id: 'p'.repeat(129) })).toEqual(refused(400))
})

test('no key is exported unless the endpoint allows it; imports need no permission', async () => {
  const own = await kacls().create()
  const wrapped = await kacls().wrapped(own, KEY)
  expect(await exported(own, wrapped)).toEqual(refused(403))
  expect((await imported(own)).status).toBe(200)
  await kacls().change(own, { allow_privileged_unwrap: true })
  await kacls().put(own.id as string, OPENERS, { kacls_base_url: [peer().url] })
  kacls().letPass()
  expect((await exported(own, wrapped)).status).toBe(200)
  await kacls().change(own, { allow_privileged_unwrap: false })
  kacls().letPass()
  expect(await exported(own, wrapped)).toEqual(refused(403))
  const authentication = peer().token(seconds(), { kacls_url: own.endpoint_url, resource_name: RESOURCE })
  expect(await exported(own, wrapped, { authentication })).toEqual(refused(403))
})

test('a list of users excludes all others, whatever the perimeter allows, in any case of letters', async () => {
  const own = await privileged({ users: ['ADA@shop.example.test', 'carol@SHOP.example.test'] })
  await kacls().setPerimeter(own, 'package p\n\nallow := true\n')
  const wrapped = await kacls().wrapped(own, KEY)
  const statusOf = async (options: CallOptions) => (await exported(own, wrapped, options)).status
  expect(await statusOf({})).toBe(200)
  expect(await statusOf({ who: { email: 'Ada@SHOP.example.test' } })).toBe(200)
  expect(await statusOf({ email: BOB })).toBe(403)
  expect(await statusOf({ email: 'carol@staff.example.test' })).toBe(200) // by the Workspace address
  expect(await statusOf({ who: { google_email: BOB } })).toBe(403)
  const none = await privileged({ users: [] })
  expect(await exported(none, await kacls().wrapped(none, KEY))).toEqual(refused(403))
  await kacls().lines(2, { endpoint: own.id, rule: OPENERS })
})

const token = (claims: object = {}, key = peer().key) =>
  peer().token(seconds(), { kacls_url: endpoint.endpoint_url, resource_name: RESOURCE, ...claims }, key)

test('a listed service opens the keys that its token is for', async () => {
  const opened = await exported(endpoint, blob, { authentication: token() })
  expect({ status: opened.status, body: opened.body }).toEqual({ status: 200, body: { key: KEY.toString('base64') } })
  const spelled = token({ kacls_url: `${endpoint.endpoint_url as string}/`, aud: ['else', 'kacls-migration'] })
  expect((await exported(endpoint, blob, { authentication: spelled })).status).toBe(200)
  await kacls().lines({ atLeast: 2 }, { endpoint: endpoint.id, peer: peer().url })
})

test('a service gets only the resource of its token', async () => {
  expect(await exported(endpoint, blob, { authentication: token({ resource_name: ELSE }) })).toEqual(refused(403))
  const both = await exported(
    endpoint,
    blob,
    { authentication: token({ resource_name: ELSE }) },
    { resource_name: ELSE },
  )
  expect(both).toEqual(refused(403))
  expect(await exported(endpoint, blob, { authentication: token({ resource_name: undefined }) })).toEqual(refused(403))
})

test.each([
  ['for another service', { kacls_url: 'https://else.example.test' }],
  ['for no service', { kacls_url: undefined }],
  ['that is over', { iat: 1, exp: 301 }],
  ['that lives for more than an hour', { exp: 9_999_999_999 }],
  ['without an end', { exp: undefined }],
  ['without a beginning', { iat: undefined }],
])('a token of a service %s is not valid', async (_what, claims) => {
  expect(await exported(endpoint, blob, { authentication: token(claims) })).toEqual(refused(401))
})

test('a token of a service with another key’s signature, or none, is invalid', async () => {
  const claims = { iss: peer().url, aud: 'kacls-migration', kacls_url: endpoint.endpoint_url, resource_name: RESOURCE }
  const timed = { ...claims, iat: seconds(), exp: seconds() + 300 }
  const wrong = [
    token({}, issuerKey('peer')),
    token({}, issuerKey('else')),
    ...(['RS512', 'HS256', 'none'] as const).map((alg) => mintWrongly(peer().key, timed, alg)),
  ]
  for (const authentication of wrong) expect(await exported(endpoint, blob, { authentication })).toEqual(refused(401))
})

test('a token of a service is valid only for exports', async () => {
  const authentication = token()
  expect(await imported(endpoint, {}, { authentication })).toEqual(refused(401))
  expect(await kacls().wrap(endpoint, KEY, { authentication })).toEqual(refused(401))
  expect(await kacls().unwrap(endpoint, blob, { authentication })).toEqual(refused(401))
  const audience = await exported(endpoint, blob, { authentication: token({ aud: 'workspace-client' }) })
  expect(audience).toEqual(refused(401))
})

test('a service that is not listed is never called', async () => {
  const own = await privileged({ kacls_base_url: [`${peer().origin}/other`] })
  const wrapped = await kacls().wrapped(own, KEY)
  const before = peer().connections()
  for (const iss of [
    peer().url,
    `${peer().origin}/Other`,
    `${peer().origin}/other/certs`,
    `${peer().origin}/other?a`,
    7,
  ]) {
    const claims = { iss, kacls_url: own.endpoint_url, resource_name: RESOURCE }
    const authentication = peer().token(seconds(), claims)
    expect([401, 403], String(iss)).toContain((await exported(own, wrapped, { authentication })).status)
  }
  expect(peer().connections()).toBe(before)
})

test('a listed service whose keys cannot be read is answered 503, and a redirect of them is not followed', async () => {
  const answers: Record<string, Peer['answer']> = {
    away: (response) => response.destroy(),
    failing: (response) => response.writeHead(500).end(),
    redirecting: (response) => response.writeHead(302, { location: `${peer().url}/certs` }).end(),
    private: (response) => replyJson(response, { keys: [{ kty: 'oct', k: 'AAAA', kid: 'peer' }] }),
  }
  const urls = Object.keys(answers).map((name) => `${peer().origin}/${name}`)
  const own = await privileged({ kacls_base_url: urls })
  const wrapped = await kacls().wrapped(own, KEY)
  peer().answer = (response, path) => answers[path.split('/')[1] ?? '']?.(response, path)
  const asked = peer().asked.length
  for (const iss of urls) {
    const authentication = peer().token(seconds(), { iss, kacls_url: own.endpoint_url, resource_name: RESOURCE })
    expect(await exported(own, wrapped, { authentication }), iss).toEqual(refused(503))
  }
  expect(
    peer()
      .asked.slice(asked)
      .map(({ path }) => path),
  ).not.toContain('/kacls/certs')
})

test('a perimeter decides on exports to services, which have no user', async () => {
  const own = await privileged({ kacls_base_url: [peer().url] })
  const wrapped = await kacls().wrapped(own, KEY)
  const statusOf = async (rego: string) => {
    await kacls().setPerimeter(own, `package p\n\n${rego}\n`)
    const authentication = peer().token(seconds(), { kacls_url: own.endpoint_url, resource_name: RESOURCE })
    return (await exported(own, wrapped, { authentication })).status
  }
  expect(await statusOf('allow if input.operation == "takeout_unwrap"')).toBe(200)
  expect(await statusOf('allow if {\n\tnot input.authentication\n\tinput.perimeter_id == "takeout"\n}')).toBe(200)
  expect(await statusOf('allow if input.operation != "takeout_unwrap"')).toBe(403)
})

test.each(hashes.tests)('the published hash of $resourceName', async ({ dek, resourceName, perimeterId, hash }) => {
  const key = Buffer.from(dek, 'hex').toString('base64')
  const { body } = await imported(endpoint, { key, resource_name: resourceName, perimeter_id: perimeterId })
  const { wrapped_key } = body
  const digest = (resource_name: string) =>
    kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key }, { what: { resource_name } })
  expect((await digest(resourceName)).body).toEqual({ resource_key_hash: hash })
  expect(await digest(ELSE)).toEqual(refused(403))
  const asMigrator = { what: { resource_name: resourceName, role: 'migrator' } }
  expect(await kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key }, asMigrator)).toEqual(refused(403))
})

test('no user digests, and the user in a token of the suite cannot export with it', async () => {
  const what = { role: 'verifier', email: ADA }
  const digest = await kacls().call(endpoint, 'digest', { wrapped_key: blob }, { issuer: 'drive', what }, [
    'authorization',
  ])
  expect([401, 403]).toContain(digest.status)
  const authentication = await kacls().authorization(endpoint)
  expect(await exported(endpoint, blob, { authentication })).toEqual(refused(401))
})
