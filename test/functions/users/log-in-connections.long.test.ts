import { afterAll, beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { BASE, startDirectory, type TestDirectory } from '../../support/directory.ts'
import { useService, type Answered } from '../../support/service.ts'

const service = useService()
let admin = ''
let helper = ''
let directory: TestDirectory

beforeAll(async () => {
  directory = await startDirectory([{ uid: 'alice', password: 'alice-Secret-1' }], [])
  admin = await service().logIn()
  helper = (await service().userIn(admin, 'user-helper', ['User Admins'])).token
})
afterAll(() => directory.stop())

const CONNECTIONS = '/v1/usermgmt/connections'
const as = (token: string, method: string, path: string, body?: object): Promise<Answered> =>
  service().call(method, path, { token, ...(body && { body }) })
const asAdmin = (method: string, path: string, body?: object) => as(admin, method, path, body)

const SECRET = 'marker-of-the-bind-password'
const bodyOf = (name: string, ldap: object = {}, more: object = {}): object => ({
  name,
  strategy: 'ldap',
  ldap: { url: 'ldaps://directory.example.com', base_dn: BASE, ...ldap },
  ...more,
})
const bound = { bind_dn: 'cn=reader,o=company', bind_password: SECRET }

test('a connection is made, read, changed, listed and deleted', async () => {
  const made = await asAdmin('POST', CONNECTIONS, bodyOf('life', bound, { description: 'ours' }))
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect(made.body).toMatchObject({
    name: 'life',
    strategy: 'ldap',
    enabled: true,
    create_users: false,
    group_mappings: [],
    users_count: 0,
    ldap: { user_filter: '(objectClass=person)', user_attribute: 'uid', id_attribute: 'entryUUID', start_tls: false },
  })
  const changed = await asAdmin('PATCH', `${CONNECTIONS}/life`, {
    description: null,
    enabled: false,
    group_mappings: [{ external: 'chiefs', group: 'admin' }],
    ldap: { user_attribute: 'cn', name_attribute: 'displayName' },
  })
  expect(changed.body).not.toHaveProperty('description')
  expect(changed.body).toMatchObject({
    enabled: false,
    group_mappings: [{ external: 'chiefs', group: 'admin' }],
    ldap: { user_attribute: 'cn', name_attribute: 'displayName', bind_dn: bound.bind_dn },
  })
  expect((await asAdmin('GET', `${CONNECTIONS}/${made.body.id}`)).body).toEqual(changed.body)
  expect((await asAdmin('GET', `${CONNECTIONS}?enabled=false`)).body.resources).toEqual([changed.body])
  expect((await asAdmin('GET', `${CONNECTIONS}?enabled=true`)).body.total).toBe(0)
  expect((await asAdmin('POST', CONNECTIONS, bodyOf('life'))).status).toBe(409)
  expect((await asAdmin('DELETE', `${CONNECTIONS}/life`)).body).toEqual({ status: 204 })
  expect((await asAdmin('GET', `${CONNECTIONS}/life`)).status).toBe(404)
})

test('only administrators write; User Admins read, and test only saved values', async () => {
  await asAdmin('POST', CONNECTIONS, bodyOf('read'))
  expect((await as(helper, 'GET', `${CONNECTIONS}/read`)).status).toBe(200)
  expect((await as(helper, 'GET', CONNECTIONS)).status).toBe(200)
  const url = 'ldaps://127.0.0.1:1'
  for (const [method, path, body] of [
    ['POST', CONNECTIONS, bodyOf('another')],
    ['PATCH', `${CONNECTIONS}/read`, { enabled: false }],
    ['DELETE', `${CONNECTIONS}/read`, undefined],
    ['POST', `${CONNECTIONS}/read/test`, { ldap: { url } }],
    ['POST', '/v1/usermgmt/connection-test', { strategy: 'ldap', ldap: { url, base_dn: BASE } }],
  ] as const)
    expect((await as(helper, method, path, body)).status, `${method} ${path}`).toBe(403)
})

test('each domain has connections of its own, managed where users are', async () => {
  const { child } = await childAdmin(service(), 'branch')
  expect((await as(child, 'POST', CONNECTIONS, bodyOf('branch'))).status).toBe(403)
  expect((await as(child, 'GET', CONNECTIONS)).body.total).toBe(0)
})

test.each<[string, object, string]>([
  ['a plain address', { url: 'ldap://directory.example.com' }, '#/ldap/url'],
  ['TLS twice', { url: 'ldaps://directory.example.com', start_tls: true }, '#/ldap/url'],
  ['an address that is no directory', { url: 'https://directory.example.com' }, '#/ldap/url'],
  ['a path', { url: 'ldaps://directory.example.com/o=company' }, '#/ldap/url'],
  ['a user in the address', { url: 'ldaps://me@directory.example.com' }, '#/ldap/url'],
  ['a private address', { url: 'ldaps://10.0.0.1' }, '#/ldap/url'],
  ['the metadata service', { url: 'ldap://169.254.169.254', start_tls: true }, '#/ldap/url'],
  ['an address of IPv4 in that of IPv6', { url: 'ldaps://[::ffff:10.0.0.1]' }, '#/ldap/url'],
  ['a password without a name', { bind_password: SECRET }, '#/ldap/bind_dn'],
  ['a name without a password', { bind_dn: bound.bind_dn }, '#/ldap/bind_password'],
  ['a filter that is none', { user_filter: '(uid=' }, '#/ldap/user_filter'],
  ['a certificate that is none', { ca_cert: 'abc' }, '#/ldap/ca_cert'],
  ['an attribute that is none', { user_attribute: 'uid=*)(x' }, '#/ldap/user_attribute'],
])('%s is refused', async (_what, ldap, pointer) => {
  const { status, body } = await asAdmin('POST', CONNECTIONS, bodyOf('refused', ldap))
  expect(status, JSON.stringify(body)).toBe(422)
  expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
})

test('a name with a private address is not called', async () => {
  const { body } = await asAdmin('POST', '/v1/usermgmt/connection-test', {
    strategy: 'ldap',
    ldap: { url: 'ldaps://localhost.localdomain.invalid', base_dn: BASE },
  })
  expect(body).toMatchObject({ connection_ok: false, connection_failed_step: 'address' })
})

test('the fields of a strategy change with it, and a mapped group must exist', async () => {
  const none = await asAdmin('POST', CONNECTIONS, { name: 'none', strategy: 'ldap' })
  expect(none.body.errors).toMatchObject([{ pointer: '#/ldap' }])
  const group = await asAdmin('POST', CONNECTIONS, {
    ...bodyOf('group'),
    group_mappings: [{ external: 'any', group: 'no such group' }],
  })
  expect([group.status, group.body.errors[0].pointer]).toEqual([404, '#/group_mappings/0/group'])
  expect((await asAdmin('POST', CONNECTIONS, bodyOf('local_account'))).status).toBe(422)
})

test('a saved password is never shown, and sent to no other recipient', async () => {
  await asAdmin('POST', CONNECTIONS, bodyOf('secretive', bound))
  const path = `${CONNECTIONS}/secretive`
  for (const ldap of [{ url: 'ldaps://other.example.com' }, { start_tls: true, url: 'ldap://directory.example.com' }])
    for (const [method, where] of [
      ['PATCH', path],
      ['POST', `${path}/test`],
    ] as const) {
      const { status, body } = await asAdmin(method, where, { ldap })
      expect(status).toBe(422)
      expect(body.errors[0]).toMatchObject({ pointer: '#/ldap/bind_password' })
      expect(body.errors[0].detail).toContain('must be given again')
    }
  const again = { url: 'ldaps://other.example.com', bind_password: `${SECRET}-2` }
  expect((await asAdmin('PATCH', path, { ldap: again })).status).toBe(200)
  expect((await asAdmin('PATCH', path, { ldap: { bind_dn: null, bind_password: null } })).status).toBe(200)
  const records = await asAdmin('GET', '/v1/audit/records?limit=-1')
  const told = [await asAdmin('GET', path), await asAdmin('GET', CONNECTIONS), records].map(({ body }) => body)
  expect(JSON.stringify(told)).not.toContain(SECRET)
  expect(JSON.stringify(records.body)).toContain('"secret":"changed"')
})

test('a test reports the error without texts of the directory, and is stored with a saved connection', async () => {
  const real = { url: directory.ldaps, ca_cert: directory.caCert }
  const good = { ...real, bind_dn: directory.bindDn, bind_password: directory.bindPassword }
  const unsaved = (ldap: object) =>
    asAdmin('POST', '/v1/usermgmt/connection-test', { strategy: 'ldap', ldap: { base_dn: BASE, ...ldap } })
  expect((await unsaved(good)).body).toEqual({ connection_ok: true })
  expect((await unsaved({ ...good, bind_password: 'wrong' })).body).toEqual({
    connection_ok: false,
    connection_error: 'The directory refuses bind_dn and bind_password.',
    connection_failed_step: 'log_in',
  })
  expect((await unsaved({ ...good, base_dn: 'o=elsewhere' })).body).toEqual({
    connection_ok: false,
    connection_error: 'The directory refuses the search: result 32 of LDAP.',
    connection_failed_step: 'permission',
  })
  expect((await unsaved({ ...good, ca_cert: undefined })).body.connection_error).toContain('certificate is not trusted')
  expect((await unsaved({ ...good, url: directory.ldap, start_tls: true })).body).toEqual({ connection_ok: true })
  await asAdmin('POST', CONNECTIONS, bodyOf('tested', good))
  expect((await as(helper, 'POST', `${CONNECTIONS}/tested/test`, {})).body).toEqual({ connection_ok: true })
  const { body } = await asAdmin('GET', `${CONNECTIONS}/tested`)
  expect(body).toMatchObject({ last_connection_ok: true, last_connection_at: expect.any(String) })
  const override = { ldap: { base_dn: 'o=elsewhere' } }
  expect((await asAdmin('POST', `${CONNECTIONS}/tested/test`, override)).body.connection_ok).toBe(false)
  expect((await asAdmin('GET', `${CONNECTIONS}/tested`)).body.ldap.base_dn).toBe(BASE)
})

test('a user of a connection has no password here', async () => {
  const create = (body: object) => asAdmin('POST', '/v1/usermgmt/users', body)
  await asAdmin('POST', CONNECTIONS, bodyOf('people'))
  const refused = await create({ username: 'external', connection: 'people', password: 'Pass-word-1x' })
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '#/password'])
  expect((await create({ username: 'external' })).body.errors[0].pointer).toBe('#/password')
  const nowhere = await create({ username: 'external', connection: 'no such' })
  expect([nowhere.status, nowhere.body.errors[0].pointer]).toEqual([404, '#/connection'])
  const made = await create({ username: 'external', connection: 'people' })
  expect(made.body).toMatchObject({ connection: 'people' })
  expect((await asAdmin('GET', `${CONNECTIONS}/people`)).body.users_count).toBe(1)
  const list = async (connection: string): Promise<string[]> =>
    (await asAdmin('GET', `/v1/usermgmt/users?connection=${connection}`)).body.resources.map(
      ({ username }: { username: string }) => username,
    )
  expect(await list('people')).toEqual(['external'])
  expect(await list('local_account')).not.toContain('external')
})
