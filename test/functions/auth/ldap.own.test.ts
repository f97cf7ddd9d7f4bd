import { afterAll, beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { BASE, GROUPS, startDirectory, type TestDirectory } from '../../support/directory.ts'
import { useService, type Answered } from '../../support/service.ts'

const service = useService()
let admin = ''
let directory: TestDirectory

const PEOPLE = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'admin', 'heidi', 'ivan', 'judy'].map(
  (uid) => ({
    uid,
    password: `${uid}-Secret-1`,
    cn: `${uid} of the company`,
    mail: `${uid}@company.test`,
  }),
)

const as = (token: string) => (method: string, path: string, body?: object) =>
  service().call(method, path, { token, ...(body && { body }) })
const asAdmin = (method: string, path: string, body?: object) => as(admin)(method, path, body)

const ldap = (more: object = {}): object => ({
  url: directory.ldaps,
  ca_cert: directory.caCert,
  bind_dn: directory.bindDn,
  bind_password: directory.bindPassword,
  base_dn: BASE,
  group_base_dn: GROUPS,
  name_attribute: 'cn',
  email_attribute: 'mail',
  ...more,
})

async function connection(name: string, more: object = {}, call = asAdmin): Promise<Answered['body']> {
  const body = { name, strategy: 'ldap', ldap: ldap(), ...more }
  const made = await call('POST', '/v1/usermgmt/connections', body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}

const logIn = (name: string, more: object = {}): Promise<Answered> =>
  service().call('POST', '/v1/auth/tokens', {
    body: { name, password: `${name}-Secret-1`, connection: 'company', ...more },
  })

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

const userNamed = async (username: string): Promise<any> =>
  (await asAdmin('GET', `/v1/usermgmt/users?username=${username}&return_groups=true`)).body.resources[0]

const WRONG = {
  status: 401,
  detail: 'User name or password is wrong, or the user is locked for now.',
}

/** The reason of the last refused log-in, from its audit record for administrators. */
async function whyRefused(): Promise<unknown> {
  const { body } = await asAdmin('GET', '/v1/audit/records?success=false&limit=1')
  return body.resources[0]?.details.after?.refused_because
}

beforeAll(async () => {
  directory = await startDirectory(PEOPLE, ['engineers', 'chiefs'])
  admin = await service().logIn()
  await connection('company', {
    create_users: true,
    group_mappings: [
      { external: 'engineers', group: 'Key Users' },
      { external: 'Chiefs', group: 'admin' },
    ],
  })
})
afterAll(() => directory.stop())

test('somebody of the directory logs in, and is a user from then on', async () => {
  const { status, body } = await logIn('alice')
  expect(status, JSON.stringify(body)).toBe(200)
  expect(claimsOf(body.jwt as string)).toMatchObject({ preferred_username: 'alice', cust: { groups: [] } })
  expect(await userNamed('alice')).toMatchObject({
    connection: 'company',
    name: 'alice of the company',
    email: 'alice@company.test',
    allowed_auth_methods: ['password'],
    logins_count: 1,
    groups: [],
  })
  const again = await logIn('ALICE', { password: 'alice-Secret-1' })
  expect(claimsOf(again.body.jwt as string).sub).toBe(claimsOf(body.jwt as string).sub)
  expect((await asAdmin('GET', '/v1/usermgmt/connections/company')).body.users_count).toBe(1)
})

test.each([
  ['a wrong password', { name: 'alice', password: 'wrong' }],
  ['an unknown name', { name: 'nobody' }],
  ['an unknown connection', { name: 'alice', connection: 'another' }],
  ['an unknown domain', { name: 'alice', domain: 'another' }],
  ['a filter as name', { name: '*)(uid=alice', password: 'alice-Secret-1' }],
  ['a wildcard as name', { name: 'alic*', password: 'alice-Secret-1' }],
  ['a name as password', { name: 'alice', password: 'uid=alice,ou=people,o=company' }],
  ['the local user store', { name: 'alice', connection: 'local_account' }],
])('%s is refused like any other', async (_what, { name, ...more }) => {
  const { status, body } = await logIn(name, more)
  expect({ status, detail: body.detail }).toEqual(WRONG)
})

test('an empty password is never sent, because directories would bind anonymously', async () => {
  const { status } = await logIn('alice', { password: '' })
  expect(status).toBe(422)
})

test('groups of the directory map to groups here, in tokens and renewals, until the directory changes them', async () => {
  await directory.setGroup('chiefs', ['bob'])
  await directory.setGroup('engineers', ['bob', 'carol'])
  const { body } = await logIn('bob')
  expect(claimsOf(body.jwt as string).cust.groups.sort()).toEqual(['Key Users', 'admin'])
  expect((await as(body.jwt as string)('GET', '/v1/usermgmt/users')).status).toBe(200)
  expect((await userNamed('bob')).groups.sort()).toEqual(['Key Users', 'admin'])
  const group = await asAdmin('GET', '/v1/usermgmt/groups/admin')
  expect(group.body.users_count).toBe(1)
  const renewed = await service().call('POST', '/v1/auth/tokens', {
    body: { grant_type: 'refresh_token', refresh_token: body.refresh_token },
  })
  expect(claimsOf(renewed.body.jwt as string).cust.groups.sort()).toEqual(['Key Users', 'admin'])
  await directory.setGroup('chiefs', [])
  expect(claimsOf((await logIn('bob')).body.jwt as string).cust.groups).toEqual(['Key Users'])
  expect((await userNamed('bob')).groups).toEqual(['Key Users'])
})

test('groups of Unix accounts name their members as they log in', async () => {
  await directory.addUnixGroup('operators', ['ivan'])
  for (const [name, group_member_attribute] of [
    ['unix', 'memberUid'],
    ['unix-also', 'MEMBERUID'],
  ] as const) {
    await connection(name, {
      create_users: name === 'unix',
      ldap: ldap({ group_filter: '(objectClass=posixGroup)', group_member_attribute }),
      group_mappings: [{ external: 'operators', group: 'Key Users' }],
    })
  }
  const { body } = await logIn('ivan', { connection: 'unix' })
  expect(claimsOf(body.jwt as string).cust.groups).toEqual(['Key Users'])
  const made = { username: 'judy', connection: 'unix-also' }
  expect((await asAdmin('POST', '/v1/usermgmt/users', made)).status).toBe(201)
  const outside = await logIn('judy', { connection: 'unix-also' })
  expect(claimsOf(outside.body.jwt as string).cust.groups).toEqual([])
})

test('a mapped administrator is no last administrator, and is changed by administrators only', async () => {
  await directory.setGroup('chiefs', ['carol'])
  expect((await logIn('carol')).status).toBe(200)
  const { user_id } = await userNamed('carol')
  const helper = await service().userIn(admin, 'user-helper', ['User Admins'])
  const byHelper = await as(helper.token)('PATCH', `/v1/usermgmt/users/${user_id}`, { enabled: false })
  expect(byHelper.status).toBe(403)
  const root = (await asAdmin('GET', '/v1/usermgmt/users?username=admin')).body.resources[0]
  const last = await asAdmin('PATCH', `/v1/usermgmt/users/${root.user_id}`, { enabled: false })
  expect(last.status).toBe(409)
})

test('a name that a local user has is never taken over, and administrators read why', async () => {
  const { status, body } = await logIn('admin')
  expect({ status, detail: body.detail }).toEqual(WRONG)
  expect(await whyRefused()).toBe('the user name is that of another user here')
  expect((await userNamed('admin')).connection).toBe('local_account')
})

test('a user that an administrator made for the connection is linked at the first log-in', async () => {
  await connection('strict')
  const refused = await logIn('dave', { connection: 'strict' })
  expect({ status: refused.status, detail: refused.body.detail }).toEqual(WRONG)
  const made = await asAdmin('POST', '/v1/usermgmt/users', { username: 'dave', connection: 'strict' })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { status, body } = await logIn('dave', { connection: 'strict' })
  expect(status).toBe(200)
  expect(claimsOf(body.jwt as string).sub).toBe(made.body.user_id)
  expect((await logIn('dave')).status).toBe(401) // the same person through another connection is another user
  const inUse = await asAdmin('DELETE', '/v1/usermgmt/connections/strict')
  expect([inUse.status, inUse.body.code]).toEqual([409, 9])
  const listed = await asAdmin('GET', '/v1/usermgmt/users?connection=strict')
  expect(listed.body.resources.map(({ username }: { username: string }) => username)).toEqual(['dave'])
  expect((await asAdmin('DELETE', `/v1/usermgmt/users/${made.body.user_id}`)).status).toBe(200)
  expect((await asAdmin('DELETE', '/v1/usermgmt/connections/strict')).status).toBe(200)
})

test('a locked user is refused with the right password, until an administrator unlocks them', async () => {
  expect((await logIn('erin')).status).toBe(200)
  for (let time = 0; time < 5; time++) expect((await logIn('erin', { password: 'wrong' })).status).toBe(401)
  expect((await logIn('erin')).status).toBe(401)
  expect(await whyRefused()).toBe('the user is locked for now')
  const { user_id, failed_logins_count } = await userNamed('erin')
  expect(failed_logins_count).toBe(5)
  await asAdmin('PATCH', `/v1/usermgmt/users/${user_id}`, { failed_logins_count: 0 })
  expect((await logIn('erin')).status).toBe(200)
})

test('a disabled user is refused, and so is the renewal of a disabled connection', async () => {
  await connection('passing', { create_users: true })
  const { body } = await logIn('frank', { connection: 'passing' })
  const renew = () =>
    service().call('POST', '/v1/auth/tokens', {
      body: { grant_type: 'refresh_token', refresh_token: body.refresh_token },
    })
  expect((await renew()).status).toBe(200)
  await asAdmin('PATCH', '/v1/usermgmt/connections/passing', { enabled: false })
  expect((await renew()).status).toBe(401)
  expect((await logIn('frank', { connection: 'passing' })).status).toBe(401)
  await asAdmin('PATCH', '/v1/usermgmt/connections/passing', { enabled: true })
  const { user_id } = await userNamed('frank')
  await asAdmin('PATCH', `/v1/usermgmt/users/${user_id}`, { enabled: false })
  expect((await logIn('frank', { connection: 'passing' })).status).toBe(401)
  expect(await whyRefused()).toBe('the user is disabled')
})

test('a log-in from outside ends after twelve hours at most', async () => {
  const { body } = await logIn('alice', { refresh_token_lifetime: 10_000 })
  const session = (await asAdmin('GET', `/v1/auth/tokens/${body.refresh_token_id}`)).body
  expect(Date.parse(session.expiresAt as string) - Date.parse(session.createdAt as string)).toBe(12 * 3_600_000)
  const short = await logIn('alice', { refresh_token_lifetime: 5 })
  const other = (await asAdmin('GET', `/v1/auth/tokens/${short.body.refresh_token_id}`)).body
  expect(Date.parse(other.expiresAt as string) - Date.parse(other.createdAt as string)).toBe(300_000)
})

test('name, email and password are those of the directory', async () => {
  expect((await logIn('grace')).status).toBe(200)
  await directory.setMail('grace', 'grace@elsewhere.test')
  await directory.setPassword('grace', 'Another-Secret-2')
  expect((await logIn('grace')).status).toBe(401)
  expect((await logIn('grace', { password: 'Another-Secret-2' })).status).toBe(200)
  const { email, user_id } = await userNamed('grace')
  expect(email).toBe('grace@elsewhere.test')
  for (const body of [{ password: 'Kept-Here-1x' }, { allowed_auth_methods: ['password'] }])
    expect((await asAdmin('PATCH', `/v1/usermgmt/users/${user_id}`, body)).status).toBe(422)
  const change = (username: string) =>
    service().call('PATCH', '/v1/auth/changepw', {
      body: { username, password: 'Another-Secret-2', new_password: 'Third-Secret-3' },
    })
  const [mine, nobodys] = [await change('grace'), await change('no-such-user')]
  expect(mine.status).toBe(401)
  expect(mine.body.detail).toContain('change their password there')
  expect(nobodys.body.detail).toBe(mine.body.detail)
})

test('a guest of a child domain logs in by the connection of the root domain, and users of the child by its own', async () => {
  expect((await logIn('heidi')).status).toBe(200)
  const { user_id } = await userNamed('heidi')
  const { child, childId } = await childAdmin(service(), 'branch', { allow_user_management: true })
  expect((await logIn('heidi', { domain: 'branch' })).status).toBe(401)
  expect(await whyRefused()).toBeUndefined() // the child domain has the record
  const asRootInChild = await service().logIn('admin-of-branch', 'Pass-word-15x', { domain: childId })
  const added = await as(asRootInChild)('POST', `/v1/usermgmt/groups/Key%20Admins/users/${user_id}`)
  expect(added.status, JSON.stringify(added.body)).toBe(200)
  const guest = await logIn('heidi', { domain: 'branch' })
  expect(claimsOf(guest.body.jwt as string).cust).toMatchObject({ client_type: 'guest', groups: ['Key Admins'] })
  await connection('of the branch', { create_users: true }, as(child))
  const own = await logIn('alice', { domain: 'branch', connection: 'of the branch' })
  expect(claimsOf(own.body.jwt as string).cust).toMatchObject({ client_type: 'user', domain_id: childId })
  expect((await logIn('alice', { connection: 'of the branch' })).status).toBe(401)
})
