import { beforeAll, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { commonFieldsOf } from '../../support/common-fields.ts'
import { issuerKey, jwkOf } from '../../support/issuer.ts'
import { expectRefused } from '../vault/vault.ts'
import { ISSUERS, KEY, someName, useWorkspace, workspaceOf } from './workspace-cse.ts'

const { vault, provider } = useWorkspace()
const admin = () => vault().admin
let cse: ReturnType<typeof workspaceOf>
beforeAll(() => {
  cse = workspaceOf(admin(), provider())
})
const at = ({ id }: any): string => `${ISSUERS}/${id as string}`
const DOCUMENT = '/.well-known/openid-configuration'

describe('a new issuer', () => {
  test('is named by its key set', async () => {
    const iss = 'https://accounts.example.test'
    const issuer = await cse.issuer({ name: 'first', iss, meta: { team: 'shop' } })
    expect(issuer).toEqual({
      ...commonFieldsOf(issuer, 'keymgr:kacls-issuer', vault().service.domain.id),
      name: 'first',
      iss,
      jwksURL: provider().keySet,
      meta: { team: 'shop' },
    })
    expect(await admin().ok('GET', at(issuer))).toEqual(issuer)
    const { total, resources } = await admin().ok('GET', `${ISSUERS}?iss=${iss}&name=fir*`)
    expect([total, resources]).toEqual([1, [issuer]])
  })

  test.each([
    ['behind its address', '/tenant', `/tenant${DOCUMENT}`],
    ['with a slash at its end', '/slash/', `/slash${DOCUMENT}`],
    ['between its host and its path', '/within', `${DOCUMENT}/within`],
    ['of an authorization server', '/oauth', '/.well-known/oauth-authorization-server/oauth'],
  ])('is named by a document %s', async (_what, path, document) => {
    const { origin, keySet, describe: publish } = provider()
    const iss = origin + path
    const openidConfigurationURL = publish(document, { issuer: iss, jwks_uri: keySet })
    const named = { iss: undefined, jwksURL: undefined, openidConfigurationURL }
    expect(await cse.issuer(named)).toMatchObject({ iss, jwksURL: keySet, openidConfigurationURL })
    expectRefused(await cse.tryIssuer(named), 409, 7, '#/openidConfigurationURL')
  })

  test('needs a free name and a free iss', async () => {
    const { name, iss } = await cse.issuer()
    expectRefused(await cse.tryIssuer({ name }), 409, 7, '#/name')
    expectRefused(await cse.tryIssuer({ iss }), 409, 7, '#/iss')
    expectRefused(await cse.tryIssuer({ iss, dryRun: true }), 409, 7, '#/iss')
  })

  test.each<[string, object, string, number, number]>([
    ['no name', { name: undefined }, '#/name', 422, 2],
    ['no way to find it', { iss: undefined, jwksURL: undefined }, '#/iss', 422, 2],
    ['a key set alone', { iss: undefined }, '#/jwksURL', 422, 2],
    ['an iss alone', { jwksURL: undefined }, '#/iss', 422, 2],
    ['both ways', { openidConfigurationURL: 'https://a.test/' }, '#/openidConfigurationURL', 422, 2],
    ['an iss with a space', { iss: 'https://a.test ' }, '#/iss', 422, 2],
    ['http', { jwksURL: 'http://a.test/certs' }, '#/jwksURL', 422, 2],
    ['a text that is no address', { jwksURL: 'certs' }, '#/jwksURL', 422, 2],
    ['an address with a user', { jwksURL: 'https://me@a.test/' }, '#/jwksURL', 422, 2],
    ['an address with a fragment', { jwksURL: 'https://a.test/#x' }, '#/jwksURL', 422, 2],
    ['a private address', { jwksURL: 'https://10.0.0.1/certs' }, '#/jwksURL', 422, 2],
    ['a metadata service', { jwksURL: 'https://169.254.169.254/latest' }, '#/jwksURL', 422, 2],
    ['a long address', { jwksURL: `https://a.test/${'a'.repeat(1_024)}` }, '#/jwksURL', 422, 2],
    ['a field nobody knows', { colour: 'red' }, '#/colour', 400, 1],
  ])('with %s is refused, naming it', async (_what, body, pointer, status, code) => {
    const { length } = provider().asked
    expectRefused(await cse.tryIssuer(body), status, code, pointer)
    expect(provider().asked).toHaveLength(length)
  })
})

describe('the answer of a provider', () => {
  const small = issuerKey('small', 1_024)
  test.each<[string, unknown, string]>([
    ['no JSON', 'hello', 'JSON object'],
    ['a list', '[]', 'JSON object'],
    ['no keys', {}, 'key set'],
    ['an empty set', { keys: [] }, 'with a key'],
    ['a key for encryption', { keys: [{ ...jwkOf(KEY), use: 'enc' }] }, 'with a key'],
    ['a short key', { keys: [jwkOf(small)] }, 'with a key'],
    ['a shared secret', { keys: [{ kty: 'oct', k: 'AAAA', kid: 'x', alg: 'HS256' }] }, 'with a key'],
    ['too much', { keys: [jwkOf(KEY)], more: 'a'.repeat(65_536) }, 'that answers'],
  ])('is refused when it is %s', async (what, body, says) => {
    const path = `/sets/${what.replaceAll(' ', '-')}`
    provider().answerJson(path, body)
    const refused = await cse.tryIssuer({ jwksURL: provider().origin + path })
    expectRefused(refused, 422, 2, '#/jwksURL')
    expect(refused.body.detail).toContain(says)
  })

  test('is taken when its one key has no kid', async () => {
    provider().answerJson('/sets/without-kid', { keys: [{ ...jwkOf(KEY), kid: undefined }] })
    const { status, body } = await cse.tryIssuer({ jwksURL: `${provider().origin}/sets/without-kid` })
    expect(status, JSON.stringify(body)).toBe(201)
  })

  test('is refused if it is an error, a redirect, or missing', async () => {
    const { origin, keySet, answer, asked } = provider()
    expectRefused(await cse.tryIssuer({ jwksURL: `${origin}/missing` }), 422, 2, '#/jwksURL')
    answer('/moved', (response) => response.writeHead(302, { location: keySet, 'content-length': 0 }).end())
    const { length } = asked
    expectRefused(await cse.tryIssuer({ jwksURL: `${origin}/moved` }), 422, 2, '#/jwksURL')
    expect(asked.slice(length)).toEqual(['/moved'])
    answer('/cut', (response) => response.destroy())
    expectRefused(await cse.tryIssuer({ jwksURL: `${origin}/cut` }), 422, 2, '#/jwksURL')
  })

  test.each<[string, string, (origin: string) => object]>([
    ['of another issuer', '/a', (origin) => ({ issuer: `${origin}/b`, jwks_uri: `${origin}/certs` })],
    ['of another host', '/c', (origin) => ({ issuer: 'https://evil.test/c', jwks_uri: `${origin}/certs` })],
    ['without an issuer', '/d', (origin) => ({ jwks_uri: `${origin}/certs` })],
    ['without a key set', '/e', (origin) => ({ issuer: `${origin}/e` })],
    ['with a private key set', '/f', (origin) => ({ issuer: `${origin}/f`, jwks_uri: 'https://10.0.0.1/certs' })],
    ['with a key set that is none', '/g', (origin) => ({ issuer: `${origin}/g`, jwks_uri: `${origin}/none` })],
  ])('is refused when it is a document %s', async (_what, path, document) => {
    const { origin, describe: publish } = provider()
    const openidConfigurationURL = publish(path + DOCUMENT, document(origin))
    const named = { iss: undefined, jwksURL: undefined, openidConfigurationURL }
    expectRefused(await cse.tryIssuer(named), 422, 2, '#/openidConfigurationURL')
  })
})

test('a dry run shows the provider, stores nothing and leaves no record', async () => {
  const { answerJson, origin } = provider()
  const keys = [jwkOf(KEY), { kty: 'oct', kid: 'secret', k: 'c2VjcmV0IQ' }, { kty: 'RSA', alg: 'RS256' }, 'x']
  answerJson('/some', { keys })
  const name = someName('dry')
  const iss = `https://${name}.test`
  const { status, body } = await cse.tryIssuer({ name, iss, jwksURL: `${origin}/some`, dryRun: true })
  expect([status, body]).toEqual([
    200,
    {
      iss,
      jwksURL: `${origin}/some`,
      keys: [
        { kid: 'k1', alg: 'RS256', kty: 'RSA', usable: true },
        { kid: 'secret', kty: 'oct', usable: false },
        { kty: 'RSA', alg: 'RS256', usable: false },
        { usable: false },
      ],
      usable_keys: 1,
    },
  ])
  expect((await admin().ok('GET', `${ISSUERS}?name=${name}`)).total).toBe(0)
  const before = await vault().records('message=Create+KACLS+Issuer')
  await cse.tryIssuer({ name, iss, jwksURL: `${origin}/some`, dryRun: true })
  expect(await vault().records('message=Create+KACLS+Issuer')).toHaveLength(before.length)
})

test('an issuer stays while an endpoint names it', async () => {
  const [one, other] = [await cse.issuer(), await cse.issuer()]
  const endpoint = await cse.create({ issuer: [one.id as string, other.id as string] })
  const refusal = await admin().call('DELETE', at(one))
  expectRefused(refusal, 409, 9)
  expect(refusal.body.detail).toContain(endpoint.name)
  await cse.update(endpoint, { issuer: [other.id] })
  expect((await admin().call('DELETE', at(one))).body).toEqual({ status: 204 })
  expect((await admin().call('GET', at(one))).status).toBe(404)
  expectRefused(await admin().call('DELETE', at(other)), 409, 9)
  await cse.remove(endpoint)
  expect((await admin().call('DELETE', at(other))).body).toEqual({ status: 204 })
  const records = await vault().records(`resource_uri=${one.uri as string}`)
  expect(records.map(({ message, success }) => `${message as string} ${String(success)}`)).toEqual([
    'Create KACLS Issuer true',
    'Delete KACLS Issuer true',
  ])
})

test('of concurrent requests to name and to delete an issuer, one succeeds', async () => {
  const endpoint = await cse.create()
  for (let round = 0; round < 5; round++) {
    const issuer = await cse.issuer()
    const [named, deleted] = await Promise.all([
      cse.update(endpoint, { issuer: [issuer.id] }),
      admin().call('DELETE', at(issuer)),
    ])
    expect([named.status, deleted.status].sort()).toEqual(named.status === 200 ? [200, 409] : [200, 404])
  }
})

test('issuers of another domain do not exist, and issuers are for administrators of endpoints', async () => {
  const issuer = await cse.issuer()
  const { service, user } = vault()
  const { child: token } = await childAdmin(service)
  for (const method of ['GET', 'DELETE']) expectRefused(await service.call(method, at(issuer), { token }), 404, 5)
  expect((await service.call('GET', ISSUERS, { token })).body.total).toBe(0)
  const { name, iss, jwksURL } = issuer
  expect((await service.call('POST', ISSUERS, { token, body: { name, iss, jwksURL } })).status).toBe(201)
  const { holder } = await user('keys-only', ['Key Admins'])
  expectRefused(await holder.call('GET', ISSUERS), 403, 4)
  expectRefused(await workspaceOf(holder, provider()).tryIssuer(), 403, 4)
})
