import { beforeAll, describe, expect, test } from 'vitest'
import { authority as elsewhere } from '../../support/certificates.ts'
import { openssl, someName } from '../ca/ca.ts'
import { DAY, expectRefused, useVault } from '../vault/vault.ts'
import { AT, CLIENTS, clientsOf } from './clients.ts'

const vault = useVault()
const admin = () => vault().admin
let own: ReturnType<typeof clientsOf>
let ca: any
let token: any
beforeAll(async () => {
  own = clientsOf(vault())
  ca = await own.authority({ cn: 'Machines' })
  token = await own.token()
})
const NOWHERE = '01890000-0000-7000-8000-00000000ffff'
const certificateOf = (client: any): Promise<any> => own.certificateOf(client)
const find = async (query: string): Promise<string[]> =>
  (await admin().ok('GET', `${CLIENTS}?${query}`)).resources.map(({ name }: any) => name as string)

describe('clients', () => {
  test('are not revoked while a policy denies the revocation of their certificate', async () => {
    const made = await own.registered(token, { name: someName('kept') })
    const { uri } = await certificateOf(made)
    const denial = { name: 'certificates stay', effect: 'deny', actions: ['RevokeCertificate'], resources: [uri] }
    const { id: policy } = await admin().ok('POST', '/v1/admin/policies', denial)
    const to = { policy, principalSelector: { groups: ['admin'] } }
    const held = await admin().ok('POST', '/v1/admin/policy-attachments', to)
    vault().advance(5_000)
    expectRefused(await own.revoke(made), 403, 4)
    await admin().ok('DELETE', `/v1/admin/policy-attachments/${held.id as string}`)
    vault().advance(5_000)
    expect((await own.revoke(made)).status).toBe(200)
  })

  test('are found by their fields', async () => {
    const [other, profile] = [await own.authority(), await own.profile()]
    const prefix = someName('found')
    const one = await own.registered(token, {
      name: `${prefix}-one`,
      client_metadata: { team: 'payments', site: { floor: 3 } },
    })
    const two = await own.registered(await own.token({ ca_id: other.id }), { name: `${prefix}-two` })
    const three = await own.registered(await own.token({ client_management_profile_id: profile.id }), {
      name: `${prefix}-three`,
    })
    const colons = (one.sha256_fingerprint as string).toUpperCase().replaceAll(/..(?=.)/g, '$&:')
    const within = `client_name=${prefix}*`
    expect(await find(within)).toEqual([one.name, two.name, three.name])
    expect(await find(`${within}&sort=-name&limit=2`)).toEqual([two.name, three.name])
    expect(await find(`client_id=${one.id as string},${two.id as string}`)).toEqual([one.name, two.name])
    expect(await find(`id=${one.id as string}&client_id=${two.id as string}`)).toEqual([])
    expect(await find(`ca_id=${other.id as string}`)).toEqual([two.name])
    expect(await find(`ca_id=${other.id as string},${ca.id as string}&${within}`)).toHaveLength(3)
    expect(await find(`client_mgmt_profile_id=${profile.id as string}`)).toEqual([three.name])
    expect(await find(`client_mgmt_profile_id=${profile.id as string}&ca_id=${other.id as string}`)).toEqual([])
    expect(await find(`sha256_fingerprint=${colons}`)).toEqual([one.name])
    expect(await find(`client_metadata=${encodeURIComponent('{"site":{"floor":3}}')}`)).toEqual([one.name])
    expectRefused(await admin().call('GET', `${CLIENTS}?client_metadata=payments`), 400, 1, 'client_metadata')
    expect(await find(`state=active&${within}`)).toHaveLength(3)
    await own.revoke(two)
    expect(await find(`state=revoked&${within}`)).toEqual([two.name])
    const { resources, total } = await admin().ok('GET', `${CLIENTS}?${within}&limit=1`)
    expect([resources, total]).toEqual([[await own.get(one)], 3])
    expectRefused(await admin().call('DELETE', `${AT}/profiles/${profile.id as string}`), 409, 9)
    expectRefused(await admin().call('DELETE', own.authorities.at(other)), 409, 9)
    expectRefused(await admin().call('GET', `${CLIENTS}/${NOWHERE}`), 404, 5)
  })

  test('are managed by Client Admins of the root domain', async () => {
    const made = await own.registered(token)
    const { holder } = await vault().user('keeper', ['Key Admins', 'User Admins', 'CA Admins'])
    expectRefused(await holder.call('GET', CLIENTS), 403, 4)
    expectRefused(await clientsOf(vault(), holder).revoke(made), 403, 4)
    expectRefused(await clientsOf(vault(), holder).renew(made), 403, 4)
    const { holder: machinist } = await vault().user('machinist', ['Client Admins'])
    expect((await clientsOf(vault(), machinist).revoke(made)).status).toBe(200)
    expectRefused(await machinist.call('POST', `${AT}/self/client/renew`, {}), 403, 4)
  })
})

describe('a revoked client', () => {
  test('stays so, and its certificate is revoked with it', async () => {
    const made = await own.registered(token)
    const { status, body } = await own.revoke(made, { reason: 'keyCompromise' })
    expect([status, body]).toEqual([200, { ...made, key: undefined, state: 'revoked', updatedAt: body.updatedAt }])
    expect(await certificateOf(made)).toMatchObject({ state: 'revoked', revoked_reason: 'keyCompromise' })
    expectRefused(await own.revoke(made), 409, 8)
    expectRefused(await own.renew(made), 409, 8)
    expectRefused(await own.revoke({ id: NOWHERE }), 404, 5)
    expectRefused(await own.revoke(await own.registered(token), { reason: 'boredom' }), 422, 2, '#/reason')
  })

  test('may have a revoked certificate, or one without a record', async () => {
    for (const end of ['revoke', 'delete'] as const) {
      const made = await own.registered(token)
      const cert = await certificateOf(made)
      if (end === 'revoke') await own.authorities.revoke(ca, cert, 'superseded')
      else await admin().ok('DELETE', own.authorities.certAt(ca, cert))
      expect((await own.revoke(made)).body).toMatchObject({ state: 'revoked' })
    }
  })
})

describe('a deleted client', () => {
  test('does not exist any longer, and its name is free', async () => {
    const { name, ...made } = await own.registered(token, { name: someName('gone') })
    expect((await own.remove(made)).body).toEqual({ status: 204 })
    expectRefused(await own.remove(made), 404, 5)
    expect((await own.registered(token, { name })).id).not.toBe(made.id)
  })
})

describe('a renewed client', () => {
  test('has at most two certificates, and none when it is revoked', async () => {
    const made = await own.registered(token)
    const all = [made]
    for (let n = 0; n < 4; n++) all.push((await own.renew(made)).body)
    const states = () => Promise.all(all.map(async (one) => (await certificateOf(one)).state as string))
    expect(await states()).toEqual(['revoked', 'revoked', 'revoked', 'active', 'active'])
    expect((await own.revoke(made)).status).toBe(200)
    expect(await states()).toEqual(Array(5).fill('revoked'))
  })

  test('has a new key pair of the service, once, and the same id', async () => {
    const { key, ...made } = await own.registered(token)
    const { status, body } = await own.renew(made)
    const { key: newKey, ...renewed } = body
    expect(status, JSON.stringify(body)).toBe(200)
    expect(newKey).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    expect(newKey).not.toBe(key)
    expect(renewed).toMatchObject({ id: made.id, name: made.name, authentication_mode: 'dn', ca_id: made.ca_id })
    expect(renewed.sha256_fingerprint).not.toBe(made.sha256_fingerprint)
    const subject = await openssl(['x509', '-in', '{cert}', '-noout', '-subject'], { cert: renewed.cert })
    expect(subject).toContain(`UID = ${made.id as string}`)
    expect(await own.get(made)).toEqual(renewed)
    expect((await certificateOf(made)).state).toBe('active') // for the next 24 hours
    await own.revoke(made)
    expect((await certificateOf(made)).state).toBe('revoked')
    expect((await certificateOf(renewed)).state).toBe('revoked')
  })

  test('may send a request, or a certificate of an external authority', async () => {
    const made = await own.registered(token, { subject_dn_field_to_modify: 'serialNumber' })
    const { csr } = await own.authorities.request({ cn: 'anew' })
    const { body: renewed } = await own.renew(made, { csr })
    expect(renewed.key).toBeUndefined()
    const subject = await openssl(['x509', '-in', '{cert}', '-noout', '-subject'], { cert: renewed.cert })
    expect(subject).toContain(`CN = anew, serialNumber = ${made.id as string}, UID = ${made.id as string}`)
    const theirs = elsewhere(someName('Elsewhere'))
    const known = await own.authorities.external({ cert: theirs.cert })
    await admin().ok('PATCH', `/v1/ca/external-cas/${known.id as string}`, { allow_client_authentication: true })
    const { cert } = theirs.issue('their-machine')
    const { body: taken } = await own.renew(made, { ext_cert: cert })
    expect(taken).toMatchObject({ cert, ca_id: known.id, authentication_mode: 'fingerprint' })
    expectRefused(await own.renew(made, { ext_cert: cert }), 422, 2, '#/ext_cert')
    const { body: back } = await own.renew(made)
    expect(back).toMatchObject({ ca_id: ca.id, authentication_mode: 'fingerprint' })
    const stranger = await own.registered(token)
    // The former client can still log in with that certificate.
    expectRefused(await own.renew(stranger, { ext_cert: cert }), 409, 7, '#/ext_cert')
    expectRefused(await own.renew(made, { csr: 'none' }), 422, 2, '#/csr')
  })

  test('may have expired before', async () => {
    const made = await own.registered(await own.token({ ca_id: ca.id, cert_duration: 1 }))
    vault().advance(2 * DAY)
    expect((await own.get(made)).state).toBe('expired')
    expect((await own.renew(made)).body).toMatchObject({ state: 'active' })
  })
})
