import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { clientCertificates } from '../../../shared/certificates/clients/client-certificates.ts'
import { Changes } from '../../../shared/store/changes.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import type { Answered } from '../../support/service.ts'
import { useClients } from '../auth/clients.ts'
import { newRequest, openssl } from '../ca/ca.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { AT, weakCsr, type Machine, type MachineFields } from './clients.ts'

const all = useClients()
const RENEW = `${AT}/self/client/renew`

const tokenOf = async ({ id, identity }: Pick<Machine, 'id' | 'identity'>): Promise<string> => {
  const { status, body } = await all().logIn(id, identity)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.jwt as string
}
const logInStatus = async (id: string, identity: KeyedCertificate): Promise<number> =>
  (await all().logIn(id, identity)).status

/** Renews the client with its token, by default over a connection with its certificate. */
async function renew(one: Machine, body: object = {}, over: KeyedCertificate | undefined = one.identity) {
  return all().over(over, 'POST', RENEW, { token: await tokenOf(one), body })
}
const identityIn = ({ status, body }: Answered): KeyedCertificate => {
  expect(status, JSON.stringify(body)).toBe(200)
  return { cert: body.cert as string, key: body.key as string }
}
const subjectOf = (cert: string): Promise<string> =>
  openssl(['x509', '-in', '{cert}', '-noout', '-subject', '-nameopt', 'RFC2253'], { cert })

/** A client that keeps the subject of its request. */
async function keepingSubject(): Promise<Machine> {
  const { csr, key } = await newRequest('/CN=as-it-is')
  const token = await all().clients.token({ ca_id: all().authority.id })
  const made = await all().clients.registered(token, { csr, do_not_modify_subject_dn: true })
  return { ...made, identity: { cert: made.cert as string, key } }
}

let one: Machine
/** The client's record without its last log-in. */
const shown = async (): Promise<object> => ({ ...(await all().clients.get(one)), last_login: undefined })
const client = (fields?: MachineFields): Promise<Machine> => all().client(fields)
beforeAll(async () => {
  one = await client()
})

test('a client gets a new certificate, and the former one logs in for 24 hours more', async () => {
  const made = await client()
  const beside = await shown()
  const answer = await renew(made)
  const next = identityIn(answer)
  expect(answer.body).toMatchObject({ id: made.id, state: 'active', authentication_mode: 'dn', ca_id: made.ca_id })
  expect(answer.body.sha256_fingerprint).not.toBe(made.sha256_fingerprint)
  expect(await shown()).toEqual(beside)
  expect(await logInStatus(made.id, next)).toBe(200)
  all().advance(DAY - 60_000)
  expect(await logInStatus(made.id, made.identity)).toBe(200)
  all().advance(60_000)
  expect(await logInStatus(made.id, made.identity)).toBe(401)
  expect(await logInStatus(made.id, next)).toBe(200)
})

test('a client can renew itself again at once, and its first certificate ends then', async () => {
  const made = await client()
  const second = identityIn(await renew(made))
  all().advance(1_000) // so that the certificates' validity begins in different seconds
  const third = identityIn(await renew({ ...made, identity: second }))
  expect(await logInStatus(made.id, made.identity)).toBe(401)
  expect(await logInStatus(made.id, second)).toBe(200)
  expect(await logInStatus(made.id, third)).toBe(200)
})

test('a request with the subject of another client does not change the client’s identity', async () => {
  const made = await client()
  const { csr, key } = await newRequest(`/CN=thief/UID=${one.id}`)
  const { status, body } = await renew(made, { csr })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).not.toHaveProperty('key')
  expect((await subjectOf(body.cert as string)).trim()).toBe(`subject=UID=${made.id},CN=thief`)
  expect(await logInStatus(one.id, { cert: body.cert as string, key })).toBe(401)
  expect(await logInStatus(made.id, { cert: body.cert as string, key })).toBe(200)
  const fixed = await keepingSubject()
  expectRefused(await renew(fixed, { csr }), 422, 2, '#/csr')
})

test.each<[string, string, number, () => Promise<object>]>([
  ['a weak key', '#/csr', 422, async () => ({ csr: await weakCsr(['-newkey', 'rsa:1024']) })],
  [
    'a key on another curve',
    '#/csr',
    422,
    async () => ({ csr: await weakCsr(['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1']) }),
  ],
  ['nothing of the kind', '#/csr', 422, () => Promise.resolve({ csr: 'none' })],
  ['an unknown field', '#/colour', 400, () => Promise.resolve({ colour: 'red' })],
])('a renewal with %s is refused, and leaves the client as it was', async (_what, field, status, body) => {
  const before = await shown()
  expectRefused(await renew(one, await body()), status, status === 400 ? 1 : 2, field)
  expect(await shown()).toEqual(before)
})

test('a client can reuse neither its own certificate nor that of another client', async () => {
  const outside = await all().clients.outside()
  const own = await client({ identity: outside.issue('own') })
  const other = await client({ identity: outside.issue('other') })
  expectRefused(await renew(own, { ext_cert: own.identity.cert }), 422, 2, '#/ext_cert')
  expectRefused(await renew(own, { ext_cert: other.identity.cert }), 409, 7, '#/ext_cert')
  const next = outside.issue('next')
  expect((await renew(own, { ext_cert: next.cert })).body).toMatchObject({ cert: next.cert, state: 'active' })
  expect(await logInStatus(own.id, next)).toBe(200)
})

test('a revoked client cannot renew itself, even by an earlier token', async () => {
  const made = await client({ identity: (await all().clients.outside()).issue('revoked') })
  const ask = { token: await tokenOf(made), body: {} }
  const attempt = (): Promise<Answered> => all().over(made.identity, 'POST', RENEW, ask)
  expect((await attempt()).status).toBe(200) // its state is cached for five seconds
  expect((await all().clients.revoke(made)).status).toBe(200)
  expectRefused(await attempt(), 409, 8)
  all().advance(5_000)
  expectRefused(await attempt(), 401, 3)
})

test('a client cannot renew itself without its certificate on the connection', async () => {
  const before = await shown()
  const token = await tokenOf(one)
  const other = await client()
  for (const over of [undefined, other.identity])
    expectRefused(await all().over(over, 'POST', RENEW, { token, body: {} }), 401, 3)
  expectRefused(await all().service.call('POST', RENEW, { token, body: {} }), 401, 3)
  expect(await shown()).toEqual(before)
})

test('users cannot renew clients by this call, even with a certificate', async () => {
  const administrator = await all().admin.token()
  const { token: plain } = await all().service.userIn(administrator, 'plain', [])
  for (const token of [plain, administrator])
    for (const over of [undefined, one.identity])
      expectRefused(await all().over(over, 'POST', RENEW, { token, body: {} }), 403, 4)
})

test('revoking a client revokes its present certificates, also after many renewals', async () => {
  const made = await client()
  const { body: next } = await renew(made)
  pointProcessAt(all().service.deployment.environmentOf('clients'))
  const changes = new Changes()
  for (let at = 10; at < 35; at++)
    changes.create(clientCertificates, ROOT_DOMAIN_ID, {
      ...{ sha256_fingerprint: `00${at}`, client_id: made.id, ca_id: made.ca_id },
      serial_number: `00${at}`, // of certificates that are over
    })
  await changes.commit(all().service.deployment.clock.now())
  expect((await all().clients.revoke(made)).status).toBe(200)
  for (const one of [made, next]) expect((await all().clients.certificateOf(one)).state).toBe('revoked')
})
