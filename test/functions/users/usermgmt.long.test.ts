import { expect, test } from 'vitest'
import { SYSTEM_GROUPS } from '../../../shared/identity/groups/model.ts'
import { passwordOf, useService } from '../../support/service.ts'

const service = useService()

const PASSWORD = 'Correct-horse-7'
const USERS = '/v1/usermgmt/users'
const GROUPS = '/v1/usermgmt/groups'
const POLICIES = '/v1/usermgmt/pwdpolicies'
const UNKNOWN = 'local|01890000-0000-7000-8000-00000000ffff'

test('a user is created, read, updated, listed and deleted', async () => {
  const token = await service().logIn()
  const body = { username: 'ada', password: PASSWORD, name: 'Ada' }
  const made = await service().call('POST', `${USERS}/`, { token, body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect(made.headers.get('etag')).toBe('"1"')
  expect(JSON.stringify(made.body)).not.toContain(PASSWORD)
  const path = `${USERS}/${made.body.user_id}`
  expect((await service().call('GET', path, { token })).body).toEqual(made.body)
  const changed = await service().call('PATCH', path, { token, body: { name: null, nickname: 'A' } })
  expect(changed).toMatchObject({ status: 200, body: { nickname: 'A' } })
  expect(changed.body).not.toHaveProperty('name')
  const listed = await service().call('GET', `${USERS}?username=ada&return_groups=true`, { token })
  expect(listed.body).toEqual({ skip: 0, limit: 10, total: 1, resources: [changed.body] })
  expect(await service().call('DELETE', path, { token })).toMatchObject({ status: 200, body: { status: 204 } })
  expect(await service().call('GET', path, { token })).toMatchObject({ status: 404, body: { code: 5 } })
})

test.each([
  ['a password too weak', { username: 'x', password: 'Weak-7' }, 422, ['#/password']],
  ['a missing user name', { password: PASSWORD }, 422, ['#/username']],
  ['a user name with a control character', { username: 'a\u0007', password: PASSWORD }, 422, ['#/username']],
  ['an unknown field', { username: 'x', password: PASSWORD, groups: ['admin'] }, 400, ['#/groups']],
  ['a wrong type', { username: 'x', password: 7 }, 400, ['#/password']],
  ['a connection that is not there', { username: 'x', connection: 'ldap' }, 404, ['#/connection']],
  ['a password for a connection', { username: 'x', password: PASSWORD, connection: 'ldap' }, 422, ['#/password']],
  ['an unknown policy', { username: 'x', password: PASSWORD, password_policy: 'none' }, 404, ['#/password_policy']],
  ['a name that is taken', { username: 'admin', password: PASSWORD }, 409, ['#/username']],
  ['several faults', { password: '', email: 'none', shoe: 1 }, 400, ['#/username', '#/password', '#/email', '#/shoe']],
])('POST users refuses %s', async (_what, body, status, pointers) => {
  const token = await service().logIn()
  const refused = await service().call('POST', USERS, { token, body })
  expect(refused.status, JSON.stringify(refused.body)).toBe(status)
  expect(refused.headers.get('content-type')).toContain('application/problem+json')
  const named = (refused.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)
  expect(new Set(named)).toEqual(new Set(pointers))
})

test.each([
  ['GET', `${USERS}?sort=shoe_size`, 400],
  ['GET', `${USERS}?colour=red`, 400],
  ['GET', `${USERS}?limit=0`, 400],
  ['GET', `${USERS}/not-an-id`, 400],
  ['GET', `${USERS}/${UNKNOWN}`, 404],
  ['PUT', USERS, 405],
  ['GET', `${GROUPS}/none`, 404],
  ['POST', `${GROUPS}/Key%20Users/users/${UNKNOWN}`, 404],
  ['DELETE', `${GROUPS}/Key%20Users`, 409],
  ['GET', `${GROUPS}?sort=shoe_size`, 400],
  ['GET', `${POLICIES}/none`, 404],
  ['DELETE', `${POLICIES}/global`, 409],
])('%s %s is refused with %i', async (method, path, status) => {
  const token = await service().logIn()
  const refused = await service().call(method, path, { token })
  expect(refused.status, JSON.stringify(refused.body)).toBe(status)
  expect(refused.body).toMatchObject({ status, code: expect.any(Number) as number })
})

test('callers without token are unknown, users without the groups are refused', async () => {
  const admin = await service().logIn()
  const { token, userId } = await service().userIn(admin, 'plain', ['Key Admins'])
  for (const [method, path] of [
    ['GET', USERS],
    ['POST', USERS],
    ['PATCH', `${USERS}/${userId}`],
    ['GET', GROUPS],
    ['POST', `${GROUPS}/admin/users/${userId}`],
    ['GET', POLICIES],
    ['PATCH', `${POLICIES}/global`],
  ] as const) {
    expect(await service().call(method, path)).toMatchObject({ status: 401, body: { code: 3 } })
    expect(await service().call(method, path, { token })).toMatchObject({ status: 403, body: { code: 4 } })
  }
})

test('a user administrator cannot gain further rights', async () => {
  const admin = await service().logIn()
  const { token, userId } = await service().userIn(admin, 'user-admin', ['User Admins'])
  const { userId: other } = await service().userIn(admin, 'second-admin', ['admin'])
  const refused = { status: 403, body: { code: 4 } }
  expect(await service().call('POST', `${GROUPS}/admin/users/${userId}`, { token })).toMatchObject(refused)
  const takeOver = { token, body: { password: 'Taken-over-1' } }
  expect(await service().call('PATCH', `${USERS}/${other}`, takeOver)).toMatchObject(refused)
  expect(await service().call('POST', GROUPS, { token, body: { name: 'crew' } })).toMatchObject({ status: 201 })
  const joined = await service().call('POST', `${GROUPS}/crew/users/${userId}`, { token })
  expect(joined).toMatchObject({ status: 200, body: { name: 'crew', users_count: 1 } })
})

test.each(SYSTEM_GROUPS)('a user administrator cannot take over a member of %s', async (group) => {
  const admin = await service().logIn()
  const username = `of ${group}`
  const password = passwordOf(username)
  const { userId } = await service().userIn(admin, username, [group])
  const { token } = await service().userIn(admin, `not ${group}`, ['User Admins'])
  const path = `${USERS}/${userId}`
  for (const body of [
    { password: 'Taken-over-1' },
    { enabled: false },
    { allowed_auth_methods: ['password', 'user_certificate'] },
    { certificate_subject_dn: 'CN=intruder' },
    { password_policy: 'lenient' },
    { nickname: 'x', password: 'Taken-over-1' },
  ])
    expect(await service().call('PATCH', path, { token, body }), JSON.stringify(body)).toMatchObject({
      status: 403,
      body: { code: 4 },
    })
  expect(await service().call('DELETE', path, { token })).toMatchObject({ status: 403, body: { code: 4 } })
  const harmless = { nickname: 'x', failed_logins_count: 0, enabled: true, allowed_auth_methods: ['password'] }
  const allowed = await service().call('PATCH', path, { token, body: harmless })
  expect(allowed.status).toBe(group === 'admin' ? 403 : 200)
  const own = { username, password, new_password: 'Own-choice-9' }
  expect((await service().call('PATCH', '/v1/auth/changepw', { body: own })).status).toBe(204)
  await service().logIn(username, 'Own-choice-9')
  const byAdmin = { token: admin, body: { password: 'Reset-horse-9' } }
  expect((await service().call('PATCH', path, byAdmin)).status).toBe(200)
})

test('a user administrator manages users of no group and of groups of their own', async () => {
  const admin = await service().logIn()
  const { token, userId: own } = await service().userIn(admin, 'helper', ['User Admins'])
  await service().call('POST', GROUPS, { token, body: { name: 'staff' } })
  const { userId } = await service().userIn(admin, 'ordinary', ['staff'])
  const path = `${USERS}/${userId}`
  for (const body of [{ password: 'Another-horse-8' }, { enabled: false }, { enabled: true }])
    expect((await service().call('PATCH', path, { token, body })).status).toBe(200)
  await service().logIn('ordinary', 'Another-horse-8')
  expect((await service().call('DELETE', path, { token })).status).toBe(200)
  const self = await service().call('PATCH', `${USERS}/${own}`, { token, body: { password: 'Another-horse-8' } })
  expect(self).toMatchObject({ status: 403, body: { detail: expect.stringContaining('/v1/auth/changepw') as string } })
})

test('20 users join a group concurrently and are all counted', async () => {
  const token = await service().logIn()
  await service().call('POST', GROUPS, { token, body: { name: 'crowd' } })
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      service().call('POST', USERS, { token, body: { username: `member-${n}`, password: PASSWORD } }),
    ),
  )
  const joined = await Promise.all(
    made.map(({ body }) => service().call('POST', `${GROUPS}/crowd/users/${body.user_id}`, { token })),
  )
  expect(joined.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect((await service().call('GET', `${GROUPS}/crowd`, { token })).body.users_count).toBe(20)
  const listed = await service().call('GET', `${USERS}?groups=crowd&limit=3&sort=-username`, { token })
  expect(listed.body.total).toBe(20)
  expect((listed.body.resources as { username: string }[]).map(({ username }) => username)).toEqual([
    'member-9',
    'member-8',
    'member-7',
  ])
  expect(await service().call('DELETE', `${GROUPS}/crowd`, { token })).toMatchObject({ status: 409, body: { code: 9 } })
  expect(await service().call('DELETE', `${GROUPS}/crowd?force=true`, { token })).toMatchObject({ status: 200 })
})

test('the last administrator cannot be removed', async () => {
  const token = await service().logIn()
  const admins = await service().call('GET', `${USERS}?groups=admin`, { token })
  const [first, ...others] = admins.body.resources as { user_id: string; username: string }[]
  expect(first?.username).toBe('admin')
  for (const { user_id } of others) await service().call('DELETE', `${GROUPS}/admin/users/${user_id}`, { token })
  const path = `${USERS}/${first?.user_id ?? ''}`
  const last = { status: 409, body: { code: 8 } }
  expect(await service().call('DELETE', path, { token })).toMatchObject(last)
  expect(await service().call('PATCH', path, { token, body: { enabled: false } })).toMatchObject(last)
  const leave = `${GROUPS}/admin/users/${first?.user_id ?? ''}`
  expect(await service().call('DELETE', leave, { token })).toMatchObject(last)
})

test('disabling a user or changing the password ends log-ins; a stale If-Match changes nothing', async () => {
  const admin = await service().logIn()
  const made = await service().call('POST', USERS, { token: admin, body: { username: 'eve', password: PASSWORD } })
  const path = `${USERS}/${made.body.user_id}`
  const logIn = async (password: string) =>
    (await service().call('POST', '/v1/auth/tokens', { body: { name: 'eve', password } })).status
  expect(await logIn(PASSWORD)).toBe(200)
  const change = (body: object, headers = {}) => service().call('PATCH', path, { token: admin, body, headers })
  expect((await change({ password: 'Another-horse-8' })).status).toBe(200)
  expect((await change({ enabled: false }, { 'if-match': '"1"' })).status).toBe(412)
  expect(await logIn(PASSWORD)).toBe(401)
  expect(await logIn('Another-horse-8')).toBe(200)
  expect((await change({ enabled: false })).status).toBe(200)
  expect(await logIn('Another-horse-8')).toBe(401)
})

test('password policies are created, updated and kept while a user has them', async () => {
  const token = await service().logIn()
  const body = { policy_name: 'strict', inclusive_min_total_length: 20 }
  expect(await service().call('POST', POLICIES, { token, body })).toMatchObject({ status: 201, body })
  const tooShort = { username: 'finn', password: PASSWORD, password_policy: 'strict' }
  expect(await service().call('POST', USERS, { token, body: tooShort })).toMatchObject({
    status: 422,
    body: { code: 2 },
  })
  const longEnough = { ...tooShort, password: `${PASSWORD}-${PASSWORD}`.slice(0, 24) }
  const made = await service().call('POST', USERS, { token, body: longEnough })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const impossible = { inclusive_min_total_length: 9, inclusive_max_total_length: 8 }
  expect(await service().call('PATCH', `${POLICIES}/strict`, { token, body: impossible })).toMatchObject({
    status: 422,
  })
  expect(await service().call('DELETE', `${POLICIES}/strict`, { token })).toMatchObject({
    status: 409,
    body: { code: 9 },
  })
  const freed = { token, body: { password_policy: null } }
  expect(await service().call('PATCH', `${USERS}/${made.body.user_id}`, freed)).toMatchObject({ status: 200 })
  expect(await service().call('DELETE', `${POLICIES}/strict`, { token })).toMatchObject({ status: 200 })
  const global = await service().call('PATCH', `${POLICIES}/global`, { token, body: { password_lifetime: 400 } })
  expect(global).toMatchObject({ status: 200, body: { policy_name: 'global', password_lifetime: 400 } })
  expect((await service().call('GET', POLICIES, { token })).body).toMatchObject({ total: 1, resources: [global.body] })
})

test('no password reaches an audit record', async () => {
  const token = await service().logIn()
  const marker = 'Marker-horse-9'
  const made = await service().call('POST', USERS, { token, body: { username: 'gus', password: PASSWORD } })
  await service().call('PATCH', `${USERS}/${made.body.user_id}`, { token, body: { password: marker, name: 'Gus' } })
  const records = await service().call('GET', '/v1/audit/records?limit=-1', { token })
  expect(records.status, JSON.stringify(records.body)).toBe(200)
  expect(JSON.stringify(records.body)).toContain('"name":"Gus"')
  for (const secret of [PASSWORD, marker, '$argon2id']) expect(JSON.stringify(records.body)).not.toContain(secret)
})

test('policies that apply to administrators are changed only by administrators', async () => {
  const admin = await service().logIn()
  const { token } = await service().userIn(admin, 'policy-maker', ['User Admins'])
  const own = { inclusive_min_total_length: 9 }
  const patch = (name: string, by: string, body: object = own) =>
    service().call('PATCH', `${POLICIES}/${name}`, { token: by, body })
  for (const policy_name of ['for-some', 'for-auditors'])
    expect((await service().call('POST', POLICIES, { token, body: { policy_name } })).status).toBe(201)
  expect(await patch('global', token)).toMatchObject({ status: 403, body: { code: 4 } })
  expect((await patch('for-some', token)).status).toBe(200)
  const { userId } = await service().userIn(admin, 'an-auditor', ['Audit Admins'])
  const bound = { token: admin, body: { password_policy: 'for-auditors' } }
  expect((await service().call('PATCH', `${USERS}/${userId}`, bound)).status).toBe(200)
  expect(await patch('for-auditors', token)).toMatchObject({ status: 403, body: { code: 4 } })
  expect((await patch('for-auditors', admin)).status).toBe(200)
  expect((await patch('global', admin, { inclusive_min_total_length: 8 })).status).toBe(200)
  for (const failed_logins_lockout_thresholds of [[], [0, 0], [525_600], [1, 0]])
    expect((await patch('global', admin, { failed_logins_lockout_thresholds })).status).toBe(422)
})

test('a user with only a certificate is refused without its subject', async () => {
  const body = { username: 'certified', password: 'Good-Enough-1', allowed_auth_methods: ['user_certificate'] }
  const refused = await service().call('POST', USERS, { token: await service().logIn(), body })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '#/certificate_subject_dn' }] } })
})
