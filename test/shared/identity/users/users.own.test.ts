import { beforeAll, expect, test } from 'vitest'
import { verifyPassword } from '../../../../shared/crypto/passwords.ts'
import { addMember, removeMember } from '../../../../shared/identity/groups/members.ts'
import { deleteUser } from '../../../../shared/identity/users/delete-user.ts'
import { getUser, updateUser } from '../../../../shared/identity/users/users.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { countFailure, readLogins } from '../../../../shared/identity/users/login-record.ts'
import { users } from '../../../../shared/identity/users/store.ts'
import { useTable } from '../../../support/store.ts'
import { makeDomain, makeUser, NOW, PASSWORD, request, ROOT, userAdmin } from './requests.ts'

useTable()
beforeAll(async () => {
  await makeDomain('root', { id: ROOT.id })
})

const LATER = new Date(NOW.getTime() + 3_600_000)
const UNKNOWN = 'local|01890000-0000-7000-8000-00000000ffff'

test('a user is created as requested, and shown without password or hash', async () => {
  const user = await makeUser('ada', { name: 'Ada', email: 'ada@example.com', user_metadata: { team: 'blue' } })
  expect(user).toEqual({
    user_id: expect.stringMatching(/^local\|[0-9a-f-]{36}$/) as string,
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    connection: 'local_account',
    is_domain_user: false,
    enabled: true,
    login_flags: { prevent_ui_login: false },
    allowed_auth_methods: ['password'],
    password_change_required: false,
    password_changed_at: NOW.toISOString(),
    failed_logins_count: 0,
    logins_count: 0,
    user_metadata: { team: 'blue' },
    groups: [],
    created_at: NOW.toISOString(),
    updated_at: NOW.toISOString(),
  })
  expect((await request((context) => getUser(context, user.user_id))).item).toEqual(user)
  const stored = await users.get(ROOT.id, user.user_id)
  expect(await verifyPassword(stored?.item.password_hash ?? '', PASSWORD)).toBe(true)
  expect(JSON.stringify(stored)).not.toContain(PASSWORD)
})

test('a taken user name is refused, also between concurrent creates', async () => {
  const attempts = await Promise.allSettled([makeUser('bea'), makeUser('bea')])
  const refused = attempts.filter((attempt) => attempt.status === 'rejected')
  expect(refused).toHaveLength(1)
  const taken = { reason: 'NAME_TAKEN', errors: [{ pointer: '#/username', detail: 'is taken' }] }
  expect(refused[0]?.reason).toMatchObject(taken)
  await expect(makeUser('bea')).rejects.toMatchObject(taken)
  await expect(makeUser('Bea')).resolves.toMatchObject({ username: 'Bea' })
})

test('a PATCH changes only the given fields, null clears, and the answer equals a later GET', async () => {
  const { user_id } = await makeUser('cleo', { name: 'Cleo', nickname: 'C', email: 'cleo@example.com' })
  const changed = await request(
    (context) => updateUser(context, user_id, { name: 'Cleopatra', nickname: null, password_change_required: true }),
    { now: LATER },
  )
  expect(changed.item).toMatchObject({
    name: 'Cleopatra',
    email: 'cleo@example.com',
    password_change_required: true,
    password_changed_at: NOW.toISOString(),
    updated_at: LATER.toISOString(),
  })
  expect(changed.item).not.toHaveProperty('nickname')
  expect(await request((context) => getUser(context, user_id))).toEqual(changed)
})

test('a new password replaces the old one and ends the renewal of log-ins', async () => {
  const { user_id } = await makeUser('dora')
  await request((context) => updateUser(context, user_id, { password: 'Another-horse-8' }), { now: LATER })
  const stored = await users.get(ROOT.id, user_id)
  expect(await verifyPassword(stored?.item.password_hash ?? '', 'Another-horse-8')).toBe(true)
  expect(stored?.item).toMatchObject({
    password_changed_at: LATER.toISOString(),
    refresh_not_before: LATER.toISOString(),
  })
})

test('disabling a user ends the renewal of log-ins', async () => {
  const { user_id } = await makeUser('edda')
  await request((context) => updateUser(context, user_id, { enabled: false }), { now: LATER })
  expect((await users.get(ROOT.id, user_id))?.item).toMatchObject({
    enabled: false,
    refresh_not_before: LATER.toISOString(),
  })
})

test('failed log-ins lock the user according to the policy, and setting them to 0 unlocks', async () => {
  const { user_id } = await makeUser('fay')
  for (let failure = 0; failure < 5; failure++) {
    const changes = new Changes()
    countFailure(changes, ROOT.id, { userId: user_id }, NOW)
    await changes.commit(NOW)
  }
  const locked = await request((context) => getUser(context, user_id))
  expect(locked.item).toMatchObject({ failed_logins_count: 5, account_lockout_at: NOW.toISOString() })
  expect((await request((context) => getUser(context, user_id), { now: LATER })).item).not.toHaveProperty(
    'account_lockout_at',
  )
  const unlocked = await request((context) => updateUser(context, user_id, { failed_logins_count: 0 }))
  expect(unlocked.item.failed_logins_count).toBe(0)
  expect(unlocked.item).not.toHaveProperty('account_lockout_at')
  expect((await request((context) => getUser(context, user_id))).item).toEqual(unlocked.item)
})

test('a deleted user is removed with the login record, and the name is free', async () => {
  const { user_id } = await makeUser('gwen')
  await request((context) => deleteUser(context, user_id))
  await expect(request((context) => getUser(context, user_id))).rejects.toMatchObject({ reason: 'NOT_FOUND' })
  await expect(request((context) => deleteUser(context, user_id))).rejects.toMatchObject({ reason: 'NOT_FOUND' })
  expect(await readLogins(ROOT.id, [user_id])).toMatchObject([{ logins: 0, failures: 0 }])
  await expect(makeUser('gwen')).resolves.toMatchObject({ username: 'gwen' })
})

test('a user of another domain is not found', async () => {
  const child = await makeDomain('other')
  const { user_id } = await makeUser('hedy')
  const caller = { ...userAdmin, domain: child }
  for (const userId of [user_id, UNKNOWN])
    await expect(request((context) => getUser(context, userId), { caller })).rejects.toMatchObject({
      reason: 'NOT_FOUND',
      message: 'There is no such user.',
    })
})

test('If-Match prevents overwriting a concurrent change', async () => {
  const { user_id } = await makeUser('ines')
  const { rev } = await request((context) => updateUser(context, user_id, { name: 'Ines' }))
  expect(rev).toBe(2)
  const stale = { reason: 'VERSION_STALE' }
  const seen = { ifMatch: '"1"' }
  await expect(request((context) => updateUser(context, user_id, {}), seen)).rejects.toMatchObject(stale)
  await expect(request((context) => deleteUser(context, user_id), seen)).rejects.toMatchObject(stale)
  await expect(request((context) => deleteUser(context, user_id), { ifMatch: '"2"' })).resolves.toBeUndefined()
})

test('in a child domain without user management only user administrators of the root manage users', async () => {
  const child = await makeDomain('closed')
  const own = { ...userAdmin, domain: child, homeDomainId: child.id, groups: ['admin'] }
  const manager = await makeUser('manager')
  await request((context) => addMember(context, 'User Admins', manager.user_id))
  const fromRoot = { ...own, homeDomainId: ROOT.id, sub: manager.user_id }
  const { user_id } = await makeUser('jane', {}, { caller: fromRoot })
  const guest = { ...fromRoot, sub: (await makeUser('guest')).user_id }
  const denied = { reason: 'ACTION_DENIED' }
  for (const caller of [own, guest, { ...own, sub: manager.user_id }]) {
    await expect(makeUser('joan', {}, { caller })).rejects.toMatchObject(denied)
    await expect(request((context) => updateUser(context, user_id, {}), { caller })).rejects.toMatchObject(denied)
    await expect(request((context) => deleteUser(context, user_id), { caller })).rejects.toMatchObject(denied)
    await expect(request((context) => getUser(context, user_id), { caller })).resolves.toBeDefined()
  }
  const open = await makeDomain('open', { allow_user_management: true })
  const theirs = { ...own, domain: open, homeDomainId: open.id }
  await expect(makeUser('joan', {}, { caller: theirs })).resolves.toMatchObject({ is_domain_user: true })
})

test('the last enabled administrator cannot be disabled, deleted or removed from admin', async () => {
  const [first, second] = [await makeUser('kim'), await makeUser('lea')]
  for (const { user_id } of [first, second]) await request((context) => addMember(context, 'admin', user_id))
  await request((context) => updateUser(context, second.user_id, { enabled: false }))
  const last = { reason: 'STATE_CONFLICT', message: 'This would leave the group admin without an enabled member.' }
  const attempts = [
    request((context) => updateUser(context, first.user_id, { enabled: false })),
    request((context) => deleteUser(context, first.user_id)),
    request((context) => removeMember(context, 'admin', first.user_id)),
  ]
  for (const attempt of await Promise.allSettled(attempts))
    expect(attempt).toMatchObject({ status: 'rejected', reason: last })
  await request((context) => updateUser(context, second.user_id, { enabled: true }))
  const both = await Promise.allSettled([
    request((context) => deleteUser(context, first.user_id)),
    request((context) => deleteUser(context, second.user_id)),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('user administrators cannot change administrators', async () => {
  const { user_id } = await makeUser('mona')
  await request((context) => addMember(context, 'admin', user_id))
  const denied = { reason: 'ACTION_DENIED' }
  const attempt = request((context) => updateUser(context, user_id, { password: 'Taken-over-1' }), {
    caller: userAdmin,
  })
  await expect(attempt).rejects.toMatchObject(denied)
  await expect(request((context) => deleteUser(context, user_id), { caller: userAdmin })).rejects.toMatchObject(denied)
})
