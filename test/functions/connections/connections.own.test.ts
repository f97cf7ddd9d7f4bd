import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService, type Answered } from '../../support/service.ts'

/** Records of connections. `test-connection.own.test.ts` tests the connections themselves. */
const service = useService()
let token = ''

const ALL = '/v1/connectionmgmt/connections'
const CLOUD_A = '/v1/connectionmgmt/services/cloud-a/connections'
const KEY_ID = 'AKIAEXAMPLE000000001'
const SECRET = 'a-secret-that-nobody-sees'
const PAIR = { access_key_id: KEY_ID, secret_access_key: SECRET }
const ROLE = 'arn:aws:iam::111122223333:role/keymgr-operator'

beforeAll(async () => {
  token = await service().logIn()
})

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
  service().call(method, path, { token, body, headers })

async function made(name: string, more: object = {}): Promise<any> {
  const { status, body } = await ask('POST', CLOUD_A, { name, ...PAIR, ...more })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const pointersOf = ({ body }: Answered): string[] =>
  (body.errors ?? []).map((error: any) => error.pointer ?? error.parameter)

async function refused(status: number, code: number, fields: string[], answered: Promise<Answered>): Promise<void> {
  const { body, ...rest } = await answered
  expect([rest.status, body.code], JSON.stringify(body)).toEqual([status, code])
  expect(new Set(pointersOf({ body, ...rest }))).toEqual(new Set(fields))
}

test('a connection is created untested, shown without its secret, and found by id and by name', async () => {
  const { status, body, headers } = await ask('POST', CLOUD_A, { name: 'first', description: 'the first', ...PAIR })
  expect(status).toBe(201)
  const { id, uri, account, application, devAccount, createdAt, updatedAt, ...rest } = body
  expect(rest).toEqual({
    name: 'first',
    description: 'the first',
    service: 'cloud-a',
    category: 'cloud',
    resource_url: `${CLOUD_A}/${id}`,
    products: ['keymgr'],
    labels: {},
    cloud_name: 'cloud-a',
    access_key_id: KEY_ID,
    sts_regional_endpoints: 'legacy',
    ready: false,
  })
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(uri).toMatch(new RegExp(`^keymgr:[0-9a-f-]+:connectionmgmt:connections:${id}$`))
  expect([account, application, devAccount].every((text: string) => text.startsWith('keymgr:'))).toBe(true)
  expect(createdAt).toBe(updatedAt)
  expect(headers.get('etag')).toBe('"1"')
  for (const path of [`${CLOUD_A}/${id}`, `${CLOUD_A}/first`]) {
    const found = await ask('GET', path)
    expect([found.status, found.body]).toEqual([200, body])
  }
})

test.each([
  ['a key without its secret', { secret_access_key: undefined }, ['#/access_key_id']],
  ['a secret without its key', { access_key_id: undefined }, ['#/secret_access_key']],
  ['an external id without a role', { assume_role_external_id: 'x-1' }, ['#/assume_role_external_id']],
  ['a region nobody asks', { region: 'us-east-1' }, ['#/region']],
  ['regional endpoints without a region', { sts_regional_endpoints: 'regional' }, ['#/region']],
  ['a region of another edition', { sts_regional_endpoints: 'regional', region: 'cn-north-1' }, ['#/region']],
  ['a role of another edition', { cloud_name: 'cloud-a-gov', assume_role_arn: ROLE }, ['#/assume_role_arn']],
  ['a role that is none', { assume_role_arn: 'arn:aws:iam::111122223333:user/me' }, ['#/assume_role_arn']],
  [
    'an external id that is too short',
    { assume_role_arn: ROLE, assume_role_external_id: 'x' },
    ['#/assume_role_external_id'],
  ],
  ['a key id that cannot be one', { access_key_id: 'akia' }, ['#/access_key_id']],
  ['a host in place of a region', { sts_regional_endpoints: 'regional', region: 'evil.example/' }, ['#/region']],
  ['keys and a certificate', { is_role_anywhere: true }, ['#/is_role_anywhere']],
  ['no name', { name: undefined }, ['#/name']],
  ['an edition there is not', { cloud_name: 'cloud-z' }, ['#/cloud_name']],
  [
    'labels beyond 50',
    { labels: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`l${n}`, ''])) },
    ['#/labels'],
  ],
  ['nobody who may use it', { products: [] }, ['#/products']],
  [
    'several faults at once',
    { access_key_id: undefined, region: 'us-east-1', assume_role_external_id: 'x-1' },
    ['#/secret_access_key', '#/region', '#/assume_role_external_id'],
  ],
])('creation refuses %s', async (_what, fields, pointers) => {
  await refused(422, 2, pointers, ask('POST', CLOUD_A, { name: 'refused', ...PAIR, ...fields }))
})

test('creation refuses wrong types, unknown fields and taken names', async () => {
  const body = { name: 7, client_id: 'of another cloud', ...PAIR }
  await refused(400, 1, ['#/name', '#/client_id'], ask('POST', CLOUD_A, body))
  await made('taken')
  await refused(409, 7, ['#/name'], ask('POST', CLOUD_A, { name: 'taken', ...PAIR }))
})

test('without a certificate, no field mentions one', async () => {
  expect(await made('no certificate', { is_role_anywhere: false })).not.toHaveProperty('is_role_anywhere')
})

test('unknown services are not found', async () => {
  for (const service of ['cloud-z', 'constructor'])
    await refused(404, 5, [], ask('GET', `/v1/connectionmgmt/services/${service}/connections`))
  await refused(404, 5, [], ask('POST', '/v1/connectionmgmt/services/log-forwarders/index/connections', { name: 's' }))
})

test('a connection without credentials is possible only in the root domain', async () => {
  const { status, body } = await ask('POST', CLOUD_A, { name: 'by the deployment', assume_role_arn: ROLE })
  expect([status, body.access_key_id, body.assume_role_arn]).toEqual([201, undefined, ROLE])
  const { child } = await childAdmin(service(), 'tenant')
  const inChild = (method: string, path: string, fields: object) =>
    service().call(method, path, { token: child, body: fields })
  const keyless = { name: 'of the child', assume_role_arn: ROLE }
  await refused(422, 2, ['#/access_key_id'], inChild('POST', CLOUD_A, keyless))
  await refused(422, 2, ['#/access_key_id'], inChild('POST', '/v1/connectionmgmt/services/cloud-a/connection-test', {}))
  expect((await inChild('POST', CLOUD_A, { ...keyless, ...PAIR })).status).toBe(201)
  const clear = { access_key_id: null, secret_access_key: null }
  await refused(422, 2, ['#/access_key_id'], inChild('PATCH', `${CLOUD_A}/of the child`, clear))
  await refused(422, 2, ['#/access_key_id'], inChild('POST', `${CLOUD_A}/of the child/test`, clear))
})

test('an update changes only the given fields; null clears; name and service stay', async () => {
  const before = await made('changing', { labels: { tier: 'gold' }, meta: { team: 'a' }, assume_role_arn: ROLE })
  const path = `${CLOUD_A}/${before.id}`
  const change = {
    description: 'changed',
    products: ['keymgr', 'backup'],
    labels: { zone: 'b' },
    sts_regional_endpoints: 'regional',
    region: 'eu-central-1',
    assume_role_external_id: 'external-1',
  }
  const { status, body, headers } = await ask('PATCH', path, change)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toEqual({ ...before, ...change, updatedAt: body.updatedAt })
  expect(headers.get('etag')).toBe('"2"')
  const cleared = await ask('PATCH', path, {
    description: null,
    labels: null,
    meta: null,
    region: null,
    sts_regional_endpoints: null,
    assume_role_arn: null,
    assume_role_external_id: null,
  })
  const { description: _, meta: __, assume_role_arn: ___, ...bare } = before
  expect(cleared.body).toEqual({
    ...bare,
    labels: {},
    products: change.products,
    updatedAt: cleared.body.updatedAt,
  })
  await refused(400, 1, ['#/name'], ask('PATCH', path, { name: 'other' }))
  await refused(400, 1, ['#/service'], ask('PATCH', path, { service: 'cloud-b' }))
  await refused(400, 1, ['#/ready'], ask('PATCH', path, { ready: true }))
})

test('an updated connection must satisfy the rules of creation', async () => {
  const { id } = await made('ruled', { sts_regional_endpoints: 'regional', region: 'us-east-1', assume_role_arn: ROLE })
  const path = `${CLOUD_A}/${id}`
  await refused(422, 2, ['#/region'], ask('PATCH', path, { sts_regional_endpoints: 'legacy' }))
  await refused(422, 2, ['#/region'], ask('PATCH', path, { region: null }))
  await refused(422, 2, ['#/secret_access_key'], ask('PATCH', path, { access_key_id: null }))
  await refused(422, 2, ['#/access_key_id'], ask('PATCH', path, { secret_access_key: null }))
  await refused(422, 2, ['#/assume_role_arn', '#/region'], ask('PATCH', path, { cloud_name: 'cloud-a-cn' }))
  expect((await ask('PATCH', path, { assume_role_external_id: 'external-1' })).status).toBe(200)
  await refused(422, 2, ['#/assume_role_external_id'], ask('PATCH', path, { assume_role_arn: null }))
  const keyless = await ask('PATCH', path, { access_key_id: null, secret_access_key: null })
  expect([keyless.status, keyless.body.access_key_id]).toEqual([200, undefined])
  await refused(422, 2, ['#/access_key_id'], ask('PATCH', path, { access_key_id: KEY_ID }))
})

test('a stale If-Match prevents update and deletion', async () => {
  const { id } = await made('matched')
  const path = `${CLOUD_A}/${id}`
  const stale = { 'if-match': '"7"' }
  expect((await ask('PATCH', path, { description: 'late' }, stale)).status).toBe(412)
  expect((await ask('DELETE', path, undefined, stale)).status).toBe(412)
  expect((await ask('DELETE', `${ALL}/${id}`, undefined, stale)).status).toBe(412)
  expect((await ask('PATCH', path, { description: 'in time' }, { 'if-match': '"1"' })).status).toBe(200)
})

test('a connection is deleted under each address, by id or name, and its name is free again', async () => {
  const gone = { status: 200, body: { status: 204 } }
  const { id } = await made('going')
  expect(await ask('DELETE', `${CLOUD_A}/${id}`)).toMatchObject(gone)
  await made('going')
  expect(await ask('DELETE', `${ALL}/going`)).toMatchObject(gone)
  const again = await made('going')
  expect(await ask('POST', `${ALL}/${again.id}/delete`, { force: true })).toMatchObject(gone)
  await made('going')
  expect(await ask('POST', `${ALL}/going/delete`)).toMatchObject(gone)
  for (const [method, path] of [
    ['GET', `${CLOUD_A}/${id}`],
    ['PATCH', `${CLOUD_A}/going`],
    ['DELETE', `${CLOUD_A}/going`],
    ['DELETE', `${ALL}/${id}`],
    ['POST', `${ALL}/going/delete`],
    ['POST', `${CLOUD_A}/going/test`],
  ] as const)
    await refused(404, 5, [], ask(method, path, method === 'GET' || method === 'DELETE' ? undefined : {}))
})

test('lists apply their filters', async () => {
  await made('list-1', { labels: { tier: 'gold', zone: 'a' }, meta: { team: { name: 'blue' } } })
  await made('list-2', { labels: { tier: 'gold' }, products: ['backup'], assume_role_arn: ROLE })
  const third = await made('list-3', { cloud_name: 'cloud-a-gov', assume_role_arn: ROLE.replace('aws', 'aws-us-gov') })
  const named = async (query: string, path = ALL): Promise<string[]> => {
    const { status, body } = await ask('GET', `${path}?name=list-*&${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.total).toBe(body.resources.length)
    return body.resources.map(({ name }: { name: string }) => name)
  }
  const all = ['list-1', 'list-2', 'list-3']
  expect(await named('service=cloud-a&category=cloud&fields=meta,labels')).toEqual(all)
  expect(await named('sort=-name', CLOUD_A)).toEqual(all.toReversed())
  expect(await named('sort=assume_role_arn')).toEqual(['list-1', 'list-3', 'list-2']) // of this kind alone; absent first
  expect(await named('sort=-assume_role_arn,name', CLOUD_A)).toEqual(['list-2', 'list-3', 'list-1'])
  expect(await named(`id=${third.id}`)).toEqual(['list-3'])
  expect(await named('cloud_name=cloud-a-gov')).toEqual(['list-3'])
  expect(await named('products=backup')).toEqual(['list-2'])
  expect(await named('labels_query=tier%3Dgold')).toEqual(['list-1', 'list-2'])
  expect(await named('labels_query=tier,zone%3Da')).toEqual(['list-1'])
  expect(await named(`meta_contains=${encodeURIComponent('{"team":{"name":"blue"}}')}`)).toEqual(['list-1'])
  expect(await named('service=cloud-b')).toEqual([])
  expect(await named('category=log-forwarder')).toEqual([])
  expect(await named('last_connection_ok=false')).toEqual([]) // an untested connection matches neither
  expect(await named('last_connection_after=2020-01-01T00:00:00Z')).toEqual([])
  const page = await ask('GET', `${ALL}?limit=2&skip=1`)
  const { total } = (await ask('GET', `${CLOUD_A}?limit=1`)).body
  expect(page.body).toMatchObject({ skip: 1, limit: 2, total })
  expect(page.body.resources).toHaveLength(2)
})

test.each([
  ['labels_query=', 'labels_query'],
  ['meta_contains=[]', 'meta_contains'],
  ['meta_contains={', 'meta_contains'],
  ['service=cloud-z', 'service'],
  ['category=clouds', 'category'],
  ['last_connection_ok=maybe', 'last_connection_ok'],
  ['last_connection_after=today', 'last_connection_after'],
  ['sort=secret_access_key', 'sort'],
  ['shoe=1', 'shoe'],
])('a list refuses %s', async (query, parameter) => {
  for (const path of [ALL, CLOUD_A]) await refused(400, 1, [parameter], ask('GET', `${path}?${query}`))
})

test('keymgr Admins read connections but cannot change them', async () => {
  const { token: reader } = await service().userIn(token, 'reader', ['keymgr Admins'])
  const { id } = await made('read-only')
  const as = (method: string, path: string, body?: object) => service().call(method, path, { token: reader, body })
  expect((await as('GET', `${CLOUD_A}/${id}`)).body.name).toBe('read-only')
  for (const [method, path] of [
    ['POST', CLOUD_A],
    ['PATCH', `${CLOUD_A}/${id}`],
    ['POST', `${CLOUD_A}/${id}/test`],
    ['POST', '/v1/connectionmgmt/services/cloud-a/connection-test'],
    ['POST', `${ALL}/${id}/delete`],
  ] as const)
    expect(await as(method, path, {})).toMatchObject({ status: 403, body: { code: 4 } })
})

test('audit records show the changes, but of a secret only that it changed', async () => {
  const { id } = await made('audited')
  await ask('PATCH', `${CLOUD_A}/${id}`, { description: 'why', secret_access_key: 'another-secret' })
  await ask('PATCH', `${CLOUD_A}/${id}`, { access_key_id: null, secret_access_key: null })
  await ask('DELETE', `${CLOUD_A}/${id}`)
  const { body } = await ask('GET', '/v1/audit/records?limit=-1&sort=createdAt')
  const records = body.resources.filter(({ details }: any) => details.resource_name === 'audited')
  expect(records.map(({ message, service: part }: any) => [message, part])).toEqual([
    ['Create Connection', 'connectionmgmt'],
    ['Update Connection', 'connectionmgmt'],
    ['Update Connection', 'connectionmgmt'],
    ['Delete Connection', 'connectionmgmt'],
  ])
  expect(records[0].details.after).toMatchObject({ name: 'audited', access_key_id: KEY_ID, secrets: 'changed' })
  expect(records[1].details).toMatchObject({ before: {}, after: { description: 'why', secrets: 'changed' } })
  expect(records[2].details.before).toEqual({ access_key_id: KEY_ID })
  expect(records[2].details.after).toEqual({ secrets: 'removed' })
  for (const secret of [SECRET, 'another-secret']) expect(JSON.stringify(body)).not.toContain(secret)
})
