import { beforeAll, expect, test } from 'vitest'
import { groupResource } from '../../../../shared/identity/groups/groups.ts'
import { addMember, removeMember } from '../../../../shared/identity/groups/members.ts'
import { deleteUser } from '../../../../shared/identity/users/delete-user.ts'
import { getUser } from '../../../../shared/identity/users/users.ts'
import { GroupQuery, SYSTEM_GROUPS } from '../../../../shared/identity/groups/model.ts'
import { Changes, Stale } from '../../../../shared/store/changes.ts'
import { guests } from '../../../../shared/identity/groups/store.ts'
import { useTable } from '../../../support/store.ts'
import { callerFrom, contextOf, makeDomain, makeUser, NOW, request, ROOT, rootAdmin, userAdmin } from './requests.ts'

useTable()
beforeAll(async () => {
  await makeDomain('root', { id: ROOT.id })
})

const byUserAdmin = { caller: userAdmin }
const make = (name: string) => request((context) => groupResource.create(context, { name }), byUserAdmin)
const members = async (name: string, options = {}) =>
  (await request((context) => groupResource.get(context, name), options)).item.users_count
const join = (name: string, userId: string, options = {}) =>
  request((context) => addMember(context, name, userId), options)
const leave = (name: string, userId: string, options = {}) =>
  request((context) => removeMember(context, name, userId), options)

test('every domain has the system groups, which keep their names and stay', async () => {
  const list = await request((context) => groupResource.list(context, GroupQuery.parse({ limit: ['-1'] })))
  expect(list.resources.slice(0, SYSTEM_GROUPS.length).map(({ name }) => name)).toEqual(SYSTEM_GROUPS)
  for (const name of SYSTEM_GROUPS) {
    const kept = { reason: 'STATE_CONFLICT' }
    await expect(request((context) => groupResource.remove(context, name, { force: true }))).rejects.toMatchObject(kept)
    await expect(request((context) => groupResource.update(context, name, { name: 'other' }))).rejects.toMatchObject(
      kept,
    )
  }
  const described = await request((context) =>
    groupResource.update(context, 'Key Users', { name: 'Key Users', description: 'x' }),
  )
  expect(described.item).toMatchObject({ name: 'Key Users', description: 'x' })
})

test('only admin changes system groups; user administrators change other groups', async () => {
  const { user_id } = await makeUser('ada')
  await make('crew')
  await expect(join('crew', user_id, byUserAdmin)).resolves.toMatchObject({ item: { name: 'crew', users_count: 1 } })
  const denied = { reason: 'ACTION_DENIED' }
  for (const name of ['admin', 'User Admins', 'Key Users']) {
    await expect(join(name, user_id, byUserAdmin)).rejects.toMatchObject(denied)
    await expect(leave(name, user_id, byUserAdmin)).rejects.toMatchObject(denied)
    const describe = request((context) => groupResource.update(context, name, { description: 'y' }), byUserAdmin)
    await expect(describe).rejects.toMatchObject(denied)
  }
  await expect(join('Key Users', user_id)).resolves.toMatchObject({ item: { users_count: 1 } })
})

test('a name that is taken is refused', async () => {
  await make('taken')
  await make('free')
  const taken = { reason: 'NAME_TAKEN', errors: [{ pointer: '#/name', detail: 'is taken' }] }
  await expect(make('taken')).rejects.toMatchObject(taken)
  await expect(make('admin')).rejects.toMatchObject(taken)
  const rename = request((context) => groupResource.update(context, 'free', { name: 'taken' }), byUserAdmin)
  await expect(rename).rejects.toMatchObject(taken)
})

test('a renamed group keeps its members', async () => {
  const { user_id } = await makeUser('bea')
  await make('old name')
  await join('old name', user_id)
  const renamed = await request(
    (context) => groupResource.update(context, 'old name', { name: 'new name' }),
    byUserAdmin,
  )
  expect(renamed.item).toMatchObject({ name: 'new name', users_count: 1 })
  expect((await request((context) => getUser(context, user_id))).item.groups).toEqual(['new name'])
  await expect(members('old name')).rejects.toMatchObject({ reason: 'NOT_FOUND' })
})

test('joining twice counts once, leaving twice is refused', async () => {
  const { user_id } = await makeUser('cleo')
  await make('club')
  await join('club', user_id)
  expect((await join('club', user_id)).item.users_count).toBe(1)
  await leave('club', user_id)
  await expect(leave('club', user_id)).rejects.toMatchObject({ reason: 'NOT_FOUND' })
  expect(await members('club')).toBe(0)
})

test('an unknown user or group is refused', async () => {
  const { user_id } = await makeUser('dora')
  const missing = { reason: 'NOT_FOUND' }
  await expect(join('no such group', user_id)).rejects.toMatchObject(missing)
  await expect(join('Key Users', 'local|01890000-0000-7000-8000-00000000ffff')).rejects.toMatchObject(missing)
})

test('a group with members is deleted only by force, which ends the memberships', async () => {
  const { user_id } = await makeUser('edda')
  await make('doomed')
  await join('doomed', user_id)
  const remove = (force?: boolean) =>
    request((context) => groupResource.remove(context, 'doomed', { force: force }), byUserAdmin)
  await expect(remove()).rejects.toMatchObject({
    reason: 'IN_USE',
    message: expect.stringContaining('1 member;') as string,
  })
  await remove(true)
  expect((await request((context) => getUser(context, user_id))).item.groups).toEqual([])
  await make('doomed')
  expect(await members('doomed')).toBe(0)
  await remove()
  await request((context) => deleteUser(context, user_id))
})

test('counts are exact under 20 concurrent changes of membership', async () => {
  await make('crowd')
  const crowd = await Promise.all(Array.from({ length: 20 }, (_, n) => makeUser(`member-${n}`)))
  await Promise.all(crowd.map(({ user_id }) => join('crowd', user_id)))
  expect(await members('crowd')).toBe(20)
  const [gone, ...others] = crowd
  await Promise.all([
    request((context) => deleteUser(context, gone?.user_id ?? '')),
    ...others.slice(0, 10).map(({ user_id }) => leave('crowd', user_id)),
    ...others.slice(10).map(({ user_id }) => join('crowd', user_id)),
  ])
  expect(await members('crowd')).toBe(9)
})

test('a group that gains a member meanwhile is not deleted as empty', async () => {
  const { user_id } = await makeUser('rival')
  await make('contested')
  const deletion = new Changes()
  await groupResource.remove(contextOf(deletion), 'contested', { force: undefined })
  await join('contested', user_id)
  await expect(deletion.commit(NOW)).rejects.toBeInstanceOf(Stale)
  expect(await members('contested')).toBe(1)
})

test('joining a group that is deleted meanwhile is refused', async () => {
  const { user_id } = await makeUser('latecomer')
  await make('vanishing')
  const joining = new Changes()
  await addMember(contextOf(joining), 'vanishing', user_id)
  await request((context) => groupResource.remove(context, 'vanishing', { force: undefined }))
  await expect(joining.commit(NOW)).rejects.toBeInstanceOf(Stale)
  expect((await request((context) => getUser(context, user_id))).item.groups).toEqual([])
})

test('leaving a group that is deleted by force meanwhile keeps the count correct', async () => {
  const { user_id } = await makeUser('leaver')
  await make('forced')
  await join('forced', user_id)
  const leaving = new Changes()
  await removeMember(contextOf(leaving), 'forced', user_id)
  await request((context) => groupResource.remove(context, 'forced', { force: true }))
  await expect(leaving.commit(NOW)).rejects.toBeInstanceOf(Stale)
})

test('a root user becomes a guest of a child domain through its groups, for callers from the root only', async () => {
  const child = await makeDomain('hosting', { allow_user_management: true })
  const fromRoot = { caller: callerFrom(child, { homeDomainId: ROOT.id }) }
  const ownAdmin = { caller: callerFrom(child) }
  const { user_id } = await makeUser('gina')
  await expect(join('Key Users', user_id, ownAdmin)).rejects.toMatchObject({ reason: 'NOT_FOUND' })
  expect((await join('Key Users', user_id, fromRoot)).item.users_count).toBe(1)
  await join('Key Admins', user_id, fromRoot)
  expect((await guests.get(child.id, user_id))?.item.username).toBe('gina')
  const seen = await request((context) => groupResource.list(context, GroupQuery.parse({ users: [user_id] })), fromRoot)
  expect(seen.resources.map(({ name }) => name)).toEqual(['Key Admins', 'Key Users'])
  await expect(leave('Key Users', user_id, ownAdmin)).rejects.toMatchObject({ reason: 'NOT_FOUND' })
  await leave('Key Users', user_id, fromRoot)
  await leave('Key Admins', user_id, fromRoot)
  expect(await guests.get(child.id, user_id)).toBeUndefined()
  expect(await members('Key Admins', fromRoot)).toBe(0)
  expect((await request((context) => getUser(context, user_id))).item.groups).toEqual([])
})

test('a user who administers a child domain cannot be deleted; other guest memberships end with the user', async () => {
  const child = await makeDomain('administered', { allow_user_management: true })
  const fromRoot = { caller: callerFrom(child, { homeDomainId: ROOT.id }) }
  const [hetty, other] = [await makeUser('hetty'), await makeUser('hilda')]
  for (const { user_id } of [hetty, other]) await join('admin', user_id, fromRoot)
  await join('Key Users', hetty.user_id, fromRoot)
  const remove = () => request((context) => deleteUser(context, hetty.user_id))
  await expect(remove()).rejects.toMatchObject({
    reason: 'IN_USE',
    message: expect.stringContaining('administered') as string,
  })
  await leave('admin', hetty.user_id, fromRoot)
  await remove()
  expect(await guests.get(child.id, hetty.user_id)).toBeUndefined()
  expect(await members('Key Users', fromRoot)).toBe(0)
  expect(await members('admin', fromRoot)).toBe(1)
  await expect(leave('admin', other.user_id, fromRoot)).rejects.toMatchObject({ reason: 'STATE_CONFLICT' })
})

test('in a child domain that does not manage its users, groups are managed from the root domain', async () => {
  const child = await makeDomain('managed')
  const own = { caller: callerFrom(child) }
  const denied = { reason: 'ACTION_DENIED' }
  await expect(request((context) => groupResource.create(context, { name: 'x' }), own)).rejects.toMatchObject(denied)
  const describe = request((context) => groupResource.update(context, 'Key Users', { description: 'x' }), own)
  await expect(describe).rejects.toMatchObject(denied)
  await expect(request((context) => groupResource.get(context, 'Key Users'), own)).resolves.toBeDefined()
})

test('groups are found by name, pattern and member, and sorted by their number of members', async () => {
  const domain = await makeDomain('sorting', { allow_user_management: true })
  const caller = { ...rootAdmin, domain }
  const list = async (query: Record<string, string[]>) =>
    (await request((context) => groupResource.list(context, GroupQuery.parse(query)), { caller })).resources.map(
      ({ name }) => name,
    )
  const [ann, bob] = [await makeUser('ann', {}, { caller }), await makeUser('bob', {}, { caller })]
  for (const { user_id } of [ann, bob]) await join('Key Users', user_id, { caller })
  await join('CA Admins', ann.user_id, { caller })
  expect(await list({ sort: ['-users_count'], limit: ['2'] })).toEqual(['Key Users', 'CA Admins'])
  expect(await list({ name: ['Key*'] })).toEqual(['Key Admins', 'Key Users'])
  expect(await list({ name: ['??? Admins', 'admin'], sort: ['-name'] })).toEqual(['admin', 'Key Admins'])
  expect(await list({ users: [bob.user_id] })).toEqual(['Key Users'])
  expect(await list({ clients: ['01890000-0000-7000-8000-000000000000'] })).toEqual([])
  expect(await list({ connection: ['local_account'], limit: ['1'] })).toEqual(['admin'])
})
