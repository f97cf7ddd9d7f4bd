import { beforeAll, describe, expect, test } from 'vitest'
import { someName } from '../ca/ca.ts'
import { expectRefused, useVault } from '../vault/vault.ts'
import { AT, clientsOf, PROFILES, TOKENS } from './clients.ts'

const vault = useVault()
const admin = () => vault().admin
let own: ReturnType<typeof clientsOf>
beforeAll(() => {
  own = clientsOf(vault())
})
const at = ({ id }: any): string => `${PROFILES}/${id as string}`
const tokenAt = ({ id }: any): string => `${TOKENS}/${id as string}`
const NOWHERE = '01890000-0000-7000-8000-00000000ffff'

describe('a client profile', () => {
  test('is created, read, changed and deleted', async () => {
    const ca = await own.authority()
    await admin().ok('POST', '/v1/usermgmt/groups', { name: 'robots' })
    const body = {
      name: 'machines',
      ca_id: ca.id,
      cert_duration: 30,
      csr_parameters: { csr_cn: 'machine', csr_country: 'DE', csr_email: 'machine@example.test' },
      groups: ['robots'],
    }
    const made = await admin().ok('POST', PROFILES, body)
    expect(made).toMatchObject({ ...body, uri: expect.stringMatching(/:client-management:profile:/) })
    expect(await admin().ok('GET', at(made))).toEqual(made)
    expect((await admin().ok('GET', `${PROFILES}?name=mach*`)).resources).toEqual([made])
    const changed = await admin().ok('PATCH', at(made), { name: 'others', ca_id: null, csr_parameters: null })
    expect(changed).toMatchObject({ name: 'others', cert_duration: 30, groups: ['robots'] })
    expect([changed.ca_id, changed.csr_parameters]).toEqual([undefined, undefined])
    await admin().ok('PATCH', '/v1/usermgmt/groups/robots', { name: 'machines' })
    expect((await admin().ok('GET', at(made))).groups).toEqual(['machines']) // the renamed group is still assigned
    expect((await admin().ok('PATCH', at(made), { groups: null })).groups).toEqual([])
    expect(await admin().ok('DELETE', at(made))).toEqual({ status: 204 })
    expectRefused(await admin().call('GET', at(made)), 404, 5)
  })

  test('is valid for 730 days by default', async () => {
    expect(await own.profile()).toMatchObject({ cert_duration: 730, groups: [] })
  })

  test.each<[string, object, number, number, string]>([
    ['no name', { name: undefined }, 422, 2, '#/name'],
    ['a duration of no days', { cert_duration: 0 }, 422, 2, '#/cert_duration'],
    ['a country that is none', { csr_parameters: { csr_country: 'Germany' } }, 422, 2, '#/csr_parameters/csr_country'],
    ['a NUL in a name', { csr_parameters: { csr_cn: 'a\u0000b' } }, 422, 2, '#/csr_parameters/csr_cn'],
    ['an unknown field', { colour: 'red' }, 400, 1, '#/colour'],
    ['an authority that is not there', { ca_id: NOWHERE }, 404, 5, '#/ca_id'],
    ['a group that is not there', { groups: ['none such'] }, 404, 5, '#/groups/0'],
    ['the group of every client', { groups: ['All Clients'] }, 422, 2, '#/groups'],
  ])('with %s is refused, naming it', async (_what, body, status, code, pointer) => {
    expectRefused(await admin().call('POST', PROFILES, { name: someName('p'), ...body }), status, code, pointer)
  })

  test('has a name of its own', async () => {
    const { name } = await own.profile()
    expectRefused(await admin().call('POST', PROFILES, { name }), 409, 7, '#/name')
  })

  test('keeps its authority, and is kept by registration tokens', async () => {
    const ca = await own.authority()
    const profile = await own.profile({ ca_id: ca.id })
    expectRefused(await admin().call('DELETE', own.authorities.at(ca)), 409, 9)
    const token = await own.token({ client_management_profile_id: profile.id })
    expectRefused(await admin().call('DELETE', at(profile)), 409, 9)
    await admin().ok('DELETE', tokenAt(token))
    await admin().ok('DELETE', at(profile))
    const old = await own.token({ ca_id: ca.id })
    expectRefused(await admin().call('DELETE', own.authorities.at(ca)), 409, 9)
    await admin().ok('DELETE', tokenAt(old))
    await admin().ok('DELETE', own.authorities.at(ca))
  })
})

describe('a registration token', () => {
  test('is shown when it is created and to administrators who read it, and masked elsewhere', async () => {
    const made = await own.token({ label: 'floor 3', labels: { site: 'west' }, lifetime: '2h', max_clients: 5 })
    expect(made).toMatchObject({
      token: expect.stringMatching(/^[\w-]{64}$/),
      uri: expect.stringMatching(/:client-management:registration-token:/),
      clients_registered: 0,
      max_clients: 5,
      expires_at: new Date(Date.parse(made.createdAt as string) + 7_200_000).toISOString(),
    })
    expect(await admin().ok('GET', tokenAt(made))).toEqual(made)
    const masked = { ...made, token: '********' }
    for (const query of ['label=floor%203', 'labels=site=west', 'labels=site'])
      expect((await admin().ok('GET', `${TOKENS}?${query}`)).resources).toEqual([masked])
    expect((await admin().ok('GET', `${TOKENS}?labels=site=east`)).total).toBe(0)
    const changed = await admin().ok('PATCH', tokenAt(made), { lifetime: null, label: null, labels: { a: 'b' } })
    expect(changed).toMatchObject({ token: '********', labels: { a: 'b' }, max_clients: 5 })
    expect([changed.expires_at, changed.label]).toEqual([undefined, undefined])
    const records = JSON.stringify(await vault().records('service=client-management'))
    expect(records).toContain('floor 3')
    expect(records).not.toContain(made.token)
    await admin().ok('DELETE', tokenAt(made))
    expectRefused(await admin().call('GET', tokenAt(made)), 404, 5)
  })

  test.each<[string, object, number, number, string]>([
    ['a lifetime without a unit', { lifetime: '30' }, 422, 2, '#/lifetime'],
    ['a lifetime of weeks', { lifetime: '3w' }, 422, 2, '#/lifetime'],
    ['room for no client', { max_clients: 0 }, 422, 2, '#/max_clients'],
    ['an authority that is not there', { ca_id: NOWHERE }, 404, 5, '#/ca_id'],
    [
      'a profile that is not there',
      { client_management_profile_id: NOWHERE },
      404,
      5,
      '#/client_management_profile_id',
    ],
    ['a profile and an authority', { client_management_profile_id: NOWHERE, ca_id: NOWHERE }, 422, 2, '#/ca_id'],
  ])('with %s is refused, naming it', async (_what, body, status, code, pointer) => {
    expectRefused(await admin().call('POST', TOKENS, body), status, code, pointer)
  })
})

describe('who may', () => {
  test('Client Admins manage clients, and only members of admin give them system groups', async () => {
    const { holder } = await vault().user('machinist', ['Client Admins'])
    expect((await holder.call('POST', PROFILES, { name: someName('p') })).status).toBe(201)
    expectRefused(await holder.call('POST', PROFILES, { name: someName('p'), groups: ['admin'] }), 403, 4)
    const plain = await own.profile()
    expectRefused(await holder.call('PATCH', at(plain), { groups: ['Key Admins'] }), 403, 4)
    const powerful = await own.profile({ groups: ['admin'] })
    expect((await holder.call('PATCH', at(powerful), { groups: ['admin'], cert_duration: 9 })).status).toBe(200)
    expectRefused(await holder.call('PATCH', at(powerful), { groups: [] }), 403, 4)
    const using = { client_management_profile_id: powerful.id }
    expectRefused(await holder.call('POST', TOKENS, using), 403, 4)
    const token = await own.token(using)
    expect((await holder.ok('GET', tokenAt(token))).token).toBe('********')
    expectRefused(await holder.call('PATCH', tokenAt(token), { max_clients: 9 }), 403, 4)
    expect((await admin().ok('GET', tokenAt(token))).token).toBe(token.token)
  })

  test('a service that is reached without TLS has no fingerprint to pin', async () => {
    expectRefused(await admin().call('GET', `${AT}/webcert-fingerprint`), 503, 17)
  })

  test('others are refused, and a child domain has no clients', async () => {
    const { holder } = await vault().user('keeper', ['Key Admins', 'User Admins', 'CA Admins'])
    for (const path of [PROFILES, TOKENS]) expectRefused(await holder.call('GET', path), 403, 4)
    const { sub } = await vault().user('child-admin', [])
    await admin().ok('POST', '/v1/domains', { name: 'child', admins: [sub], allow_user_management: true })
    const token = await vault().service.logIn('child-admin', 'Pass-word-11x', { domain: 'child' })
    for (const path of [PROFILES, TOKENS]) expectRefused(await vault().service.call('GET', path, { token }), 403, 4)
  })
})
