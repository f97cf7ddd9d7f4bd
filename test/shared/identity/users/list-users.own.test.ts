import { beforeAll, expect, test } from 'vitest'
import { groupResource } from '../../../../shared/identity/groups/groups.ts'
import { listUsers } from '../../../../shared/identity/users/list-users.ts'
import { addMember } from '../../../../shared/identity/groups/members.ts'
import { UserQuery } from '../../../../shared/identity/users/model.ts'
import { later } from '../../../../shared/base/time.ts'
import { useTable } from '../../../support/store.ts'
import { makeDomain, makeUser, NOW, request, ROOT } from './requests.ts'

useTable()

const PEOPLE = [
  ['zoe', 'Ada Byron', 'zoe@one.example', ['red']],
  ['yan', 'Bea Curie', 'yan@two.example', ['red', 'blue']],
  ['xia', 'Ada Curie', undefined, ['blue']],
  ['wim', 'Dora', 'wim@one.example', []],
] as const

const made = (n: number) => later(NOW, n * 1_000)

beforeAll(async () => {
  await makeDomain('root', { id: ROOT.id })
  for (const name of ['red', 'blue']) await request((context) => groupResource.create(context, { name }))
  for (const [n, [username, name, email, groups]] of PEOPLE.entries()) {
    const { user_id } = await makeUser(username, { name, ...(email && { email }) }, { now: made(n) })
    for (const group of groups) await request((context) => addMember(context, group, user_id))
  }
})

const list = (query: Record<string, string[]>) => request((context) => listUsers(context, UserQuery.parse(query)))

test.each([
  ['everybody, oldest first', {}, ['zoe', 'yan', 'xia', 'wim']],
  ['newest first', { sort: ['-createdAt'] }, ['wim', 'xia', 'yan', 'zoe']],
  ['a window', { skip: ['1'], limit: ['2'] }, ['yan', 'xia']],
  ['a window past the end', { skip: ['9'] }, []],
  ['by user name', { sort: ['username'] }, ['wim', 'xia', 'yan', 'zoe']],
  ['without address first, then by address', { sort: ['email'] }, ['xia', 'wim', 'yan', 'zoe']],
  ['by two properties', { sort: ['-email,username'] }, ['zoe', 'yan', 'wim', 'xia']],
  ['a user name', { username: ['yan'] }, ['yan']],
  ['two user names', { username: ['wim,zoe'] }, ['zoe', 'wim']],
  ['a user name nobody has', { username: ['Zoe'] }, []],
  ['a user name and another filter', { username: ['zoe,xia'], groups: ['blue'] }, ['xia']],
  ['a pattern of user names', { username: ['?i*'] }, ['xia', 'wim']],
  ['a pattern of names', { name: ['Ada*'] }, ['zoe', 'xia']],
  ['patterns of names, sorted', { name: ['*Curie', 'Dora'], sort: ['name'] }, ['xia', 'yan', 'wim']],
  ['an address', { email: ['wim@one.example'] }, ['wim']],
  ['a group', { groups: ['red'] }, ['zoe', 'yan']],
  ['any of two groups', { groups: ['red', 'blue'] }, ['zoe', 'yan', 'xia']],
  ['a group that is not there', { groups: ['green'] }, []],
  ['not a group', { exclude_groups: ['blue'] }, ['zoe', 'wim']],
  ['one group and not another', { groups: ['red'], exclude_groups: ['blue'] }, ['zoe']],
  ['made after', { createdAfter: [made(1).toISOString()] }, ['xia', 'wim']],
  ['made before', { createdBefore: [made(1).toISOString()] }, ['zoe']],
  [
    'made between, newest first',
    { createdAfter: [NOW.toISOString()], createdBefore: [made(3).toISOString()], sort: ['-created_at'] },
    ['xia', 'yan'],
  ],
  ['the local store', { connection: ['local_account'] }, ['zoe', 'yan', 'xia', 'wim']],
  ['another store', { connection: ['ldap'] }, []],
  ['expired accounts', { account_expired: ['true'] }, []],
])('the list answers %s', async (_what, query, usernames) => {
  const page = await list(query)
  expect(page.resources.map(({ username }) => username)).toEqual(usernames)
})

test('the total counts all matches', async () => {
  expect(await list({ limit: ['1'] })).toMatchObject({ skip: 0, limit: 1, total: 4 })
  expect(await list({ groups: ['red'], limit: ['1'], skip: ['1'] })).toMatchObject({ skip: 1, limit: 1, total: 2 })
  expect(await list({ username: ['zoe,wim,none'], limit: ['1'] })).toMatchObject({ total: 2 })
})

test('groups are answered on request', async () => {
  const withGroups = await list({ return_groups: ['true'] })
  expect(withGroups.resources.map(({ groups }) => groups)).toEqual([['red'], ['red', 'blue'], ['blue'], []])
  for (const user of (await list({})).resources) expect(user).not.toHaveProperty('groups')
})

test.each([
  ['an order by something unknown', { sort: ['shoe_size'] }],
  ['an order by the password', { sort: ['password_hash'] }],
  ['a filter that is none', { colour: ['red'] }],
  ['a limit of 0', { limit: ['0'] }],
  ['a flag that is neither true nor false', { return_groups: ['yes'] }],
])('the query refuses %s', (_what, query) => {
  expect(UserQuery.safeParse(query).success).toBe(false)
})
