import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID, uuid } from '../../../shared/base/ids.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { cloudAKeys, placeOfKeys } from '../../../shared/clouds/cloud-a/keys/store.ts'
import { cloudAKms, type StoredCloudAKms } from '../../../shared/clouds/cloud-a/kms/store.ts'
import { policyTemplates, templatesOf } from '../../../shared/clouds/cloud-a/templates/store.ts'
import { containerPurges } from '../../../shared/clouds/cloud-a/kms/purge-store.ts'
import type { Entity } from '../../../shared/store/entity.ts'
import { pageOf } from '../../../shared/store/list.ts'
import { synchronizationJobs, synchronizationParts } from '../../../shared/work/synchronize/store.ts'
import { childAdmin } from '../../support/callers.ts'
import { useService, type Answered } from '../../support/service.ts'
import { accountAt, CONNECTIONS, connectionTo, KMS, knowKeys, useTableOf } from './accounts.ts'

const service = useService()
let token = ''
/** A connection to each of the simulated accounts, by name. */
const connections: Record<string, string> = {}

const OWN = '111122223333'
const OTHER = '444455556666'
const OPERATOR = `arn:aws:iam::${OWN}:role/keymgr-operator`
const VISITOR = `arn:aws:iam::${OTHER}:role/keymgr-visitor`
const GUARDED = `arn:aws:iam::${OTHER}:role/keymgr-guarded`
const EXTERNAL_ID = 'guarded-5e1c'
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

beforeAll(async () => {
  token = await service().logIn()
  for (const [at, name] of ['own', 'other', 'third', 'gov', 'cn'].entries())
    connections[name] = await connectionTo(service(), token, name, accountAt(service(), at))
  useTableOf(service().deployment)
})

const cloud = () => service().deployment.cloudA
const now = (): Date => service().deployment.clock.now()

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
  service().call(method, path, { token, body, headers })

const entry = (name: string, more: object = {}) => ({
  name,
  account_id: OWN,
  connection: 'own',
  regions: ['us-east-1', 'eu-west-1'],
  ...more,
})

async function made(name: string, more: object = {}): Promise<any> {
  const { status, body } = await ask('POST', KMS, entry(name, more))
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function refused(answered: Promise<Answered>, status: number, code: number, pointers: string[]): Promise<any> {
  const { body, ...rest } = await answered
  expect([rest.status, body.code], JSON.stringify(body)).toEqual([status, code])
  expect((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual(pointers)
  return body
}

const keysIn = (kms: { id: string }, region: string): Promise<string[]> =>
  cloudAKeys.members(ROOT_DOMAIN_ID, placeOfKeys(kms.id, region))

const countOf = async <T, R>(entity: Entity<T, R>, domain: string, set = 'all'): Promise<number> =>
  (await pageOf(entity, domain, set, { skip: 0, limit: 0 })).total

const commit = async (stage: (changes: Changes) => void): Promise<void> => {
  const changes = new Changes()
  stage(changes)
  await changes.commit(now())
}

/** Writes a record of a running synchronization of the entry. */
async function jobOn(kms: { id: string; name: string }, domain = ROOT_DOMAIN_ID): Promise<string> {
  const at = now().toISOString()
  const id = uuid(now())
  await commit((changes) =>
    changes.create(synchronizationJobs, domain, {
      id,
      uri: `keymgr:${domain}:keymgr:synchronization-jobs:${id}`,
      account: `keymgr:keymgr:admin:accounts:${domain}`,
      createdAt: at,
      updatedAt: at,
      cloud_name: 'cloud-a',
      initiator: 'local|somebody',
      synchronize_all: false,
      overall_status: 'in_progress',
      detailed_status: {},
      abort: false,
      added: 0,
      updated: 0,
      gone: 0,
      unread: 0,
      errors: [],
      containers: [kms.name],
      container_ids: [kms.id],
      places: [],
      generation: 0,
      dueAt: new Date(now().getTime() + 86_400_000).toISOString(),
    }),
  )
  return id
}

async function endJob(id: string): Promise<void> {
  const job = await synchronizationJobs.get(ROOT_DOMAIN_ID, id)
  if (job) await commit((changes) => changes.remove(synchronizationJobs, ROOT_DOMAIN_ID, job))
}

/** Advances the clock until the sweeper finishes the work of requests, and logs in again. */
async function sweepLater(): Promise<void> {
  service().deployment.clock.advance(180_000)
  await service().deployment.fire('sweep-due')
  token = await service().logIn()
}

test('accounts and regions behind a connection are read, also in a role, and nothing is stored', async () => {
  const account = await ask('POST', '/v1/keymgr/cloud-a/accounts', { connection: 'own' })
  expect(account.status, JSON.stringify(account.body)).toBe(200)
  expect(account.body).toEqual({ account_id: OWN, regions: expect.arrayContaining(['us-east-1', 'eu-south-1']) })
  expect(account.body.regions).not.toContain('af-south-1')
  const all = await ask('POST', '/v1/keymgr/cloud-a/get-all-regions', { connection: connections.own })
  expect(all).toMatchObject({ status: 200, body: { regions: account.body.regions } })
  const role = { assume_role_arn: GUARDED, assume_role_external_id: EXTERNAL_ID }
  const inRole = await ask('POST', '/v1/keymgr/cloud-a/accounts', { connection: 'own', ...role })
  expect(inRole.body).toEqual({ account_id: OTHER, regions: account.body.regions, ...role })
  const gov = await ask('POST', '/v1/keymgr/cloud-a/accounts', { connection: 'gov' })
  expect(gov.body).toEqual({ account_id: '222233334444', regions: ['us-gov-east-1', 'us-gov-west-1'] })
  expect((await ask('GET', KMS)).body).toEqual({ skip: 0, limit: 10, total: 0, resources: [] })
})

test.each([
  ['a connection that is not there', 'accounts', { connection: 'none' }, 404, 5, ['#/connection']],
  ['regions of a connection that is not there', 'get-all-regions', { connection: 'none' }, 404, 5, ['#/connection']],
  [
    'an external id without a role',
    'accounts',
    { connection: 'own', assume_role_external_id: 'x-1' },
    422,
    2,
    ['#/assume_role_external_id'],
  ],
  [
    'a role of another edition',
    'accounts',
    { connection: 'own', assume_role_arn: 'arn:aws-us-gov:iam::222233334444:role/keymgr-operator' },
    422,
    2,
    ['#/assume_role_arn'],
  ],
  ['a role that does not let us in', 'accounts', { connection: 'own', assume_role_arn: GUARDED }, 502, 16, []],
  ['unknown fields', 'get-all-regions', { connection: 'own', region: 'us-east-1' }, 400, 1, ['#/region']],
])('reading an account refuses %s', async (_what, path, body, status, code, pointers) => {
  const { body: answer, ...rest } = await ask('POST', `/v1/keymgr/cloud-a/${path}`, body)
  expect([rest.status, answer.code], JSON.stringify(answer)).toEqual([status, code])
  expect((answer.errors ?? []).map(({ pointer }: any) => pointer as string)).toEqual(pointers)
})

test('an entry is created over an untested connection, read by id and listed', async () => {
  const connection = await connectionTo(service(), token, 'untested', accountAt(service(), 0))
  const created = await ask('POST', KMS, entry('first', { connection }))
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  expect(created.headers.get('etag')).toBe('"1"')
  const { id, uri, account, application, devAccount, createdAt, updatedAt, ...rest } = created.body
  expect(rest).toEqual({
    name: 'first',
    account_id: OWN,
    arn: `arn:aws:iam::${OWN}:user/keymgr-admin`,
    connection: 'untested',
    regions: ['us-east-1', 'eu-west-1'],
    cloud_name: 'cloud-a',
    status: 'active',
    auto_added: false,
    acls: [],
  })
  expect(uri).toBe(`keymgr:${ROOT_DOMAIN_ID}:keymgr:cloud-a-kms:${id}`)
  expect(account).toBe(`keymgr:keymgr:admin:accounts:${ROOT_DOMAIN_ID}`)
  expect([application, devAccount]).toEqual([
    'keymgr:platform:admin:apps:keymgr',
    'keymgr:platform:admin:accounts:platform',
  ])
  expect(createdAt).toBe(updatedAt)
  expect((await ask('GET', `${KMS}/${id}`)).body).toEqual(created.body)
  expect((await ask('GET', `${CONNECTIONS}/untested`)).body).toMatchObject({ ready: true, last_connection_ok: true })
  const records = await ask('GET', '/v1/audit/records?message=Create%20Cloud-a%20KMS&success=true')
  expect(records.body.resources[0].details).toMatchObject({
    resource_uri: uri,
    resource_name: 'first',
    after: { name: 'first', account_id: OWN, regions: ['us-east-1', 'eu-west-1'] },
  })
})

test('one account has several entries, each with a way in and regions of its own', async () => {
  const plain = await made('several-plain', { regions: ['us-east-1'] })
  const inRole = await made('several-role', { assume_role_arn: OPERATOR, regions: ['us-west-2'] })
  expect(inRole).toMatchObject({ assume_role_arn: OPERATOR, arn: plain.arn, account_id: OWN })
  expect(plain).not.toHaveProperty('assume_role_arn')
  const listed = await ask('GET', `${KMS}?name=several-*&account_id=${OWN}`)
  expect(listed.body).toEqual({ skip: 0, limit: 10, total: 2, resources: [plain, inRole] })
})

test('a role leads to another account, with an external id where it asks for one', async () => {
  const visited = await made('visited', { account_id: OTHER, assume_role_arn: VISITOR })
  expect(visited).toMatchObject({ account_id: OTHER, arn: `arn:aws:iam::${OWN}:user/keymgr-admin` })
  const role = { assume_role_arn: GUARDED, assume_role_external_id: EXTERNAL_ID }
  expect(await made('guarded', { account_id: OTHER, ...role })).toMatchObject(role)
})

test.each([
  ['gov', '222233334444', 'cloud-a-gov', 'us-gov-east-1', 'aws-us-gov'],
  ['cn', '333344445555', 'cloud-a-cn', 'cn-north-1', 'aws-cn'],
])('an entry of the edition %s is made, with and without a role', async (connection, account_id, name, region, arn) => {
  const where = { connection, account_id, regions: [region] }
  const plain = await made(`edition-${connection}`, where)
  expect(plain).toMatchObject({ cloud_name: name, arn: `arn:${arn}:iam::${account_id}:user/keymgr-admin` })
  const assume_role_arn = `arn:${arn}:iam::${account_id}:role/keymgr-operator`
  expect(await made(`edition-${connection}-role`, { ...where, assume_role_arn })).toMatchObject({ assume_role_arn })
})

test.each([
  ['another account than the connection leads to', { account_id: OTHER }, 422, 2, ['#/account_id']],
  ['another account than the role leads to', { assume_role_arn: VISITOR }, 422, 2, ['#/account_id']],
  ['a region that is not switched on', { regions: ['us-east-1', 'af-south-1'] }, 422, 2, ['#/regions/1']],
  [
    'everything the cloud says otherwise, at once',
    { account_id: OTHER, regions: ['cn-north-1', 'us-east-1', 'eu-south-2'] },
    422,
    2,
    ['#/account_id', '#/regions/0', '#/regions/2'],
  ],
  ['a region twice', { regions: ['us-east-1', 'us-east-1'] }, 422, 2, ['#/regions']],
  ['no region', { regions: [] }, 422, 2, ['#/regions']],
  ['something that is no region', { regions: ['../us'] }, 422, 2, ['#/regions/0']],
  ['something that is no account', { account_id: '12' }, 422, 2, ['#/account_id']],
  ['an external id without a role', { assume_role_external_id: 'x-1' }, 422, 2, ['#/assume_role_external_id']],
  [
    'a role of another edition',
    { assume_role_arn: 'arn:aws-cn:iam::333344445555:role/keymgr-operator' },
    422,
    2,
    ['#/assume_role_arn'],
  ],
  ['a connection that is not there', { connection: 'none' }, 404, 5, ['#/connection']],
  ['no connection and no name', { connection: undefined, name: undefined }, 422, 2, ['#/name', '#/connection']],
  ['unknown fields and wrong types', { regions: 'us-east-1', owner: 'me' }, 400, 1, ['#/regions', '#/owner']],
])('creation refuses %s', async (_what, more, status, code, pointers) => {
  await refused(ask('POST', KMS, entry('refused', more)), status, code, pointers)
  expect((await ask('GET', `${KMS}?name=refused`)).body.total).toBe(0)
})

test('creation refuses a role that the cloud does not let us assume', async () => {
  const refusal = await ask('POST', KMS, entry('refused', { account_id: OTHER, assume_role_arn: GUARDED }))
  expect(refusal).toMatchObject({ status: 502, body: { code: 16 } })
  expect(refusal.body.detail).toContain('AccessDenied')
})

test('a connection that does not connect is refused and remembers why; so is one that is for another product', async () => {
  const secret_access_key = 'no-such-secret-anywhere'
  const id = await connectionTo(service(), token, 'broken', accountAt(service(), 0), { secret_access_key })
  const refusal = await refused(ask('POST', KMS, entry('refused', { connection: 'broken' })), 422, 2, ['#/connection'])
  expect(JSON.stringify(refusal)).not.toContain(secret_access_key)
  const noted = await ask('GET', `${CONNECTIONS}/${id}`)
  expect(noted.body).toMatchObject({ ready: false, last_connection_ok: false })
  await connectionTo(service(), token, 'elsewhere', accountAt(service(), 0), { products: ['other'] })
  await refused(ask('POST', KMS, entry('refused', { connection: 'elsewhere' })), 422, 2, ['#/connection'])
})

test('of several entries made at once under one name there is one; who loses a race does not ask the cloud again', async () => {
  cloud().reset()
  const same = await Promise.all(Array.from({ length: 4 }, () => ask('POST', KMS, entry('contended'))))
  expect(same.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  for (const { body } of same.filter(({ status }) => status === 409))
    expect(body).toMatchObject({ code: 7, errors: [{ pointer: '#/name' }] })
  const others = await Promise.all(['contended-a', 'contended-b'].map((name) => ask('POST', KMS, entry(name))))
  expect(others.map(({ status }) => status)).toEqual([201, 201])
  expect(cloud().counts().ListRegions).toBeLessThanOrEqual(6)
})

test('entries are filtered by what they are, and by their connection under its name or its id', async () => {
  const connection = await connectionTo(service(), token, 'filtered', accountAt(service(), 0))
  const kms = await made('filtered-entry', { connection })
  for (const filter of [
    `id=${kms.id}`,
    'name=filtered-entry',
    'name=filtered-*',
    'connection=filtered',
    `connection=${connection}`,
    `name=filtered-*&status=active&cloud_name=cloud-a&account_id=${OWN}`,
  ])
    expect((await ask('GET', `${KMS}?${filter}`)).body, filter).toMatchObject({ total: 1, resources: [kms] })
  for (const filter of ['name=filtered-*&status=archived', 'name=filtered-*&cloud_name=cloud-a-cn', 'connection=none'])
    expect((await ask('GET', `${KMS}?${filter}`)).body, filter).toMatchObject({ total: 0, resources: [] })
  for (const filter of ['cloud_name=cloud-b', 'colour=red', 'sort=colour', 'status=gone'])
    expect((await ask('GET', `${KMS}?${filter}`)).status, filter).toBe(400)
})

test('regions are exchanged as a whole, and keys known in one that is dropped are forgotten', async () => {
  const kms = await made('regions')
  await knowKeys(ROOT_DOMAIN_ID, kms, 'us-east-1', 3, now())
  await knowKeys(ROOT_DOMAIN_ID, kms, 'eu-west-1', 40, now())
  const changed = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1', 'us-west-2'] })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  expect(changed.headers.get('etag')).toBe('"2"')
  expect(changed.body).toEqual({ ...kms, regions: ['us-east-1', 'us-west-2'], updatedAt: changed.body.updatedAt })
  expect(await keysIn(kms, 'eu-west-1')).toEqual([])
  expect(await keysIn(kms, 'us-east-1')).toHaveLength(3)
  expect(await countOf(cloudAKeys, ROOT_DOMAIN_ID, `kms:${kms.id}`)).toBe(3)
  const records = await ask('GET', '/v1/audit/records?message=Update%20Cloud-a%20KMS')
  expect(records.body.resources[0].details).toMatchObject({
    before: { regions: ['us-east-1', 'eu-west-1'] },
    after: { regions: ['us-east-1', 'us-west-2'] },
  })
})

test('regions are dropped without asking the cloud, and added only when the account may use them', async () => {
  const kms = await made('regions-asked')
  cloud().reset()
  expect((await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1'] })).status).toBe(200)
  expect(cloud().calls()).toEqual([])
  const unknown = { regions: ['us-east-1', 'ap-east-1'] }
  await refused(ask('PATCH', `${KMS}/${kms.id}`, unknown), 422, 2, ['#/regions/1'])
  expect((await ask('GET', `${KMS}/${kms.id}`)).body.regions).toEqual(['us-east-1'])
})

test('another way into the same account is taken, with a role and without', async () => {
  const kms = await made('way-in', { account_id: OTHER, assume_role_arn: VISITOR })
  const path = `${KMS}/${kms.id}`
  const role = { assume_role_arn: GUARDED, assume_role_external_id: EXTERNAL_ID }
  expect(await ask('PATCH', path, role)).toMatchObject({ status: 200, body: { ...role, arn: kms.arn } })
  const direct = await ask('PATCH', path, { connection: 'other', assume_role_arn: null })
  expect(direct.status, JSON.stringify(direct.body)).toBe(200)
  expect(direct.body).toMatchObject({ connection: 'other', arn: `arn:aws:iam::${OTHER}:user/keymgr-admin` })
  expect(direct.body).not.toHaveProperty('assume_role_arn')
  expect(direct.body).not.toHaveProperty('assume_role_external_id')
  const third = { connection: connections.third, ...role }
  expect(await ask('PATCH', path, third)).toMatchObject({ status: 200, body: { connection: 'third', ...role } })
  const inUse = await ask('DELETE', `${CONNECTIONS}/third`)
  expect(inUse).toMatchObject({ status: 409, body: { code: 9 } })
})

test.each([
  ['a connection to another account', { connection: 'other' }, 422, 2, ['#/connection']],
  ['a role in another account', { assume_role_arn: VISITOR }, 422, 2, ['#/assume_role_arn']],
  ['an external id without a role', { assume_role_external_id: 'x-1' }, 422, 2, ['#/assume_role_external_id']],
  [
    'an external id while the role is taken away',
    { assume_role_arn: null, assume_role_external_id: 'x-1' },
    422,
    2,
    ['#/assume_role_external_id'],
  ],
  ['a connection that is not there', { connection: 'none' }, 404, 5, ['#/connection']],
  ['a connection of another edition', { connection: 'cn' }, 422, 2, ['#/connection']],
  ['another name', { name: 'renamed' }, 400, 1, ['#/name']],
  ['another account', { account_id: OTHER }, 400, 1, ['#/account_id']],
  ['no regions', { regions: [] }, 422, 2, ['#/regions']],
])('a change refuses %s', async (_what, body, status, code, pointers) => {
  const { body: found } = await ask('GET', `${KMS}?name=unchanged`)
  const kms = found.resources[0] ?? (await made('unchanged'))
  await refused(ask('PATCH', `${KMS}/${kms.id}`, body), status, code, pointers)
  expect((await ask('GET', `${KMS}/${kms.id}`)).body).toEqual(kms)
})

test('a stale revision is neither changed nor deleted, and a missing entry answers 404', async () => {
  const kms = await made('stale')
  const stale = { 'if-match': '"7"' }
  for (const [method, path, body] of [
    ['PATCH', '', { regions: ['us-east-1'] }],
    ['DELETE', '', undefined],
    ['POST', '/archive', undefined],
  ] as const) {
    const answer = await ask(method, `${KMS}/${kms.id}${path}`, body, stale)
    expect(answer, `${method} ${path}`).toMatchObject({ status: 412, body: { code: 8 } })
    const gone = await ask(method, `${KMS}/${NOTHING}${path}`, body)
    expect(gone, `${method} ${path}`).toMatchObject({ status: 404, body: { code: 5 } })
  }
  expect((await ask('GET', `${KMS}/no-id`)).status).toBe(400)
  expect(await ask('DELETE', `${KMS}/${kms.id}`, undefined, { 'if-match': '"1"' })).toMatchObject({ status: 200 })
})

test('an archived entry is read, does nothing, and is recovered', async () => {
  const kms = await made('archived')
  const path = `${KMS}/${kms.id}`
  const already = { status: 409, body: { code: 8 } }
  expect(await ask('POST', `${path}/recover`)).toMatchObject(already)
  const archived = await ask('POST', `${path}/archive`)
  expect(archived).toMatchObject({ status: 200, body: { status: 'archived' } })
  expect((await ask('GET', path)).body).toEqual(archived.body)
  expect((await ask('GET', `${KMS}?status=archived`)).body.resources).toEqual([archived.body])
  cloud().reset()
  for (const [method, at, body] of [
    ['POST', `${path}/archive`, undefined],
    ['PATCH', path, { regions: ['us-east-1'] }],
    ['POST', `${path}/update-acls`, { acls: [{ group: 'admin', permit: true, actions: ['view'] }] }],
    ['POST', '/v1/keymgr/cloud-a/get-iam-users', { kms: 'archived' }],
    ['POST', '/v1/keymgr/cloud-a/get-log-groups', { kms: kms.id, region: 'us-east-1' }],
    ['POST', '/v1/keymgr/cloud-a/alias/verify', { kms: kms.id, region: 'us-east-1', alias: 'any' }],
  ] as const)
    expect(await ask(method, at, body), `${method} ${at}`).toMatchObject(already)
  expect(cloud().calls()).toEqual([])
  const recovered = await ask('POST', `${path}/recover`)
  expect(recovered.body).toEqual({ ...kms, updatedAt: recovered.body.updatedAt })
  expect((await ask('PATCH', path, { regions: ['us-east-1'] })).status).toBe(200)
  await ask('POST', `${path}/archive`)
  expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { status: 204 } })
})

test('an entry is left alone while it is synchronized', async () => {
  const kms = await made('busy')
  const path = `${KMS}/${kms.id}`
  const job = await jobOn(kms)
  for (const [method, at, body] of [
    ['PATCH', path, { regions: ['us-east-1'] }],
    ['DELETE', path, undefined],
    ['POST', `${path}/archive`, undefined],
  ] as const)
    expect(await ask(method, at, body), method).toMatchObject({ status: 409, body: { code: 9 } })
  expect((await ask('GET', path)).body).toEqual(kms)
  await endJob(job)
  expect((await ask('DELETE', path)).status).toBe(200)
})

const KEYS = '/v1/keymgr/cloud-a/keys'
/** Starts to create a key, but the cloud's call exceeds the time: the work waits for the sweeper. */
async function beginKey(kms: any): Promise<void> {
  const back = cloud().inject({ operation: 'CreateKey', fault: 'server-error' })
  expect(await ask('POST', KEYS, { kms: kms.id, region: 'eu-west-1' })).toMatchObject({ status: 503 })
  back()
}

test('an entry, and its regions, stay while work on keys is under way in it', async () => {
  const kms = await made('working')
  const path = `${KMS}/${kms.id}`
  await beginKey(kms)
  const calls = [
    ['PATCH', path, { regions: ['us-east-1'] }],
    ['POST', `${path}/archive`, undefined],
    ['DELETE', path, undefined],
  ] as const
  for (const [method, at, body] of calls)
    expect(await ask(method, at, body), method).toMatchObject({ status: 409, body: { code: 9 } })
  expect((await ask('PATCH', path, { connection: 'own' })).status).toBe(200) // the work may need other credentials
  await sweepLater()
  expect((await ask('GET', `${KEYS}?kms_id=${kms.id}`)).body.total).toBe(1)
  for (const [method, at, body] of calls) {
    expect((await ask(method, at, body)).status, method).toBe(200)
    if (at.endsWith('archive')) expect((await ask('POST', `${path}/recover`)).status).toBe(200)
  }
})

test('resumed work creates no key in an entry that was archived meanwhile or lost the region', async () => {
  const changes: readonly [string, Partial<StoredCloudAKms>, string][] = [
    ['archived at once', { status: 'archived' }, 'is archived'],
    ['dropped at once', { regions: ['us-east-1'] }, 'eu-west-1 is no region'],
  ]
  for (const [name, change, says] of changes) {
    const kms = await made(name)
    await beginKey(kms)
    const stored = await cloudAKms.get(ROOT_DOMAIN_ID, kms.id as string)
    if (stored === undefined) throw new Error('The entry is not there')
    const writing = new Changes()
    writing.update(cloudAKms, ROOT_DOMAIN_ID, stored, { ...stored.item, ...change })
    await writing.commit(now())
    cloud().reset()
    await sweepLater()
    expect(cloud().counts().CreateKey, name).toBeUndefined()
    const { body } = await ask('GET', '/v1/audit/records?message=Create%20Cloud-a%20Key&success=false&limit=1')
    expect(body.resources[0].errorMessage, name).toContain(says)
    expect((await ask('DELETE', `${KMS}/${kms.id}`)).status, name).toBe(200)
  }
})

test('a connection stays with its edition of the cloud while an entry uses it', async () => {
  const kms = await made('of one edition')
  const path = `${CONNECTIONS}/own`
  await refused(ask('PATCH', path, { cloud_name: 'cloud-a-gov' }), 409, 9, ['#/cloud_name'])
  expect((await ask('PATCH', path, { cloud_name: 'cloud-a' })).status).toBe(200)
  expect((await ask('GET', path)).body.cloud_name).toBe('cloud-a')
  expect((await ask('DELETE', `${KMS}/${kms.id}`)).status).toBe(200)
})

test('a synchronization that begins while an entry is being changed is not disturbed', async () => {
  const kms = await made('overtaken')
  cloud().reset()
  let job = ''
  const after = async (): Promise<void> => {
    job = await jobOn(kms)
  }
  cloud().inject({ operation: 'ListRegions', fault: 'observe', times: 1, after })
  const change = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-west-2'] })
  expect(change).toMatchObject({ status: 409, body: { code: 9 } })
  expect(cloud().counts().ListRegions).toBe(1)
  expect((await ask('GET', `${KMS}/${kms.id}`)).body).toEqual(kms)
  await endJob(job)
})

test('a connection that is deleted while an entry is being made gets no entry', async () => {
  const id = await connectionTo(service(), token, 'vanishing', accountAt(service(), 0))
  expect((await ask('POST', `${CONNECTIONS}/vanishing/test`, {})).body).toEqual({ connection_ok: true })
  const after = async (): Promise<void> => {
    expect((await ask('DELETE', `${CONNECTIONS}/${id}`)).status).toBe(200)
  }
  cloud().inject({ operation: 'ListRegions', fault: 'observe', times: 1, after })
  await refused(ask('POST', KMS, entry('orphan', { connection: 'vanishing' })), 404, 5, ['#/connection'])
  expect((await ask('GET', `${KMS}?name=orphan`)).body.total).toBe(0)
})

test('deleting an entry deletes the records of its keys and templates, and changes nothing in the cloud', async () => {
  const [kms, neighbour] = [await made('leaving'), await made('staying')]
  await knowKeys(ROOT_DOMAIN_ID, kms, 'us-east-1', 50, now())
  await knowKeys(ROOT_DOMAIN_ID, kms, 'eu-west-1', 1, now())
  await knowKeys(ROOT_DOMAIN_ID, neighbour, 'us-east-1', 2, now())
  const at = now().toISOString()
  await commit((changes) => {
    for (const { id: kms_id, name: kms_name } of [kms, neighbour]) {
      const id = uuid(now())
      changes.create(policyTemplates, ROOT_DOMAIN_ID, {
        id,
        uri: `keymgr:${ROOT_DOMAIN_ID}:keymgr:cloud-a-templates:${id}`,
        account: `keymgr:keymgr:admin:accounts:${ROOT_DOMAIN_ID}`,
        createdAt: at,
        updatedAt: at,
        name: `template of ${kms_name}`,
        kms: kms_name,
        kms_id,
        account_id: OWN,
        policy: {},
        is_verified: false,
      })
    }
  })
  cloud().reset()
  expect(await ask('DELETE', `${KMS}/${kms.id}`)).toMatchObject({ status: 200, body: { status: 204 } })
  expect(cloud().calls()).toEqual([])
  expect(await ask('GET', `${KMS}/${kms.id}`)).toMatchObject({ status: 404, body: { code: 5 } })
  expect(await ask('DELETE', `${KMS}/${kms.id}`)).toMatchObject({ status: 404, body: { code: 5 } })
  for (const region of ['us-east-1', 'eu-west-1']) expect(await keysIn(kms, region)).toEqual([])
  expect(await countOf(cloudAKeys, ROOT_DOMAIN_ID, `kms:${kms.id}`)).toBe(0)
  expect(await templatesOf(ROOT_DOMAIN_ID, kms.id)).toEqual([])
  expect(await keysIn(neighbour, 'us-east-1')).toHaveLength(2)
  expect(await templatesOf(ROOT_DOMAIN_ID, neighbour.id)).toHaveLength(1)
  const records = await ask('GET', '/v1/audit/records?message=Delete%20Cloud-a%20KMS&success=true')
  expect(records.body.resources[0].details).toMatchObject({ resource_uri: kms.uri, before: { name: 'leaving' } })
  await made('leaving')
})

test('the sweeper removes what is left of regions and entries that went, and nothing where a region is there again', async () => {
  const kms = await made('swept', { regions: ['us-east-1'] })
  for (const region of ['us-east-1', 'eu-west-1']) await knowKeys(ROOT_DOMAIN_ID, kms, region, 20, now())
  const whole = await made('swept-whole')
  expect((await ask('DELETE', `${KMS}/${whole.id}`)).status).toBe(200)
  await knowKeys(ROOT_DOMAIN_ID, whole, 'us-east-1', 2, now()) // written by a request in progress
  const regions = ['eu-west-1', 'us-east-1']
  const startAt = now().toISOString()
  await commit((changes) =>
    changes.create(containerPurges, ROOT_DOMAIN_ID, { id: uuid(now()), kms_id: kms.id, regions, startAt }),
  )
  await sweepLater()
  expect(await keysIn(kms, 'eu-west-1')).toEqual([])
  expect(await keysIn(kms, 'us-east-1')).toHaveLength(20)
  expect(await keysIn(whole, 'us-east-1')).toEqual([])
  expect(await countOf(containerPurges, ROOT_DOMAIN_ID)).toBe(0)
})

test('the time of the last synchronization is the earliest of its regions, once each has one', async () => {
  const kms = await made('read')
  const synchronized = async (times: Record<string, string>): Promise<unknown> => {
    const stored = await cloudAKms.get(ROOT_DOMAIN_ID, kms.id)
    if (stored)
      await commit((changes) =>
        changes.update(cloudAKms, ROOT_DOMAIN_ID, stored, { ...stored.item, synchronized: times }),
      )
    return (await ask('GET', `${KMS}/${kms.id}`)).body.last_synchronized_at
  }
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
  expect(await synchronized({ 'us-east-1': late })).toBeUndefined()
  expect(await synchronized({ 'us-east-1': late, 'eu-west-1': early })).toBe(early)
  const dropped = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1'] })
  expect(dropped.body.last_synchronized_at).toBe(late)
  const added = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1', 'eu-west-1'] })
  expect(added.body).not.toHaveProperty('last_synchronized_at')
})

test('an entry whose connection was deleted by force does nothing until it is given another', async () => {
  const connection = await connectionTo(service(), token, 'leaving', accountAt(service(), 0))
  const kms = await made('left-behind', { connection })
  const inUse = await ask('DELETE', `${CONNECTIONS}/leaving`)
  expect(inUse).toMatchObject({ status: 409, body: { code: 9 } })
  expect(inUse.body.detail).toMatch(/^1 record uses the connection: .*connection=leaving/)
  const forced = await ask('POST', `/v1/connectionmgmt/connections/${connection}/delete`, { force: true })
  expect(forced.status, JSON.stringify(forced.body)).toBe(200)
  const left = (await ask('GET', `${KMS}/${kms.id}`)).body
  expect(left).not.toHaveProperty('connection')
  const path = `${KMS}/${kms.id}`
  const lost = { status: 409, body: { code: 8 } }
  expect(await ask('POST', '/v1/keymgr/cloud-a/get-iam-roles', { kms: kms.id })).toMatchObject(lost)
  expect(await ask('PATCH', path, { assume_role_arn: OPERATOR })).toMatchObject(lost)
  expect((await ask('PATCH', path, { regions: ['us-east-1'] })).status).toBe(200)
  expect(await ask('PATCH', path, { connection: 'own' })).toMatchObject({ status: 200, body: { connection: 'own' } })
  expect((await ask('POST', '/v1/keymgr/cloud-a/get-iam-roles', { kms: kms.id })).status).toBe(200)
})

test('users, roles and log groups of the account are read page by page', async () => {
  const kms = await made('looked-into')
  const users = '/v1/keymgr/cloud-a/get-iam-users'
  const arnOf = (kind: string, name: string): string => `arn:aws:iam::${OWN}:${kind}/${name}`
  const first = await ask('POST', users, { kms: kms.id, max_items: 2 })
  expect(first.status, JSON.stringify(first.body)).toBe(200)
  expect(first.body).toEqual({
    users: ['alice', 'bob'].map((name) => ({ name, arn: arnOf('user', name) })),
    marker: expect.any(String),
    is_truncated: true,
  })
  const rest = await ask('POST', users, { kms: 'looked-into', max_items: 2, marker: first.body.marker })
  const administrator = { name: 'keymgr-admin', arn: arnOf('user', 'keymgr-admin') }
  expect(rest.body).toEqual({ users: [administrator], is_truncated: false })
  const roles = await ask('POST', '/v1/keymgr/cloud-a/get-iam-roles', { kms: kms.id, path_prefix: '/' })
  expect(roles.body).toEqual({
    roles: ['keymgr-operator', 'orders-service'].map((name) => ({ name, arn: arnOf('role', name) })),
    is_truncated: false,
  })
  const groups = '/v1/keymgr/cloud-a/get-log-groups'
  const where = { kms: kms.id, region: 'us-east-1' }
  const some = await ask('POST', groups, { ...where, limit: 2 })
  expect(some.body).toEqual({ log_groups: ['/aws/lambda/orders', 'application'], nextToken: expect.any(String) })
  const more = await ask('POST', groups, { ...where, limit: 2, nextToken: some.body.nextToken })
  expect(more.body).toEqual({ log_groups: [`trail-${OWN}`] })
  const prefixed = await ask('POST', groups, { ...where, logGroupNamePrefix: 'app' })
  expect(prefixed.body).toEqual({ log_groups: ['application'] })
})

test('an alias is free until a key of the region has it', async () => {
  const kms = await made('aliased')
  const verify = (alias: string, region = 'us-east-1') =>
    ask('POST', '/v1/keymgr/cloud-a/alias/verify', { kms: kms.id, region, alias })
  cloud().seed({ account: OWN, region: 'us-east-1', count: 1, describe: () => ({ aliases: ['alias/payroll'] }) })
  expect((await verify('payroll')).body).toEqual({ available: false })
  expect((await verify('payroll', 'eu-west-1')).body).toEqual({ available: true })
  expect((await verify('payroll-2')).body).toEqual({ available: true })
  for (const alias of ['alias/payroll', 'aws/kms', 'pay roll', ''])
    await refused(verify(alias), 422, 2, alias === '' ? ['#/alias', '#/alias'] : ['#/alias'])
  await refused(verify('payroll', 'us-west-2'), 422, 2, ['#/region'])
})

test.each([
  ['get-iam-users', {}],
  ['get-iam-roles', {}],
  ['get-log-groups', { region: 'us-east-1' }],
  ['alias/verify', { region: 'us-east-1', alias: 'any' }],
])('%s does not find an entry that is not there', async (path, more) => {
  await refused(ask('POST', `/v1/keymgr/cloud-a/${path}`, { kms: 'none', ...more }), 404, 5, ['#/kms'])
})

test('a child domain sees none of it, stays while it has an entry, and takes along what is left of entries', async () => {
  const kms = await made('of-the-root')
  const { child, childId } = await childAdmin(service())
  const asChild = (method: string, path: string, body?: unknown) => service().call(method, path, { token: child, body })
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { regions: ['us-east-1'] }],
    ['DELETE', '', undefined],
    ['POST', '/archive', undefined],
    ['POST', '/recover', undefined],
    ['POST', '/update-acls', { acls: [{ group: 'admin', permit: true, actions: ['view'] }] }],
  ] as const)
    expect((await asChild(method, `${KMS}/${kms.id}${path}`, body)).status, `${method} ${path}`).toBe(404)
  expect((await asChild('GET', KMS)).body.total).toBe(0)
  const borrowed = await asChild('POST', KMS, entry('of-the-child'))
  expect(borrowed).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/connection' }] } })
  await connectionTo(service(), child, 'own', accountAt(service(), 0))
  const own = await asChild('POST', KMS, entry('of-the-child'))
  expect(own.status, JSON.stringify(own.body)).toBe(201)
  expect((await ask('DELETE', `/v1/domains/${childId}`)).body).toMatchObject({
    status: 409,
    code: 9,
    detail: '1 container of the domain must be removed first.',
  })
  expect((await asChild('GET', `${KMS}/${own.body.id}`)).status).toBe(200)
  expect((await asChild('DELETE', `${KMS}/${own.body.id}`)).status).toBe(200)
  await knowKeys(childId, own.body, 'us-east-1', 30, now())
  const job = await jobOn(own.body, childId)
  await commit((changes) =>
    changes.create(synchronizationParts, childId, {
      id: uuid(now()),
      job,
      container: own.body.id,
      region: 'us-east-1',
      name: `${OWN}/us-east-1`,
      phase: 'known',
      added: 0,
      updated: 0,
      gone: 0,
      unread: 0,
      backups: 0,
      not_backed_up: 0,
      errors: [],
      generation: 0,
      turns: 0,
      failures: 0,
      leaseUntil: now().toISOString(),
    }),
  )
  expect((await ask('DELETE', `/v1/domains/${childId}`)).status).toBe(200)
  await sweepLater()
  expect(await countOf(cloudAKms, childId)).toBe(0)
  expect(await countOf(cloudAKeys, childId)).toBe(0)
  expect(await countOf(synchronizationJobs, childId, 'cloud:cloud-a')).toBe(0)
  expect(await synchronizationParts.members(childId, `job:${job}`)).toEqual([])
  expect((await ask('GET', `${KMS}/${kms.id}`)).status).toBe(200)
})
