import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { RESOURCE, refused, useKacls, type CallOptions } from './kacls.ts'
import { replyJson, usePeer, type Peer } from './peer.ts'

const kacls = useKacls()
const peer = usePeer()

const KEY = randomBytes(32)
const ELSE = '//googleapis.com/drive/files/second'
const REWRAP = 'rewrap-configuration'

const rewrap = (endpoint: any, original_kacls_url: unknown, wrapped_key: string, options: CallOptions = {}) =>
  kacls().migration(endpoint, 'rewrap', 'migrator', { original_kacls_url, wrapped_key }, options)
const digest = async (endpoint: any, wrapped_key: string, options: CallOptions = {}) =>
  (await kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key }, options)).body.resource_key_hash as string

/** An endpoint whose address is that of the running deployment. */
async function reachable(): Promise<any> {
  const endpoint = await kacls().create()
  const { pathname } = new URL(endpoint.endpoint_url as string)
  const endpoint_url = kacls().vault.service.deployment.baseUrl + pathname
  return kacls().change(endpoint, { endpoint_url, allow_privileged_unwrap: true })
}

/** An endpoint that accepts migrations from these addresses. */
async function successor(...kacls_base_url: string[]): Promise<any> {
  const endpoint = await kacls().create()
  await kacls().put(endpoint.id as string, REWRAP, { kacls_base_url })
  kacls().letPass()
  return endpoint
}

let first: any
let second: any
beforeAll(async () => {
  first = await reachable()
  second = await reachable()
  for (const [one, other] of [
    [first, second],
    [second, first],
  ]) {
    await kacls().put(one.id as string, REWRAP, { kacls_base_url: [other.endpoint_url] })
    await kacls().put(one.id as string, 'privileged-unwrap-configuration', { kacls_base_url: [other.endpoint_url] })
  }
  kacls().letPass()
})

test('keys move from one endpoint to another and back, and unwrap to the same bytes there', async () => {
  const what = { perimeter_id: 'inside' }
  const old = await kacls().wrapped(first, KEY, { what })
  const moved = await rewrap(second, first.endpoint_url, old, { what })
  expect(moved.status, moved.text).toBe(200)
  expect(Object.keys(moved.body as object).sort()).toEqual(['resource_key_hash', 'wrapped_key'])
  const { wrapped_key, resource_key_hash } = moved.body
  expect(resource_key_hash).toBe(await digest(first, old))
  expect(resource_key_hash).toBe(await digest(second, wrapped_key))
  expect((await kacls().unwrap(second, wrapped_key)).body).toEqual({ key: KEY.toString('base64') })
  expect([400, 403]).toContain((await kacls().unwrap(first, wrapped_key)).status)
  const back = await rewrap(first, second.endpoint_url, wrapped_key, { what })
  expect((await kacls().unwrap(first, back.body.wrapped_key)).body).toEqual({ key: KEY.toString('base64') })
  const line = { endpoint: second.id, operation: 'rewrap', peer: first.endpoint_url, status: 200 }
  await kacls().lines(1, line)
})

test('the key is sealed with the perimeter of the token', async () => {
  const old = await kacls().wrapped(first, KEY)
  const { body } = await rewrap(second, first.endpoint_url, old, { what: { perimeter_id: 'inside' } })
  await kacls().setPerimeter(
    second,
    'package p\n\nallow if input.perimeter_id in {"inside", "takeout"}\n\nallow if input.operation == "wrap"\n',
  )
  expect((await kacls().unwrap(second, body.wrapped_key)).status).toBe(200)
  const outside = await rewrap(second, first.endpoint_url, old)
  expect((await kacls().unwrap(second, outside.body.wrapped_key)).status).toBe(403)
  const reserved = await rewrap(second, first.endpoint_url, old, { what: { perimeter_id: 'takeout' } })
  expect(reserved).toEqual(refused(400))
})

test('a refusal of a service gives 502: for another resource or blob, and for an endpoint that it does not list', async () => {
  const old = await kacls().wrapped(first, KEY)
  const failed = refused(502)
  expect(await rewrap(second, first.endpoint_url, old, { what: { resource_name: ELSE } })).toEqual(failed)
  expect(await rewrap(second, first.endpoint_url, await kacls().wrapped(second, KEY))).toEqual(failed)
  const stranger = await reachable()
  await kacls().put(stranger.id as string, REWRAP, { kacls_base_url: [first.endpoint_url] })
  kacls().letPass()
  expect(await rewrap(stranger, first.endpoint_url, old)).toEqual(failed)
})

test('the former service gets a token of ours, the blob, the name and the reason', async () => {
  const own = await successor(peer().url)
  peer().answer = (response) => replyJson(response, { key: KEY.toString('base64'), perimeter_id: 'ignored' })
  const blob = randomBytes(800).toString('base64')
  const { status, body } = await rewrap(own, peer().url, blob, { reason: '{"purpose": "move"}' })
  expect(status).toBe(200)
  expect((await kacls().unwrap(own, body.wrapped_key)).body).toEqual({ key: KEY.toString('base64') })
  const { path, body: asked } = peer().asked.at(-1) ?? { path: '', body: {} }
  expect(path).toBe('/kacls/privilegedunwrap')
  const { authentication, ...rest } = asked
  expect(rest).toEqual({ wrapped_key: blob, resource_name: RESOURCE, reason: '{"purpose": "move"}' })
  const certs = await kacls().get(own, 'certs')
  const currentDate = kacls().vault.service.deployment.clock.now()
  const { payload } = await jwtVerify(authentication as string, createLocalJWKSet(certs.body), {
    algorithms: ['RS256'],
    currentDate,
  })
  expect(payload).toMatchObject({
    iss: own.endpoint_url,
    aud: 'kacls-migration',
    kacls_url: peer().url,
    resource_name: RESOURCE,
  })
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(3_600)
})

const SECRET = 'words of the other service'

test('a failure or malformed answer of a service gives one 502 without its text', async () => {
  const own = await successor(peer().url)
  const answers: Record<string, Peer['answer']> = {
    'an error': (response) => replyJson(response, { code: 500, message: SECRET }, 500),
    'a refusal': (response) => replyJson(response, { code: 403, message: SECRET }, 403),
    'no JSON': (response) => response.end(SECRET),
    'no key': (response) => replyJson(response, { message: SECRET }),
    'a key that is no text': (response) => replyJson(response, { key: [SECRET] }),
    'a key that is no base64': (response) => replyJson(response, { key: SECRET }),
    'an empty key': (response) => replyJson(response, { key: '' }),
    'a key of 129 bytes': (response) => replyJson(response, { key: Buffer.alloc(129).toString('base64') }),
    'a good key with a bad status': (response) => replyJson(response, { key: 'AAAA' }, 201),
    'more than 64 KiB': (response) => replyJson(response, { key: 'AAAA', more: 'x'.repeat(70_000) }),
    'half an answer': (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"key"')
      response.destroy()
    },
    nothing: (response) => response.destroy(),
  }
  const texts = new Set<string>()
  for (const [what, answer] of Object.entries(answers)) {
    peer().answer = answer
    const answered = await rewrap(own, peer().url, 'AAAA')
    expect(answered, what).toEqual(refused(502))
    expect(answered.text, what).not.toContain(SECRET)
    texts.add(answered.body.message as string)
  }
  expect(texts.size).toBe(1)
})

test('redirects are not followed', async () => {
  const own = await successor(peer().url)
  for (const status of [301, 302, 303, 307, 308]) {
    peer().answer = (response, path) =>
      path === '/away'
        ? replyJson(response, { key: 'AAAA' })
        : response.writeHead(status, { location: `${peer().origin}/away` }).end()
    expect(await rewrap(own, peer().url, 'AAAA'), String(status)).toEqual(refused(502))
  }
  expect(peer().asked.filter(({ path }) => path === '/away')).toEqual([])
})

test('an address that is not listed is never called', async () => {
  const own = await successor(peer().url)
  const before = peer().connections()
  const { origin, url } = peer()
  const bad = [
    `${origin}/other`,
    origin,
    `${url}/more`,
    `${url}?a=b`,
    `${url}#a`,
    url.replace('127.0.0.1', 'localhost'),
    'http://user@127.0.0.1/kacls',
    'words',
  ]
  for (const address of bad) expect(await rewrap(own, address, 'AAAA'), address).toEqual(refused(403))
  for (const address of ['', 7, null]) expect(await rewrap(own, address, 'AAAA'), String(address)).toEqual(refused(400))
  const none = await kacls().create()
  expect(await rewrap(none, url, 'AAAA')).toEqual(refused(403))
  expect(peer().connections()).toBe(before)
})

test('plain http is not taken into the list, and no address of this network is called', async () => {
  const { admin } = kacls().vault
  const own = await kacls().create()
  for (const address of [
    'http://kacls.example.test/kacls',
    'ftp://127.0.0.1/kacls',
    `${peer().url}/`,
    'https://KACLS.example.test/k',
  ])
    expect(
      (
        await admin.call('PUT', `/v1/keymgr/WorkspaceCSE/endpoints/${own.id as string}/${REWRAP}`, {
          kacls_base_url: [address],
        })
      ).status,
      address,
    ).toBe(422)
  for (const address of [
    'https://10.0.0.1/kacls',
    'https://169.254.169.254/kacls',
    'https://[::ffff:127.0.0.1]/kacls',
  ]) {
    const inside = await successor(new URL(address).href)
    expect(await rewrap(inside, new URL(address).href, 'AAAA'), address).toEqual(refused(502))
  }
})

test('only the migration of the suite, as a migrator, moves keys', async () => {
  const old = await kacls().wrapped(first, KEY)
  const as = (role: string) => rewrap(second, first.endpoint_url, old, { what: { role } })
  expect(await as('verifier')).toEqual(refused(403))
  expect(await as('writer')).toEqual(refused(403))
  const body = { original_kacls_url: first.endpoint_url, wrapped_key: old }
  const drive = await kacls().call(second, 'rewrap', body, { what: { role: 'migrator' } }, ['authorization'])
  expect([401, 403]).toContain(drive.status)
})
