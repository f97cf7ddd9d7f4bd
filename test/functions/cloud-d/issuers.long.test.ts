import { beforeEach, expect, test } from 'vitest'
import { textMarker, found as foundIn } from '../../support/markers.ts'
import type { Domain } from '../../../infra/simulators/cloud-d/simulator.ts'
import { CLOUD_D, refused, useCloudD } from './cloud-d.ts'

const tests = useCloudD()
const ISSUERS = `${CLOUD_D}/issuers`
/** The issuer in the documents of all identity domains of the cloud. */
const ISSUER = 'https://identity.oraclecloud.com/'

const ask = (method: string, path: string, body?: unknown) => tests().admin.call(method, path, body)
const ok = (method: string, path: string, body?: unknown): Promise<any> => tests().admin.ok(method, path, body)
function domain(): Domain {
  const [first] = tests().cloud.domains
  if (first === undefined) throw new Error('The cloud has no identity domain')
  return first
}
const document = (form = 'openid'): string => `${domain().url}/.well-known/${form}-configuration`
const keySet = (): string => `${domain().url}/admin/v1/SigningCert/jwk`
function client() {
  const [application] = domain().tenancy.applications
  if (application === undefined) throw new Error('The domain has no client')
  return { client_id: application.clientId, client_secret: application.clientSecret }
}
const isProtected = () => ({ jwks_uri_protected: true, ...client() })

beforeEach(() => {
  tests().cloud.reset()
  domain().protectKeySet(true)
})

test.each(['openid', 'idcs'])(
  'an issuer is found from its %s configuration, by a token for its key set',
  async (form) => {
    const made = await ok('POST', ISSUERS, { name: form, openid_config_url: document(form), ...isProtected() })
    expect(made).toEqual({
      ...Object.fromEntries(
        ['id', 'uri', 'account', 'application', 'devAccount', 'createdAt', 'updatedAt'].map((field) => [
          field,
          expect.any(String),
        ]),
      ),
      name: form,
      jwks_uri_protected: true,
      openid_config_url: document(form),
      issuer: ISSUER,
      jwks_uri: keySet(),
    })
    expect(await ok('GET', `${ISSUERS}/${made.id}`)).toEqual(made)
  },
)

test('an issuer is created with its key set, if that is public', async () => {
  domain().protectKeySet(false)
  const made = await ok('POST', ISSUERS, { name: 'given', issuer: ISSUER, jwks_uri: keySet() })
  expect(made).toMatchObject({ issuer: ISSUER, jwks_uri: keySet(), jwks_uri_protected: false })
  expect(made).not.toHaveProperty('openid_config_url')
  expect((await ok('GET', `${ISSUERS}?name=giv*&issuer=${encodeURIComponent(ISSUER)}`)).resources).toEqual([made])
})

test('a secret is never shown, and is nowhere in the audit records', async () => {
  const { admin } = tests()
  await ok('POST', ISSUERS, { name: 'secret', openid_config_url: document(), ...isProtected() })
  const shown = JSON.stringify([
    await ok('GET', `${ISSUERS}?name=secret`),
    await admin.ok('GET', '/v1/audit/records?limit=-1'),
  ])
  const marker = textMarker('the client secret', client().client_secret)
  expect(foundIn([marker], [{ name: 'answers', content: Buffer.from(shown) }])).toEqual([])
})

test.each([
  ['nothing', {}, 422, ['#/openid_config_url']],
  ['an issuer alone', { issuer: ISSUER }, 422, ['#/issuer']],
  ['a key set alone', { jwks_uri: 'https://keys.example/' }, 422, ['#/jwks_uri']],
  [
    'both ways',
    { issuer: ISSUER, jwks_uri: 'https://keys.example/', openid_config_url: 'https://id.example/' },
    422,
    ['#/issuer', '#/jwks_uri'],
  ],
  [
    'a protected key set without client',
    { openid_config_url: 'https://id.example/', jwks_uri_protected: true },
    422,
    ['#/client_id', '#/client_secret'],
  ],
  ['an address that is none', { openid_config_url: 'id.example' }, 422, ['#/openid_config_url']],
  ['an address without TLS', { openid_config_url: 'http://id.example/' }, 422, ['#/openid_config_url']],
  ['an address of a network of ours', { openid_config_url: 'https://10.0.0.1/' }, 422, ['#/openid_config_url']],
  ['an address with a user', { openid_config_url: 'https://a:b@id.example/' }, 422, ['#/openid_config_url']],
  ['a name that is a number', { name: 7, openid_config_url: 'https://id.example/' }, 400, ['#/name']],
  ['a field that there is not', { openid_config_url: 'https://id.example/', iss: ISSUER }, 400, ['#/iss']],
])('an issuer refuses %s, and calls no one', async (_what, body, status, fields) => {
  await refused(ask('POST', ISSUERS, { name: 'refused', ...body }), status, status === 400 ? 1 : 2, fields)
  expect(tests().cloud.calls()).toEqual([])
})

test('an invalid answer of the provider is refused at its field', async () => {
  const at = (body: object) => ask('POST', ISSUERS, { name: 'refused', ...body })
  await refused(at({ openid_config_url: `${domain().url}/none` }), 422, 2, ['#/openid_config_url'])
  await refused(at({ openid_config_url: document() }), 422, 2, ['#/openid_config_url']) // its key set is protected
  await refused(at({ issuer: ISSUER, jwks_uri: keySet() }), 422, 2, ['#/jwks_uri'])
  const wrong = { openid_config_url: document(), ...isProtected(), client_secret: 'guessed' }
  await refused(at(wrong), 422, 2, ['#/openid_config_url'])
  tests().cloud.inject({ fault: 'bad-json', service: 'domain' })
  await refused(at({ openid_config_url: document(), ...isProtected() }), 422, 2, ['#/openid_config_url'])
  expect((await ok('GET', `${ISSUERS}?name=refused`)).total).toBe(0)
})

test('a change reads the provider again, keeps an omitted secret, and obeys the rules', async () => {
  const { id } = await ok('POST', ISSUERS, { name: 'changing', openid_config_url: document(), ...isProtected() })
  const change = (body: object) => ask('PATCH', `${ISSUERS}/${id as string}`, body)
  expect((await change({ name: 'changed' })).body).toMatchObject({ name: 'changed', jwks_uri_protected: true })
  expect((await change({ openid_config_url: document('idcs') })).body).toMatchObject({ issuer: ISSUER })
  await refused(change({ client_secret: 'guessed' }), 422, 2, ['#/openid_config_url'])
  await refused(change({ jwks_uri_protected: false }), 422, 2, ['#/openid_config_url']) // the provider requires a token
  domain().protectKeySet(false)
  const given = await change({ issuer: ISSUER, jwks_uri: keySet(), jwks_uri_protected: false })
  expect(given.body).not.toHaveProperty('openid_config_url')
  await refused(change({ jwks_uri_protected: true }), 422, 2, ['#/openid_config_url'])
  await ok('POST', ISSUERS, { name: 'taken', issuer: ISSUER, jwks_uri: keySet() })
  await refused(change({ name: 'taken' }), 409, 7, ['#/name'])
})

test('a saved secret is sent neither to another provider nor for another client', async () => {
  const [, other] = tests().cloud.domains
  const elsewhere = { openid_config_url: `${other?.url ?? ''}/.well-known/openid-configuration` }
  const { id } = await ok('POST', ISSUERS, { name: 'moving', openid_config_url: document(), ...isProtected() })
  const at = `${ISSUERS}/${id as string}`
  const tokens = () =>
    tests()
      .cloud.calls()
      .filter(({ operation }) => operation === 'CreateToken').length
  const before = tokens()
  await refused(ask('PATCH', at, elsewhere), 422, 2, ['#/client_secret'])
  await refused(ask('PATCH', at, { ...elsewhere, jwks_uri_protected: false }), 422, 2, ['#/client_secret'])
  await refused(ask('PATCH', at, { client_id: 'another' }), 422, 2, ['#/client_secret'])
  expect(tokens()).toBe(before)

  domain().protectKeySet(false)
  await ok('PATCH', at, { issuer: ISSUER, jwks_uri: keySet(), jwks_uri_protected: false })
  await refused(ask('PATCH', at, { ...elsewhere, jwks_uri_protected: true }), 422, 2, ['#/client_secret'])
  expect(tokens()).toBe(before)

  const [application] = other?.tenancy.applications ?? []
  const given = { client_id: application?.clientId, client_secret: application?.clientSecret }
  expect(await ok('PATCH', at, { ...elsewhere, jwks_uri_protected: true, ...given })).toMatchObject(elsewhere)
  expect(await ok('PATCH', at, { name: 'moved' })).toMatchObject({ name: 'moved', ...elsewhere })
})

test('an issuer is deleted while unused', async () => {
  domain().protectKeySet(false)
  const { id } = await ok('POST', ISSUERS, { name: 'deleted', issuer: ISSUER, jwks_uri: keySet() })
  expect(await ok('DELETE', `${ISSUERS}/${id as string}`)).toEqual({ status: 204 })
  await refused(ask('GET', `${ISSUERS}/${id as string}`), 404, 5, [])
})
