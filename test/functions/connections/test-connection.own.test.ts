import { beforeAll, expect, test } from 'vitest'
import { proveConnection } from '../../../shared/cloud/connections/test-connection.ts'
import { TESTED } from '../../../shared/http/connection-test.ts'
import { findConnection } from '../../../shared/cloud/connections/find-connection.ts'
import { ROOT_DOMAIN_ID, uuid } from '../../../shared/base/ids.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { cloudAKms } from '../../../shared/clouds/cloud-a/kms/store.ts'
import { contextOf, request } from '../../shared/identity/users/requests.ts'
import { useService, type Answered } from '../../support/service.ts'
import { pointProcessAt } from '../../support/own-process.ts'

/** Tests of connections by the service, and their use. */
const service = useService()
let token = ''

const ALL = '/v1/connectionmgmt/connections'
const CLOUD_A = '/v1/connectionmgmt/services/cloud-a/connections'
const UNSAVED = '/v1/connectionmgmt/services/cloud-a/connection-test'

const ask = (method: string, path: string, body?: unknown): Promise<Answered> =>
  service().call(method, path, { token, body })

/** The key pair of one of the simulated accounts. */
function pairOf(edition = 'cloud-a'): { access_key_id: string; secret_access_key: string } {
  const account = service().deployment.cloudA.accounts.find(({ cloud_name }) => cloud_name === edition)
  if (account === undefined) throw new Error(`There is no account of ${edition}`)
  const { accessKeyId, secretAccessKey } = account.credentials
  return { access_key_id: accessKeyId, secret_access_key: secretAccessKey }
}

async function made(name: string, more: object = {}): Promise<any> {
  const { status, body } = await ask('POST', CLOUD_A, { name, ...pairOf(), ...more })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const shown = async (id: string): Promise<any> => (await ask('GET', `${CLOUD_A}/${id}`)).body

beforeAll(async () => {
  token = await service().logIn()
  // Runs the same code in this process, as another instance of the functions.
  pointProcessAt(service().deployment.environmentOf('connections'))
})

test('a successful test makes the connection ready and changes nothing else', async () => {
  const before = await made('works')
  const { status, body } = await ask('POST', `${CLOUD_A}/works/test`)
  expect([status, body]).toEqual([200, { connection_ok: true }])
  const after = await shown(before.id)
  expect(after).toEqual({
    ...before,
    last_connection_ok: true,
    last_connection_at: after.last_connection_at,
    ready: true,
  })
  expect(Date.parse(after.last_connection_at)).toBeGreaterThanOrEqual(Date.parse(before.createdAt))
})

test('without access keys, the root domain assumes a role of the deployment, never the service’s own identity', async () => {
  const { cloudA } = service().deployment
  const role = cloudA.serviceRole?.arn ?? ''
  cloudA.reset()
  expect((await ask('POST', CLOUD_A, { name: 'keyless' })).status).toBe(201)
  expect((await ask('POST', `${CLOUD_A}/keyless/test`)).body).toEqual({ connection_ok: true })
  const [assumed, ...after] = cloudA.calls()
  expect([assumed?.operation, assumed?.principal]).toEqual(['AssumeRole', expect.stringContaining(':user/')])
  expect(after.map(({ operation, principal }) => [operation, principal])).toEqual([['GetCallerIdentity', role]])
  const account = await ask('POST', '/v1/keymgr/cloud-a/accounts', { connection: 'keyless' })
  expect(account.body.account_id).toBe(role.split(':')[4])
  const entry = {
    name: 'own account',
    connection: 'keyless',
    regions: ['eu-west-1'],
    account_id: account.body.account_id,
  }
  expect((await ask('POST', '/v1/keymgr/cloud-a/kms', entry)).status).toBe(201)
  const body = { kms: 'own account', region: 'eu-west-1', cloud_a_param: { Alias: 'of-our-own' } }
  expect((await ask('POST', '/v1/keymgr/cloud-a/keys', body)).status).toBe(201)
  expect(
    new Set(cloudA.calls().map(({ operation, principal }) => operation === 'AssumeRole' || principal === role)),
  ).toEqual(new Set([true]))
})

test('a connection without access keys is refused in an edition where the deployment has no role', async () => {
  const refused = [
    await ask('POST', CLOUD_A, { name: 'keyless elsewhere', cloud_name: 'cloud-a-gov' }),
    await ask('POST', UNSAVED, { cloud_name: 'cloud-a-gov' }),
  ]
  for (const { status, body } of refused) {
    expect([status, body.errors[0].pointer]).toEqual([422, '#/access_key_id'])
    expect(body.detail).toContain('this deployment has no role of its own')
  }
})

test('a failed test is recorded with its reason, without the secret, until the next success', async () => {
  const secret_access_key = 'wrong-secret-of-a-test'
  const { id } = await made('fails', { secret_access_key })
  const { status, body } = await ask('POST', `${CLOUD_A}/${id}/test`, {})
  expect(status).toBe(200)
  expect(body).toEqual({
    ...{ connection_ok: false, connection_error: expect.stringMatching(/\S{10,}/) },
    connection_failed_step: 'log_in',
  })
  expect(body.connection_error).not.toContain(secret_access_key)
  expect(await shown(id)).toMatchObject({
    ready: false,
    last_connection_ok: false,
    last_connection_error: body.connection_error,
    last_connection_failed_step: 'log_in',
  })
  expect((await ask('PATCH', `${CLOUD_A}/${id}`, { secret_access_key: pairOf().secret_access_key })).status).toBe(200)
  expect((await ask('POST', `${CLOUD_A}/${id}/test`, {})).body).toEqual({ connection_ok: true })
  const after = await shown(id)
  expect(after).toMatchObject({ ready: true, last_connection_ok: true })
  for (const field of ['last_connection_error', 'last_connection_failed_step']) expect(after).not.toHaveProperty(field)
})

test('values given to a test apply to that test alone', async () => {
  const { id } = await made('overridden', { secret_access_key: 'wrong-secret' })
  const test = async (body: object) => (await ask('POST', `${CLOUD_A}/${id}/test`, body)).body
  const { secret_access_key } = pairOf()
  expect(await test({ secret_access_key })).toEqual({ connection_ok: true })
  expect(await shown(id)).toMatchObject({ ready: true, access_key_id: pairOf().access_key_id })
  expect(await test({})).toMatchObject({ connection_ok: false })
  const role = { secret_access_key, assume_role_arn: 'arn:aws:iam::444455556666:role/keymgr-guarded' }
  expect(await test(role)).toMatchObject({ connection_ok: false })
  expect(await test({ ...role, assume_role_external_id: 'guarded-5e1c' })).toEqual({ connection_ok: true })
  expect(await shown(id)).not.toHaveProperty('assume_role_arn')
  const broken = await ask('POST', `${CLOUD_A}/${id}/test`, { region: 'us-east-1' })
  expect(broken).toMatchObject({ status: 422, body: { errors: [{ pointer: '#/region' }] } })
  // Without a key pair, the connection uses the deployment's own role.
  expect(await test({ access_key_id: null, secret_access_key: null })).toEqual({ connection_ok: true })
})

test('unsaved connections of every edition can be tested, without a trace', async () => {
  const total = async (path: string): Promise<number> => (await ask('GET', path)).body.total
  const before = [await total(ALL), await total('/v1/audit/records')]
  const test = (body: object) => ask('POST', UNSAVED, body)
  for (const cloud_name of ['cloud-a', 'cloud-a-gov', 'cloud-a-cn'])
    expect((await test({ cloud_name, ...pairOf(cloud_name) })).body).toEqual({ connection_ok: true })
  const regional = { ...pairOf(), sts_regional_endpoints: 'regional', region: 'eu-central-1', description: 'any' }
  expect((await test(regional)).body).toEqual({ connection_ok: true })
  const wrong = await test({ ...pairOf(), access_key_id: 'AKIAUNKNOWN000000001' })
  expect(wrong).toMatchObject({ status: 200, body: { connection_ok: false } })
  expect([await total(ALL), await total('/v1/audit/records')]).toEqual(before)
  expect(await test({ access_key_id: pairOf().access_key_id })).toMatchObject({ status: 422, body: { code: 2 } })
  expect(await test({ name: 'named', ...pairOf() })).toMatchObject({ status: 400, body: { code: 1 } })
})

test('new credentials make a connection untested; a new description does not', async () => {
  const { id } = await made('retested')
  const tested = async () => {
    expect((await ask('POST', `${CLOUD_A}/${id}/test`, {})).body.connection_ok).toBe(true)
  }
  const patch = async (body: object) => (await ask('PATCH', `${CLOUD_A}/${id}`, body)).body
  await tested()
  expect(await patch({ description: 'no credential', access_key_id: pairOf().access_key_id })).toMatchObject({
    ready: true,
    last_connection_ok: true,
  })
  for (const change of [
    { secret_access_key: pairOf().secret_access_key },
    { assume_role_arn: 'arn:aws:iam::111122223333:role/keymgr-operator' },
    { sts_regional_endpoints: 'regional', region: 'us-west-2' },
  ]) {
    await tested()
    const after = await patch(change)
    expect(after.ready).toBe(false)
    for (const field of TESTED) expect(after).not.toHaveProperty(field)
  }
})

test('lists find connections by their last test', async () => {
  const [good, bad] = [await made('by-test-good'), await made('by-test-bad', { secret_access_key: 'wrong-secret' })]
  await made('by-test-none')
  for (const { id } of [good, bad]) await ask('POST', `${CLOUD_A}/${id}/test`, {})
  const { last_connection_at: at } = await shown(good.id)
  const named = async (query: string): Promise<string[]> =>
    (await ask('GET', `${ALL}?name=by-test-*&${query}`)).body.resources.map(({ name }: any) => name)
  expect(await named('last_connection_ok=true')).toEqual(['by-test-good'])
  expect(await named('last_connection_ok=false')).toEqual(['by-test-bad'])
  expect(await named(`last_connection_after=${at}`)).toEqual(['by-test-bad'])
  expect(await named(`last_connection_before=${at}`)).toEqual([])
  expect(await named('last_connection_after=2020-01-01T00:00:00Z')).toEqual(['by-test-good', 'by-test-bad'])
})

test('concurrent tests of one connection all answer', async () => {
  const { id } = await made('at-once')
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST', `${CLOUD_A}/${id}/test`, {})))
  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    Array.from({ length: 5 }, () => [200, { connection_ok: true }]),
  )
})

/** Uses a connection for the first time, as a container does. */
const use = (id: string): Promise<void> =>
  request(async (context) => proveConnection(context, await findConnection(context, id)))

test('the first use of a connection that is not ready tests it', async () => {
  const { id } = await made('proven')
  await use(id)
  const proven = await shown(id)
  expect(proven).toMatchObject({ ready: true, last_connection_ok: true })
  await use('proven')
  expect(await shown(id)).toEqual(proven)
})

test('a connection that fails its test, or belongs to another domain, is not used; the failure is recorded', async () => {
  const { id } = await made('unproven', { secret_access_key: 'wrong-secret' })
  const [changes, despiteRefusal] = [new Changes(), new Changes()]
  const context = { ...contextOf(changes), despiteRefusal }
  const stored = await findConnection(context, id)
  await expect(proveConnection(context, stored)).rejects.toMatchObject({
    reason: 'RULE_BROKEN',
    errors: [{ pointer: '#/connection', detail: expect.stringMatching(/^does not connect: \S{5,}/) }],
  })
  expect([changes.empty, despiteRefusal.empty]).toEqual([true, false])
  await despiteRefusal.commit(context.now)
  expect(await shown(id)).toMatchObject({ ready: false, last_connection_ok: false })
  await made('of-others', { products: ['backup'] })
  await expect(use('of-others')).rejects.toMatchObject({
    reason: 'RULE_BROKEN',
    errors: [{ pointer: '#/connection', detail: expect.stringMatching(/products/) }],
  })
  await expect(findConnection(context, 'none', { pointer: '#/connection', detail: 'x' })).rejects.toMatchObject({
    reason: 'NOT_FOUND',
    errors: [{ pointer: '#/connection' }],
  })
})

/** A container that uses a connection. @returns its id */
async function container(connection: { id: string; name: string }): Promise<string> {
  const now = new Date()
  const id = uuid(now)
  const at = now.toISOString()
  const changes = new Changes()
  changes.create(cloudAKms, ROOT_DOMAIN_ID, {
    id,
    uri: 'uri',
    account: 'account',
    createdAt: at,
    updatedAt: at,
    name: `of ${connection.name}`,
    account_id: '111122223333',
    arn: 'arn:aws:iam::111122223333:user/keymgr-admin',
    connection: connection.name,
    connection_id: connection.id,
    regions: ['us-east-1'],
    cloud_name: 'cloud-a',
    status: 'active',
    auto_added: false,
    acls: [],
    synchronized: {},
  })
  await changes.commit(now)
  return id
}

test('a connection in use is deleted only by force, which leaves its containers without one', async () => {
  const connection = await made('used')
  const kmsId = await container(connection)
  const inUse = { status: 409, body: { code: 9 } }
  const refused = await ask('DELETE', `${CLOUD_A}/${connection.id}`)
  expect(refused).toMatchObject(inUse)
  expect(refused.body.detail, 'it names who uses the connection').toContain('of used')
  expect(await ask('DELETE', `${ALL}/used`)).toMatchObject(inUse)
  expect(await ask('POST', `${ALL}/used/delete`, { force: false })).toMatchObject(inUse)
  expect(await ask('POST', `${ALL}/used/delete`, { force: true })).toMatchObject({ status: 200 })
  expect((await ask('GET', `${CLOUD_A}/used`)).status).toBe(404)
  const kms = await cloudAKms.get(ROOT_DOMAIN_ID, kmsId)
  expect(kms?.item.name).toBe('of used')
  expect([kms?.item.connection, kms?.item.connection_id]).toEqual([undefined, undefined])
})

test('a container added while its connection is deleted is not left without it unnoticed', async () => {
  const connection = await made('contested')
  const context = contextOf(new Changes())
  const stored = await findConnection(context, 'contested')
  await proveConnection(context, stored) // staged, not committed: the deletion is committed first
  expect((await ask('DELETE', `${ALL}/${connection.id}`)).status).toBe(200)
  await expect(context.changes.commit(context.now)).rejects.toMatchObject({ name: 'Stale' })
})
