import { beforeAll, describe, expect, test } from 'vitest'
import { someName } from '../ca/ca.ts'
import { expectRefused, useVault } from '../vault/vault.ts'
import { clientsOf, memberAt as at, PROFILES, TOKENS } from './clients.ts'

const vault = useVault()
const admin = () => vault().admin
let own: ReturnType<typeof clientsOf>
let token: any
beforeAll(async () => {
  own = clientsOf(vault())
  await own.authority({ cn: 'Machines' })
  token = await own.token()
})

describe('groups of clients', () => {
  const groupAt = (name: string): string => `/v1/usermgmt/groups/${name}`
  const groupsOf = async ({ id }: any): Promise<string[]> =>
    (await admin().ok('GET', `/v1/usermgmt/groups?clients=${id as string}`)).resources.map(
      ({ name }: any) => name as string,
    )

  test('are left and joined, and are not deleted meanwhile', async () => {
    const name = someName('robots')
    await admin().ok('POST', '/v1/usermgmt/groups', { name })
    const made = await own.registered(token)
    expect(await admin().ok('POST', at(name, made))).toMatchObject({ name, users_count: 0 })
    expect((await admin().call('POST', at(name, made))).status).toBe(200) // safe to repeat
    expect((await own.get(made)).groups).toEqual([name, 'All Clients'])
    expect((await groupsOf(made)).sort()).toEqual(['All Clients', name])
    expectRefused(await admin().call('DELETE', groupAt(name)), 409, 9)
    expect(await admin().ok('DELETE', at(name, made))).toEqual({ status: 204 })
    expectRefused(await admin().call('DELETE', at(name, made)), 404, 5)
    await admin().ok('POST', at(name, made))
    await own.remove(made)
    await admin().ok('DELETE', groupAt(name))
    expectRefused(await admin().call('POST', at(name, made)), 404, 5)
  })

  test('come from a profile, without deleted ones', async () => {
    const name = someName('robots')
    await admin().ok('POST', '/v1/usermgmt/groups', { name })
    const profile = await own.profile({ groups: [name] })
    const with_profile = await own.token({ client_management_profile_id: profile.id })
    const [one, two] = [await own.registered(with_profile), await own.registered(with_profile)]
    expect(one.groups).toEqual([name, 'All Clients'])
    await own.remove(two)
    expectRefused(await admin().call('DELETE', groupAt(name)), 409, 9)
    await admin().ok('DELETE', `${groupAt(name)}?force=true`)
    expect((await own.get(one)).groups).toEqual(['All Clients'])
    await admin().ok('POST', '/v1/usermgmt/groups', { name })
    expect((await own.get(one)).groups).toEqual(['All Clients']) // another group of the same name
    expect((await own.remove(one)).status).toBe(200)
  })

  test('of the service are assigned by members of admin only, and the group of all clients by no caller', async () => {
    const made = await own.registered(token)
    const { holder } = await vault().user('client-keeper', ['Client Admins'])
    expectRefused(await holder.call('POST', at('admin', made)), 403, 4)
    expectRefused(await admin().call('POST', at('All Clients', made)), 409, 8)
    expectRefused(await admin().call('DELETE', at('All Clients', made)), 409, 8)
    expect((await clientsOf(vault(), holder).renew(made)).status).toBe(200)
    const group = await admin().ok('POST', at('admin', made))
    expect(group.users_count).toBe(1) // counts users only
    expectRefused(await clientsOf(vault(), holder).renew(made), 403, 4) // its key would be an administrator's
    expect((await own.renew(made)).status).toBe(200)
    expectRefused(await holder.call('DELETE', at('admin', made)), 403, 4)
    expect((await clientsOf(vault(), holder).revoke(made)).status).toBe(200)
  })

  test('of the service end the registration tokens that other users made for their profile', async () => {
    const { holder } = await vault().user('token-keeper', ['Client Admins'])
    const profile = await own.profile()
    const body = { client_management_profile_id: profile.id }
    const theirs = await clientsOf(vault(), holder).token(body)
    const ours = await own.token(body)
    const keeper = clientsOf(vault(), holder)
    const readBy = async (which: any) => (await holder.ok('GET', `${TOKENS}/${which.id as string}`)).token
    expect(await readBy(theirs)).toBe(theirs.token)
    expect(await readBy(ours)).toBe('********') // it outlives the change, so it is not read before
    expect(await readBy(await own.token())).toMatch(/^[\w-]{64}$/) // without a profile it never gives more
    const before = (await keeper.register({ registration_token: theirs.token })).body
    const register = (which: any) => own.register({ registration_token: which.token })
    expect((await register(theirs)).status).toBe(201)
    await admin().ok('PATCH', `${PROFILES}/${profile.id as string}`, { groups: ['keymgr Users'] })
    expectRefused(await register(theirs), 401, 3)
    expect((await own.get(before)).groups).toEqual(['All Clients']) // those of its registration
    expect((await keeper.renew(before)).status).toBe(200)
    expectRefused(await holder.call('POST', TOKENS, body), 403, 4)
    expect(await register(ours)).toMatchObject({ status: 201, body: { groups: ['keymgr Users', 'All Clients'] } })
  })
})
