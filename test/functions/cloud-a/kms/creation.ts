import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { accountAt, CONNECTIONS, connectionTo, KMS } from '../accounts.ts'
import {
  ask,
  OWN,
  connections,
  GUARDED,
  EXTERNAL_ID,
  OTHER,
  service,
  token,
  entry,
  made,
  OPERATOR,
  VISITOR,
  refused,
  cloud,
} from './set-up.ts'

test('accounts and regions of a connection are read, also in a role, and nothing is stored', async () => {
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

test('one account can have several entries, each with its own connection and regions', async () => {
  const plain = await made('several-plain', { regions: ['us-east-1'] })
  const inRole = await made('several-role', { assume_role_arn: OPERATOR, regions: ['us-west-2'] })
  expect(inRole).toMatchObject({ assume_role_arn: OPERATOR, arn: plain.arn, account_id: OWN })
  expect(plain).not.toHaveProperty('assume_role_arn')
  const listed = await ask('GET', `${KMS}?name=several-*&account_id=${OWN}`)
  expect(listed.body).toEqual({ skip: 0, limit: 10, total: 2, resources: [plain, inRole] })
})

test('a role gives access to another account, with an external id if it demands one', async () => {
  const visited = await made('visited', { account_id: OTHER, assume_role_arn: VISITOR })
  expect(visited).toMatchObject({ account_id: OTHER, arn: `arn:aws:iam::${OWN}:user/keymgr-admin` })
  const role = { assume_role_arn: GUARDED, assume_role_external_id: EXTERNAL_ID }
  expect(await made('guarded', { account_id: OTHER, ...role })).toMatchObject(role)
})

test.each([
  ['gov', '222233334444', 'cloud-a-gov', 'us-gov-east-1', 'aws-us-gov'],
  ['cn', '333344445555', 'cloud-a-cn', 'cn-north-1', 'aws-cn'],
])(
  'an entry of the edition %s is created, with and without a role',
  async (connection, account_id, name, region, arn) => {
    const where = { connection, account_id, regions: [region] }
    const plain = await made(`edition-${connection}`, where)
    expect(plain).toMatchObject({ cloud_name: name, arn: `arn:${arn}:iam::${account_id}:user/keymgr-admin` })
    const assume_role_arn = `arn:${arn}:iam::${account_id}:role/keymgr-operator`
    expect(await made(`edition-${connection}-role`, { ...where, assume_role_arn })).toMatchObject({ assume_role_arn })
  },
)

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

test('a failing connection is refused and keeps the reason; one for another product is refused too', async () => {
  const secret_access_key = 'no-such-secret-anywhere'
  const id = await connectionTo(service(), token, 'broken', accountAt(service(), 0), { secret_access_key })
  const refusal = await refused(ask('POST', KMS, entry('refused', { connection: 'broken' })), 422, 2, ['#/connection'])
  expect(JSON.stringify(refusal)).not.toContain(secret_access_key)
  const noted = await ask('GET', `${CONNECTIONS}/${id}`)
  expect(noted.body).toMatchObject({ ready: false, last_connection_ok: false })
  await connectionTo(service(), token, 'elsewhere', accountAt(service(), 0), { products: ['other'] })
  await refused(ask('POST', KMS, entry('refused', { connection: 'elsewhere' })), 422, 2, ['#/connection'])
})

test('of several concurrent entries with one name one is created, and the others do not call the cloud again', async () => {
  cloud().reset()
  const same = await Promise.all(Array.from({ length: 4 }, () => ask('POST', KMS, entry('contended'))))
  expect(same.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  for (const { body } of same.filter(({ status }) => status === 409))
    expect(body).toMatchObject({ code: 7, errors: [{ pointer: '#/name' }] })
  const others = await Promise.all(['contended-a', 'contended-b'].map((name) => ask('POST', KMS, entry(name))))
  expect(others.map(({ status }) => status)).toEqual([201, 201])
  expect(cloud().counts().ListRegions).toBeLessThanOrEqual(6)
})

test('filters select entries by their fields, and by name or id of their connection', async () => {
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
