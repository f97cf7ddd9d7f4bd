import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { initiatorDirectory } from '../../../shared/identity/initiators.ts'
import { jobConfigs } from '../../../shared/work/schedule/configs/store.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import type { Answered, CallOptions } from '../../support/service.ts'
import { memberAt } from '../clients/clients.ts'
import { useClients } from './clients.ts'

const all = useClients()
let till: { id: string; identity: KeyedCertificate }
let token = ''

const logIn = async ({ id, identity }: { id: string; identity: KeyedCertificate }): Promise<string> =>
  (await all().logIn(id, identity)).body.jwt as string

/** A call of the client, with its certificate. */
const call = (method: string, path: string, options: CallOptions = {}): Promise<Answered> =>
  all().over(till.identity, method, path, { token, ...options })

beforeAll(async () => {
  pointProcessAt(all().service.deployment.environmentOf('auth')) // to read the records of jobs
  till = await all().client({ name: 'till', groups: ['Key Users'] })
  token = await logIn(till)
})

const KEYS = '/v1/vault/keys2'
const BOUND =
  'The token is bound to a client certificate: call the host with mutual TLS with the certificate it was given for.'

test('a bound token is valid only with its certificate', async () => {
  const other = await all().client()
  expect((await call('GET', KEYS)).status).toBe(200)
  for (const refused of [
    await all().over(undefined, 'GET', KEYS, { token }),
    await all().over(other.identity, 'GET', KEYS, { token }),
    await all().service.call('GET', KEYS, { token }),
  ])
    expect(refused).toMatchObject({ status: 401, body: { code: 3, detail: BOUND } })
})

test("a user's token works on every connection", async () => {
  const users = await all().admin.token()
  for (const identity of [undefined, till.identity])
    expect((await all().over(identity, 'GET', '/v1/auth/self/user', { token: users })).status).toBe(200)
})

/** Calls with a token that was issued before. */
async function withToken(identity: KeyedCertificate, token: string): Promise<() => Promise<number>> {
  const status = async (): Promise<number> => (await all().over(identity, 'GET', KEYS, { token })).status
  expect(await status()).toBe(200)
  return status
}

test('a revoked client is refused within five seconds, although its certificate is valid', async () => {
  const one = await all().client({ identity: (await all().clients.outside()).issue('outside'), groups: ['Key Users'] })
  const status = await withToken(one.identity, await logIn(one))
  expect((await all().clients.revoke(one)).status).toBe(200)
  all().advance(5_000)
  expect(await status()).toBe(401)
})

test('a token is refused within five seconds while its certificate is on hold or revoked', async () => {
  const one = await all().client({ groups: ['Key Users'] })
  const certificate = await all().clients.certificateOf(one)
  const status = await withToken(one.identity, await logIn(one))
  await all().ca.revoke(all().authority, certificate, 'certificateHold')
  all().advance(5_000)
  expect(await status()).toBe(401)
  await all().ca.resume(all().authority, certificate)
  all().advance(5_000)
  expect(await status()).toBe(200)
  await all().ca.revoke(all().authority, certificate, 'keyCompromise')
  all().advance(5_000)
  expect(await status()).toBe(401)
  expect((await all().clients.get(one)).state).toBe('active')
})

test('a token is refused within five seconds once its authority no longer authenticates clients', async () => {
  const root = await all().ca.root()
  await all().allow(root, { client: true })
  const one = await all().client({ groups: ['Key Users'] }, root)
  const status = await withToken(one.identity, await logIn(one))
  await all().allow(root, { client: false })
  all().advance(5_000)
  expect(await status()).toBe(401)
})

test('a client owns the keys that it creates', async () => {
  const made = await call('POST', KEYS, { body: { name: 'of-the-till', algorithm: 'aes' } })
  expect(made).toMatchObject({ status: 201, body: { meta: { ownerId: till.id } } })
  expect((await call('PATCH', `${KEYS}/of-the-till`, { body: { labels: { of: 'till' } } })).status).toBe(200)
  const other = await all().client({ groups: ['Key Users'] })
  const seen = await all().over(other.identity, 'GET', `${KEYS}/of-the-till`, { token: await logIn(other) })
  expect([403, 404]).toContain(seen.status)
  const { resources } = await all().admin.ok('GET', '/v1/audit/records?message=Create%20Key&username=till')
  expect(resources[0].principal).toEqual({ sub: till.id, groups: ['Key Users', 'All Clients'], client_id: till.id })
})

test.each([
  ['GET', '/v1/auth/self/user', undefined],
  ['PATCH', '/v1/auth/self/user', { nickname: 'x' }],
  ['GET', '/v1/auth/self/domains', undefined],
  ['GET', '/v1/auth/self/pwdpolicy', undefined],
])('%s %s refuses clients: it is for users', async (method, path, body) => {
  expect(await call(method, path, { body })).toMatchObject({
    status: 403,
    body: { code: 4, detail: 'A registered client is no user: this call is for users only.' },
  })
})

test('a client can neither list nor end log-ins', async () => {
  expect(await call('GET', '/v1/auth/tokens')).toMatchObject({ status: 200, body: { total: 0 } })
  expect((await call('POST', '/v1/auth/logout')).status).toBe(204)
})

test('a client calls what its groups permit, users and groups included', async () => {
  expect((await call('GET', '/v1/usermgmt/users')).status).toBe(403)
  const clerk = await all().client({ groups: ['User Admins'] })
  const theirs = await logIn(clerk)
  const made = await all().over(clerk.identity, 'POST', '/v1/usermgmt/users', {
    token: theirs,
    body: { username: 'made-by-a-client', password: 'Pass-word-1x' },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})

test('jobs run in the name of a client as long as it exists, with its present groups', async () => {
  const one = await all().client({ name: 'of jobs', groups: ['keymgr Admins'] })
  const made = await all().over(one.identity, 'POST', '/v1/scheduler/job-configs', {
    token: await logIn(one),
    body: { name: 'by a client', operation: 'key_rotation', run_at: '0 3 * * *' },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const initiator = (await jobConfigs.get(ROOT_DOMAIN_ID, made.body.id as string))?.item.initiator
  expect(initiator).toMatchObject({ sub: one.id, client: { id: one.id, name: 'of jobs' } })
  if (initiator === undefined) throw new Error('The configuration has no initiator')
  const asOf = (ms: number) =>
    initiatorDirectory.asOfNow(initiator, new Date(all().service.deployment.clock.now().getTime() + ms))
  expect(await asOf(0)).toMatchObject({ initiator: { username: 'of jobs', groups: ['keymgr Admins', 'All Clients'] } })
  await all().admin.ok('DELETE', memberAt('keymgr Admins', one))
  expect(await asOf(5_000)).toMatchObject({ initiator: { groups: ['All Clients'] } })
  await all().clients.revoke(one)
  expect(await asOf(10_000)).toEqual({ lapse: 'was revoked' })
  await all().clients.remove(one)
  expect(await asOf(15_000)).toEqual({ lapse: 'was deleted' })
})
