import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { USAGE } from '../../../shared/crypto/usage.ts'
import { childAdmin } from '../../support/callers.ts'
import { commonFieldsOf } from '../../support/common-fields.ts'
import { expectRefused } from '../vault/vault.ts'
import { CLIENT_ID, ENDPOINTS, HOST, someName, useWorkspace, workspaceOf } from './workspace-cse.ts'

const { vault, provider } = useWorkspace()
const admin = () => vault().admin
let cse: ReturnType<typeof workspaceOf>
beforeAll(() => {
  cse = workspaceOf(admin(), provider())
})

describe('a new endpoint', () => {
  test('has keys of its own and an address', async () => {
    const issuer = await cse.issuer()
    const endpoint = await cse.create({ name: 'first', issuer: [issuer.id as string] })
    const id = endpoint.id as string
    expect(endpoint).toEqual({
      ...commonFieldsOf(endpoint, 'keymgr:kacls-endpoint'),
      name: 'first',
      endpoint_url_hostname: HOST,
      endpoint_url: `https://${HOST}/api/v1/keymgr/WorkspaceCSE/endpoints/${id}`,
      issuer: [issuer.id],
      authenticationAud: [CLIENT_ID],
      authorizationAud: null,
      cors: null,
      meta: null,
      kekName: `kacls-${id}`,
      kekID: expect.stringMatching(/^[0-9a-f]{64}$/),
      kek_version: '0',
      allow_guest_access: false,
      allow_privileged_unwrap: false,
      status: 'Enabled',
    })
    expect(await cse.get(endpoint)).toEqual(endpoint)
    expect(await admin().get(endpoint.kekName as string)).toMatchObject({
      id: endpoint.kekID,
      algorithm: 'aes',
      size: 256,
      unexportable: true,
      undeletable: true,
      usageMask: USAGE.encrypt | USAGE.decrypt | USAGE.wrap | USAGE.unwrap,
    })
  })

  test('has the given settings', async () => {
    const own = {
      endpoint_url: 'https://keys.example.test/cse',
      authorizationAud: ['mine'],
      cors: ['https://pages.example.test:8443', 'http://localhost:3000'],
      meta: { owner_domain: 'example.test' },
      allow_guest_access: true,
    }
    expect(await cse.create(own)).toMatchObject(own)
    const empty = { authorizationAud: [], cors: [], meta: {} }
    expect(await cse.create(empty)).toMatchObject(empty)
    const none = { authorizationAud: null, cors: null, meta: null }
    expect(await cse.create(none)).toMatchObject(none)
  })

  test.each<[string, object, string, number, number]>([
    ['no name', { name: undefined }, '#/name', 422, 2],
    ['no host', { endpoint_url_hostname: undefined }, '#/endpoint_url_hostname', 422, 2],
    ['a host with a scheme', { endpoint_url_hostname: `https://${HOST}` }, '#/endpoint_url_hostname', 422, 2],
    ['no audience', { authenticationAud: undefined }, '#/authenticationAud', 422, 2],
    ['an empty list of audiences', { authenticationAud: [] }, '#/authenticationAud', 422, 2],
    ['an empty list of issuers', { issuer: [] }, '#/issuer', 422, 2],
    ['an issuer that is no id', { issuer: ['mine'] }, '#/issuer/0', 422, 2],
    ['an issuer that is not there', { issuer: [randomUUID()] }, '#/issuer/0', 404, 5],
    ['too many issuers', { issuer: Array.from({ length: 21 }, () => randomUUID()) }, '#/issuer', 422, 2],
    ['any origin', { cors: ['*'] }, '#/cors/0', 422, 2],
    ['an origin over http', { cors: ['http://pages.example.test'] }, '#/cors/0', 422, 2],
    ['an origin with a path', { cors: ['https://pages.example.test/'] }, '#/cors/0', 422, 2],
    ['an origin with the usual port', { cors: ['https://pages.example.test:443'] }, '#/cors/0', 422, 2],
    ['an origin in upper case', { cors: ['https://Pages.example.test'] }, '#/cors/0', 422, 2],
    ['the origin of a file', { cors: ['null'] }, '#/cors/0', 422, 2],
    ['an address with a query', { endpoint_url: 'https://a.test/x?y' }, '#/endpoint_url', 422, 2],
    ['an address with an empty query', { endpoint_url: 'https://a.test/x?' }, '#/endpoint_url', 422, 2],
    ['an address with a fragment', { endpoint_url: 'https://a.test/x#' }, '#/endpoint_url', 422, 2],
    ['an address with a slash at its end', { endpoint_url: 'https://a.test/x/' }, '#/endpoint_url', 422, 2],
    ['an address over http', { endpoint_url: 'http://a.test/x' }, '#/endpoint_url', 422, 2],
    ['an address with a user', { endpoint_url: 'https://me@a.test/x' }, '#/endpoint_url', 422, 2],
    ['a setting of a later PATCH', { allow_privileged_unwrap: true }, '#/allow_privileged_unwrap', 400, 1],
    ['a field nobody knows', { colour: 'red' }, '#/colour', 400, 1],
  ])('with %s is refused, naming it', async (_what, body, pointer, status, code) => {
    expectRefused(await cse.tryCreate(body), status, code, pointer)
  })

  test('needs a free name', async () => {
    await cse.create({ name: 'taken' })
    expectRefused(await cse.tryCreate({ name: 'taken' }), 409, 7, '#/name')
  })
})

test('an endpoint without issuers uses all of its domain, and is refused if the domain has none', async () => {
  const { service } = vault()
  const { child: token } = await childAdmin(service, 'all-issuers')
  const post = (path: string, body: object) =>
    service.call('POST', path, { token, body: { name: someName('x'), ...body } })
  const body = { endpoint_url_hostname: HOST, authenticationAud: [CLIENT_ID] }
  expectRefused(await post(ENDPOINTS, body), 422, 2, '#/issuer')
  const ids: string[] = []
  for (let n = 0; n < 21; n++) {
    const made = await post('/v1/keymgr/WorkspaceCSE/issuers', { iss: `i${n}`, jwksURL: provider().keySet })
    ids.push(made.body.id as string)
    if (n === 1 || n === 19) expect((await post(ENDPOINTS, body)).body.issuer).toEqual(ids)
  }
  expectRefused(await post(ENDPOINTS, body), 422, 2, '#/issuer')
})

test('a list finds endpoints by name, status and issuer', async () => {
  const issuer = await cse.issuer()
  const name = someName('listed')
  const [one, two] = [
    await cse.create({ name: `${name}-1`, issuer: [issuer.id] }),
    await cse.create({ name: `${name}-2` }),
  ]
  await cse.act(two, 'disable')
  const names = async (query: string) =>
    (await admin().ok('GET', `${ENDPOINTS}?limit=100&${query}`)).resources.map((each: any) => each.name)
  expect(await names(`name=${name}*&sort=-name`)).toEqual([two.name, one.name])
  expect(await names(`name=${name}*&status=Disabled`)).toEqual([two.name])
  expect(await names(`issuer=${issuer.id as string}`)).toEqual([one.name])
  expect(await names(`id=${one.id as string},${two.id as string}`)).toEqual([one.name, two.name])
  expectRefused(await admin().call('GET', `${ENDPOINTS}?colour=red`), 400, 1, 'colour')
})

describe('a PATCH', () => {
  test('changes the given fields; null clears, and an empty list empties', async () => {
    const endpoint = await cse.create({ cors: ['https://a.test'], authorizationAud: ['x'], meta: { a: 1 } })
    const { body: kept } = await cse.update(endpoint, { allow_guest_access: true, allow_privileged_unwrap: true })
    expect(kept).toEqual({
      ...endpoint,
      allow_guest_access: true,
      allow_privileged_unwrap: true,
      warnings: [expect.stringContaining('allow_privileged_unwrap without users')],
      updatedAt: kept.updatedAt,
    })
    const emptied = { cors: [], authorizationAud: [] }
    expect((await cse.update(endpoint, emptied)).body).toMatchObject({ ...emptied, meta: { a: 1 } })
    const cleared = { cors: null, authorizationAud: null, meta: null }
    expect((await cse.update(endpoint, cleared)).body).toMatchObject(cleared)
    const { body: moved } = await cse.update(endpoint, { endpoint_url_hostname: 'Other.example.test:444' })
    expect(moved.endpoint_url).toBe((endpoint.endpoint_url as string).replace(HOST, 'other.example.test:444'))
    const own = { endpoint_url: 'https://keys.example.test' }
    expect((await cse.update(endpoint, own)).body).toMatchObject(own)
    expect((await cse.update(endpoint, { endpoint_url: null })).body.endpoint_url).toBe(moved.endpoint_url)
  })

  test.each<[string, object, string, number, number]>([
    ['another name', { name: 'x' }, '#/name', 400, 1],
    ['another status', { status: 'Disabled' }, '#/status', 400, 1],
    ['no issuers', { issuer: [] }, '#/issuer', 422, 2],
    ['cleared issuers', { issuer: null }, '#/issuer', 400, 1],
    ['an issuer that is not there', { issuer: [randomUUID()] }, '#/issuer/0', 404, 5],
    ['no audiences', { authenticationAud: [] }, '#/authenticationAud', 422, 2],
    ['cleared audiences', { authenticationAud: null }, '#/authenticationAud', 400, 1],
    ['any origin', { cors: ['*'] }, '#/cors/0', 422, 2],
  ])('with %s is refused, and changes nothing', async (_what, body, pointer, status, code) => {
    const endpoint = await cse.create()
    expectRefused(await cse.update(endpoint, body), status, code, pointer)
    expect(await cse.get(endpoint)).toEqual(endpoint)
  })
})

test('an archived endpoint can only be viewed, deleted, or recovered as disabled', async () => {
  const endpoint = await cse.create()
  expectRefused(await cse.act(endpoint, 'recover'), 409, 8)
  const { body: archived } = await cse.act(endpoint, 'archive')
  expect(archived).toMatchObject({ status: 'Archived', archived_at: expect.any(String) })
  for (const action of ['archive', 'enable', 'disable', 'rotate-key'])
    expectRefused(await cse.act(endpoint, action), 409, 8)
  expectRefused(await cse.update(endpoint, { allow_guest_access: true }), 409, 8)
  expectRefused(await cse.setPart(endpoint, 'perimeters', 'package p'), 409, 8)
  expectRefused(await cse.setPart(endpoint, 'rewrap-configuration', { kacls_base_url: [] }), 409, 8)
  expect(await cse.get(endpoint)).toEqual(archived)
  const { body: recovered } = await cse.act(endpoint, 'recover')
  expect(recovered.status).toBe('Disabled')
  expect(recovered).not.toHaveProperty('archived_at')
  await cse.act(endpoint, 'archive')
  expect((await cse.remove(endpoint)).body).toEqual({ status: 204 })
})

test('endpoints of another domain do not exist, and endpoints are for their administrators', async () => {
  const endpoint = await cse.create()
  const { service, user } = vault()
  const { child: token } = await childAdmin(service, 'elsewhere')
  for (const [method, tail, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { allow_guest_access: true }],
    ['DELETE', '', undefined],
    ['POST', '/disable', undefined],
    ['POST', '/rotate-key', undefined],
    ['GET', '/perimeters', undefined],
    ['PUT', '/perimeters', '"package p"'],
    ['POST', '/perimeters/test', { input: {} }],
    ['GET', '/privileged-unwrap-configuration', undefined],
    ['PUT', '/rewrap-configuration', { kacls_base_url: [] }],
  ] as const)
    expectRefused(await service.call(method, cse.at(endpoint, tail), { token, body }), 404, 5)
  const { holder } = await user('endpoints-admin', ['keymgr Admins'])
  expect(await workspaceOf(holder, provider()).get(endpoint)).toEqual(endpoint)
  expect((await workspaceOf(holder, provider()).act(endpoint, 'rotate-key')).status).toBe(200) // the endpoint's own key
  const { holder: other } = await user('keys-only', ['Key Admins'])
  expectRefused(await other.call('GET', cse.at(endpoint)), 403, 4)
  expect(await cse.get(endpoint)).toMatchObject({ status: 'Enabled', kek_version: '1' })
})
