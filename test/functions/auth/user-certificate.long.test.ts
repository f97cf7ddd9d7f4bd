import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { thumbprintOf } from '../../../shared/crypto/x509/thumbprint.ts'
import { childAdmin } from '../../support/callers.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import type { Answered } from '../../support/service.ts'
import { newRequest } from '../ca/ca.ts'
import { useClients } from './clients.ts'

const all = useClients()
const USERS = '/v1/usermgmt/users'
const PASSWORD = 'Pass-word-1x'
let count = 0

/** Creates a user who logs in by certificate, and the certificate. */
async function user(more: object = {}): Promise<{ id: string; name: string; identity: KeyedCertificate }> {
  count += 1
  const name = `person-${count}`
  const body = {
    ...{ username: name, password: PASSWORD, allowed_auth_methods: ['password', 'user_certificate'] },
    ...{ certificate_subject_dn: `CN=${name},O=Shop`, ...more },
  }
  const { user_id: id } = (await all().admin.ok('POST', USERS, body)) as { user_id: string }
  return { id, name, identity: await all().issued(`/O=Shop/CN=${name}`) }
}
const change = (id: string, body: object): Promise<Answered> => all().admin.call('PATCH', `${USERS}/${id}`, body)

const ask = (identity: KeyedCertificate | undefined, body: object = {}): Promise<Answered> =>
  all().over(identity, 'POST', '/v1/auth/tokens', { body: { grant_type: 'user_certificate', ...body } })
const renew = (identity: KeyedCertificate | undefined, token: string): Promise<Answered> =>
  ask(identity, { grant_type: 'refresh_token', refresh_token: token })
const isRefused = async (identity?: KeyedCertificate, body?: object): Promise<void> =>
  expect(await ask(identity, body)).toMatchObject({
    status: 401,
    body: { code: 3, detail: expect.stringMatching(/^No user of the domain logs in with the certificate/) },
  })
const logsIn = async (identity: KeyedCertificate, body?: object): Promise<any> => {
  const answered = await ask(identity, body)
  expect(answered.status, JSON.stringify(answered.body)).toBe(200)
  return answered.body
}

test('a user logs in by certificate: the tokens are bound to it, and the log-in is counted', async () => {
  const { id, name, identity } = await user()
  const body = await logsIn(identity)
  expect(body).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) })
  expect(decodeJwt(body.jwt as string)).toMatchObject({
    ...{ sub: id, preferred_username: name, cust: { client_type: 'user' } },
    cnf: { 'x5t#S256': thumbprintOf(identity.cert) },
  })
  const self = (who?: KeyedCertificate) => all().over(who, 'GET', '/v1/auth/self/user', { token: body.jwt as string })
  expect(await self(identity)).toMatchObject({ status: 200, body: { username: name, logins_count: 1 } })
  expect((await self()).status).toBe(401)
  await all().ca.revoke(all().authority, identity, 'keyCompromise')
  all().advance(5_000)
  expect((await self(identity)).status).toBe(401)
})

test('other certificates, other authorities and a missing certificate get the same answer', async () => {
  const { identity, name } = await user()
  await isRefused()
  await isRefused(await all().issued(`/CN=${name}`))
  for (const purpose of ['server', 'ca']) await isRefused(await all().issued(`/O=Shop/CN=${name}`, { purpose }))
  const another = await all().ca.root({ cn: 'For clients alone' })
  await all().allow(another, { client: true })
  await isRefused(await all().issued(`/O=Shop/CN=${name}`, {}, another))
  await isRefused(identity, { domain: 'no such domain' })
  await logsIn(identity)
})

test('a subject is compared by its one spelling, and belongs to one user', async () => {
  const one = await user({ certificate_subject_dn: 'cn = Spelled \\2C so , o=Shop' })
  expect((await all().admin.ok('GET', `${USERS}/${one.id}`)).certificate_subject_dn).toBe('CN=Spelled \\, so,O=Shop')
  await logsIn(await all().issued('/O=Shop/CN=Spelled , so'))
  const other = await user()
  const taken = {
    status: 409,
    body: { code: 7, errors: [{ pointer: '#/certificate_subject_dn', detail: 'is taken' }] },
  }
  expect(await change(other.id, { certificate_subject_dn: '2.5.4.3=Spelled \\, so,O=Shop' })).toMatchObject(taken)
  const made = { username: 'third', password: PASSWORD, certificate_subject_dn: 'CN=Spelled \\, so,O=Shop' }
  expect(await all().admin.call('POST', USERS, made)).toMatchObject(taken)
  expect((await change(one.id, { certificate_subject_dn: null })).status).toBe(200)
  expect((await change(other.id, { certificate_subject_dn: 'CN=Spelled \\, so,O=Shop' })).status).toBe(200)
})

test.each(['no name', 'CN=', 'CN="quoted"', 'NAME=x', 'CN=a,', '1.2.3=text', 'CN=a\\'])(
  'the subject %j is refused',
  async (subject) => {
    const body = { username: 'refused', password: PASSWORD, certificate_subject_dn: subject }
    expect(await all().admin.call('POST', USERS, body)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '#/certificate_subject_dn' }] },
    })
  },
)

test('users log in only in the ways they are allowed, and renew only in those', async () => {
  const { id, name, identity } = await user()
  const byCertificate = await logsIn(identity)
  const byPassword = await all().service.call('POST', '/v1/auth/tokens', { body: { name, password: PASSWORD } })
  expect((await change(id, { allowed_auth_methods: ['user_certificate'] })).status).toBe(200)
  expect((await all().service.call('POST', '/v1/auth/tokens', { body: { name, password: PASSWORD } })).status).toBe(401)
  expect((await renew(identity, byPassword.body.refresh_token as string)).status).toBe(401)
  expect((await renew(identity, byCertificate.refresh_token as string)).status).toBe(200)
  expect((await change(id, { allowed_auth_methods: ['password'] })).status).toBe(200)
  await isRefused(identity)
  expect((await renew(identity, byCertificate.refresh_token as string)).status).toBe(401)
})

test('a log-in by certificate is renewed only with a certificate of the user', async () => {
  const { id, name, identity } = await user()
  const { refresh_token: token } = await logsIn(identity)
  expect(await renew(undefined, token as string)).toMatchObject({
    status: 401,
    body: { detail: 'A log-in by certificate is renewed at the host with mutual TLS, with a certificate of its user.' },
  })
  expect((await renew((await user()).identity, token as string)).status).toBe(401)
  const next = await all().issued(`/O=Shop/CN=${name}`)
  const renewed = await renew(next, token as string)
  expect(decodeJwt(renewed.body.jwt as string)).toMatchObject({ cnf: { 'x5t#S256': thumbprintOf(next.cert) } })
  await all().ca.revoke(all().authority, next, 'superseded')
  all().service.deployment.clock.advance(5_000)
  expect((await renew(next, token as string)).status).toBe(401)
  expect((await renew(identity, token as string)).status).toBe(200)
  expect((await change(id, { certificate_subject_dn: `CN=${name},O=Else` })).status).toBe(200)
  expect((await renew(identity, token as string)).status).toBe(401)
})

test('disabled users and those locked after wrong passwords do not log in', async () => {
  const { id, name, identity } = await user()
  for (let wrong = 0; wrong < 5; wrong++)
    await all().service.call('POST', '/v1/auth/tokens', { body: { name, password: 'Wrong-word-1x' } })
  await isRefused(identity)
  expect((await change(id, { failed_logins_count: 0 })).status).toBe(200)
  await logsIn(identity)
  expect((await change(id, { enabled: false })).status).toBe(200)
  await isRefused(identity)
})

test('a user with only a certificate needs a subject; administrators keep a password', async () => {
  const alone = { allowed_auth_methods: ['user_certificate'] }
  const { id } = await user()
  expect(await change(id, { ...alone, certificate_subject_dn: null })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '#/certificate_subject_dn' }] },
  })
  expect((await change(id, alone)).status).toBe(200)
  const join = () => all().admin.call('POST', `/v1/usermgmt/groups/admin/users/${id}`)
  expect(await join()).toMatchObject({ status: 409, body: { code: 8 } })
  expect((await change(id, { allowed_auth_methods: ['password', 'user_certificate'] })).status).toBe(200)
  expect((await join()).status).toBe(200)
  expect(await change(id, alone)).toMatchObject({ status: 409, body: { code: 8 } })
})

test("a guest of a child domain logs in there by the root's authority", async () => {
  const token = await all().admin.token()
  await childAdmin(all().service, 'shop')
  const { id, identity } = await user()
  await isRefused(identity, { domain: 'shop' })
  const made = await all().service.call('POST', '/v1/domains', { token, body: { name: 'visited', admins: [id] } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { jwt } = await logsIn(identity, { domain: 'visited' })
  expect(decodeJwt(jwt as string)).toMatchObject({
    cust: { domain_name: 'visited', client_type: 'guest', groups: ['admin'] },
  })
})

test('the certificate of a client logs in no user, whichever was created first', async () => {
  const { clients, authority, admin } = all()
  const token = await clients.token({ ca_id: authority.id })
  const register = (csr: string): Promise<Answered> =>
    clients.register({ registration_token: token.token, csr, do_not_modify_subject_dn: true })
  const { csr, key } = await newRequest('/O=Shop/CN=machine first')
  const made = await register(csr)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { id } = await user({ certificate_subject_dn: 'CN=machine first,O=Shop' })
  await isRefused({ cert: made.body.cert as string, key })
  expect((await clients.remove(made.body)).status).toBe(200)
  await isRefused({ cert: made.body.cert as string, key })
  const again = await newRequest('/O=Shop/CN=machine first')
  expect(await register(again.csr)).toMatchObject({ status: 422, body: { errors: [{ pointer: '#/csr' }] } })
  await logsIn(await all().issued('/O=Shop/CN=machine first'))
  expect((await admin.call('DELETE', `${USERS}/${id}`)).status).toBe(200)
})

test('an administrator of authorities cannot become an administrator through them', async () => {
  const { service, admin, ca } = all()
  const { id, name } = await user()
  await admin.ok('POST', `/v1/usermgmt/groups/admin/users/${encodeURIComponent(id)}`)
  const { token } = await service.userIn(await service.logIn(), 'ca-keeper', ['CA Admins'])
  const as = (method: string, path: string, body: object): Promise<Answered> =>
    service.call(method, path, { token, body })
  const own = await ca.root()
  expect((await as('PATCH', ca.at(own), { allow_user_authentication: true })).status).toBe(403)
  expect((await as('PATCH', ca.at(own), { allow_client_authentication: true })).status).toBe(200)
  const issue = async (subject: string): Promise<number> =>
    (await as('POST', `${ca.at(all().authority)}/certs`, { purpose: 'client', csr: (await newRequest(subject)).csr }))
      .status
  expect(await issue(`/O=Shop/CN=${name}`)).toBe(403)
  expect(await issue('/O=Shop/CN=no user')).toBe(201)
})

test('a certificate that is older than a membership in a system group needs to be of an administrator', async () => {
  const { service, admin, ca, authority } = all()
  const { id, name, identity } = await user()
  const { token } = await service.userIn(await service.logIn(), 'ca-keeper-of-old', ['CA Admins'])
  const { csr, key } = await newRequest(`/O=Shop/CN=${name}`)
  const { status, body } = await service.call('POST', `${ca.at(authority)}/certs`, {
    ...{ token, body: { purpose: 'client', csr } },
  })
  expect(status).toBe(201)
  const ofKeeper = { cert: body.cert as string, key }
  const { refresh_token: refresh } = await logsIn(ofKeeper)
  await admin.ok('POST', `/v1/usermgmt/groups/Key%20Admins/users/${encodeURIComponent(id)}`)
  await isRefused(ofKeeper)
  expect((await renew(ofKeeper, refresh as string)).status).toBe(401)
  await logsIn(identity)
  await admin.ok('DELETE', `/v1/usermgmt/groups/Key%20Admins/users/${encodeURIComponent(id)}`)
  await logsIn(ofKeeper)
})
