import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { HOST, refused, useKacls, type CallOptions, type KaclsAnswer } from './kacls.ts'

const kacls = useKacls()
/** No server listens there: a call that is allowed fails at the connection. */
const NOWHERE = 'http://127.0.0.1:9/kacls'

let endpoint: any
let wrapped_key: string
beforeAll(async () => {
  endpoint = await kacls().create()
  await kacls().put(endpoint.id, 'rewrap-configuration', { kacls_base_url: [NOWHERE] })
  wrapped_key = await kacls().wrapped(endpoint)
})

const both = (call: string, members: object) => (role: string) =>
  kacls().call(endpoint, call, members, { issuer: 'gmail', what: { role } })
const noBlob = randomBytes(100).toString('base64')

/** A call with a role, and its status once it is allowed. */
const CALLS: Readonly<Record<string, readonly [through: number, (role: string) => Promise<KaclsAnswer>]>> = {
  wrap: [200, (role) => both('wrap', { key: 'AAAA' })(role)],
  unwrap: [200, (role) => both('unwrap', { wrapped_key })(role)],
  privatekeysign: [
    400,
    both('privatekeysign', {
      algorithm: 'SHA256withRSA',
      digest: Buffer.alloc(32).toString('base64'),
      wrapped_private_key: noBlob,
    }),
  ],
  privatekeydecrypt: [
    400,
    both('privatekeydecrypt', {
      algorithm: 'RSA/ECB/PKCS1Padding',
      encrypted_data_encryption_key: Buffer.alloc(256).toString('base64'),
      wrapped_private_key: noBlob,
    }),
  ],
  digest: [200, (role) => kacls().migration(endpoint, 'digest', role, { wrapped_key })],
  rewrap: [502, (role) => kacls().migration(endpoint, 'rewrap', role, { wrapped_key, original_kacls_url: NOWHERE })],
}

const OPENED_BY: Readonly<Record<string, readonly string[]>> = {
  reader: ['unwrap'],
  writer: ['wrap', 'unwrap'],
  upgrader: ['wrap'],
  signer: ['privatekeysign'],
  decrypter: ['privatekeydecrypt'],
  verifier: ['digest'],
  migrator: ['rewrap'],
}

const CELLS = Object.entries(OPENED_BY).flatMap(([role, opened]) =>
  Object.entries(CALLS).map(([name, [through, call]]) => ({
    role,
    name,
    call,
    status: opened.includes(name) ? through : 403,
  })),
)

test.each(CELLS)('$name by a $role ends with $status', async ({ role, call, status }) => {
  const answered = await call(role)
  if (status === 200) expect(answered.status).toBe(200)
  else expect(answered).toEqual(refused(status))
})

test.each(['owner', 'Writer', 'writer ', 'reader,writer', 'constructor'])('the role %j opens no call', async (role) => {
  for (const [name, [, call]] of Object.entries(CALLS)) expect(await call(role), name).toEqual(refused(403))
})

test('a refusal by role is on record with its rule', async () => {
  await kacls().wrap(endpoint, undefined, { what: { role: 'onlooker' } })
  expect(await kacls().lines(1, { role: 'onlooker' })).toMatchObject([{ rule: 'role', outcome: 'FORBIDDEN' }])
})

/** Spellings of the endpoint's address in tokens. */
const SPELLED: readonly (readonly [string, (url: string) => string])[] = [
  ['as it is', (url) => url],
  ['with a slash at its end', (url) => `${url}/`],
  ['with port 443', (url) => url.replace(HOST, `${HOST}:443`)],
  ['with port 443 and a slash at its end', (url) => `${url.replace(HOST, `${HOST}:443`)}/`],
  ['with its host in upper case', (url) => url.replace(HOST, HOST.toUpperCase())],
  ['with its scheme in upper case', (url) => url.replace('https', 'HTTPS')],
]

const NOT_ITS_OWN: readonly (readonly [string, (url: string) => string])[] = [
  ['on another host', (url) => url.replace(HOST, 'else.example.test')],
  ['on a host that ends as its own', (url) => url.replace(HOST, `x${HOST}`)],
  ['on another port', (url) => url.replace(HOST, `${HOST}:8443`)],
  ['over http', (url) => url.replace('https', 'http')],
  ['with its path in upper case', (url) => url.replace('endpoints', 'Endpoints')],
  ['with two slashes at its end', (url) => `${url}//`],
  ['with a call', (url) => `${url}/wrap`],
  ['with a query', (url) => `${url}?a`],
  ['with a fragment', (url) => `${url}#a`],
  ['with a user', (url) => url.replace('https://', 'https://user@')],
  ['with dots in its path', (url) => url.replace('/endpoints/', '/endpoints/../endpoints/')],
  ['with an escaped letter', (url) => url.replace('endpoints', 'e%6edpoints')],
  ['that is no address', () => 'endpoint'],
]

const named = (kacls_url: string): CallOptions => ({ what: { kacls_url } })

test.each(SPELLED)('an authorization that names the endpoint %s is taken', async (_what, spell) => {
  expect((await kacls().wrap(endpoint, undefined, named(spell(endpoint.endpoint_url)))).status).toBe(200)
})

test.each(NOT_ITS_OWN)('an authorization that names an endpoint %s is refused', async (_what, spell) => {
  expect(await kacls().wrap(endpoint, undefined, named(spell(endpoint.endpoint_url)))).toEqual(refused(403))
})

test('an authorization of another endpoint on the same host is refused', async () => {
  const other = await kacls().create()
  expect(await kacls().wrap(endpoint, undefined, named(other.endpoint_url))).toEqual(refused(403))
  const authorization = await kacls().authorization(other)
  expect((await kacls().wrap(other, undefined, { authorization })).status).toBe(200)
  expect(await kacls().wrap(endpoint, undefined, { authorization })).toEqual(refused(403))
})

test('an endpoint with its own address and audiences accepts only these', async () => {
  const endpoint_url = 'https://keys.shop.example.test/kacls'
  const own = await kacls().create({ endpoint_url, authorizationAud: ['keys', 'more'] })
  expect(own.endpoint_url).toBe(endpoint_url)
  const path = { ...own, endpoint_url: `https://${HOST}/api/v1/keymgr/WorkspaceCSE/endpoints/${own.id as string}` }
  const wrap = (aud: unknown, kacls_url: string) => kacls().wrap(path, undefined, { what: { aud, kacls_url } })
  expect((await wrap('keys', endpoint_url)).status).toBe(200)
  expect((await wrap(['else', 'more'], `${endpoint_url}/`)).status).toBe(200)
  expect(await wrap('cse-authorization', endpoint_url)).toEqual(refused(401))
  expect(await wrap('keys', path.endpoint_url as string)).toEqual(refused(403))
})

test('the domain of the owner is compared where an endpoint names it', async () => {
  const own = await kacls().create({ meta: { owner_domain: 'Shop.example.test' } })
  const wrap = (kacls_owner_domain: unknown) => kacls().wrap(own, undefined, { what: { kacls_owner_domain } })
  for (const domain of ['shop.example.test', 'SHOP.EXAMPLE.TEST']) expect((await wrap(domain)).status).toBe(200)
  for (const domain of [undefined, '', 'else.example.test', 'shop.example.test.', '\u017fhop.example.test'])
    expect(await wrap(domain), String(domain)).toEqual(refused(403))
})
