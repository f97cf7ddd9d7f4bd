import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService, type Answered, type CallOptions } from '../../support/service.ts'

const service = useService()
let root = ''
let child = ''
let childId = ''
let childAdminId = ''
beforeAll(async () => {
  root = await service().logIn()
  ;({ child, childId, userId: childAdminId } = await childAdmin(service(), 'branch'))
})

const asRoot = (method: string, path: string, options: CallOptions = {}): Promise<Answered> =>
  service().call(method, path, { token: root, ...options })
const asChild = (method: string, path: string, options: CallOptions = {}): Promise<Answered> =>
  service().call(method, path, { token: child, ...options })

test('a domain is created with its own groups, administrators and key, and shows no secret', async () => {
  const { body } = await asRoot('GET', `/v1/domains/${childId}`)
  expect(body).toMatchObject({ name: 'branch', admins: [childAdminId], allow_user_management: false, kek_version: 0 })
  expect((await asChild('GET', '/v1/domain')).body).toEqual(body)
  expect((await asChild('GET', '/v1/usermgmt/groups?limit=-1')).body.total).toBe(13)
  const keks = await asRoot('GET', `/v1/domains/${childId}/keks`)
  expect(keks.body.resources).toEqual([
    { id: expect.any(String), version: 0, state: 'current', createdAt: expect.any(String) },
  ])
})

test('root and child domain see nothing of each other', async () => {
  const rootKey = (await asRoot('POST', '/v1/vault/keys2', { body: { name: 'of the root' } })).body
  const childKey = (await asChild('POST', '/v1/vault/keys2', { body: { name: 'of the child' } })).body
  for (const [call, other] of [
    [asChild, rootKey],
    [asRoot, childKey],
  ] as const) {
    for (const reference of [other.id, encodeURIComponent(other.name as string)])
      for (const method of ['GET', 'DELETE'])
        expect((await call(method, `/v1/vault/keys2/${reference}`)).status).toBe(404)
    const listed = await call('GET', `/v1/vault/keys2?id=${other.id}`)
    expect(listed.body.total).toBe(0)
  }
  expect((await asChild('GET', '/v1/vault/keys2')).body).toMatchObject({
    total: 1,
    resources: [{ name: 'of the child' }],
  })
  const rootId = '00000000-0000-7000-8000-000000000000'
  expect((await asChild('GET', `/v1/domains/${rootId}`)).status).toBe(404)
  expect((await asChild('GET', '/v1/domains')).body).toMatchObject({ total: 1, resources: [{ id: childId }] })
  expect((await asChild('GET', '/v1/usermgmt/users')).body.total).toBe(0)
})

test('a user name may exist in both domains with independent log-ins', async () => {
  const body = { name: 'same name' }
  expect((await asRoot('POST', '/v1/vault/keys2', { body })).status).toBe(201)
  expect((await asChild('POST', '/v1/vault/keys2', { body })).status).toBe(201)
})

test("the root's auditors see a child's records on request, the child never the root's", async () => {
  const own = await asRoot('GET', '/v1/audit/records?limit=-1')
  expect(own.body.resources.every((record: { domain: string }) => record.domain !== childId)).toBe(true)
  const asked = await asRoot('GET', '/v1/audit/records?domain=branch&message=Create%20Key')
  expect(asked.body.total).toBeGreaterThan(0)
  expect(asked.body.resources.every((record: { domain: string }) => record.domain === childId)).toBe(true)
  expect((await asChild('GET', '/v1/audit/records?domain=root')).status).toBe(404)
  expect((await asRoot('GET', '/v1/audit/records?domain=nowhere')).status).toBe(404)
  const [record] = asked.body.resources
  expect((await asRoot('GET', `/v1/audit/records/${record.id}`)).status).toBe(404)
  expect((await asChild('GET', `/v1/audit/records/${record.id}`)).body).toEqual(record)
})

test("with allow_user_management the child's administrators manage its users, without it only the root's", async () => {
  const make = (username: string, token: string) =>
    service().call('POST', '/v1/usermgmt/users', { token, body: { username, password: 'Local-User-1' } })
  const join = (userId: string) => asChild('POST', `/v1/usermgmt/groups/admin/users/${userId}`)
  const policy = { policy_name: 'of the child' }
  const denied = { status: 403, body: { code: 4 } }
  expect(await make('local', child)).toMatchObject(denied)
  expect(await join(childAdminId)).toMatchObject(denied)
  expect(await asChild('POST', '/v1/usermgmt/groups', { body: { name: 'crew' } })).toMatchObject(denied)
  expect(await asChild('POST', '/v1/usermgmt/pwdpolicies', { body: policy })).toMatchObject(denied)
  const membership = `/v1/usermgmt/groups/User%20Admins/users/${childAdminId}`
  expect((await asRoot('POST', membership)).status).toBe(200)
  const { body: local } = await make('local', child)
  expect((await join(local.user_id as string)).status).toBe(200)
  expect((await asRoot('DELETE', membership)).status).toBe(200)
  const token = await service().logIn('local', 'Local-User-1', { domain: childId })
  expect(await make('refused', token)).toMatchObject(denied)
  expect(await make('refused', child)).toMatchObject(denied)
  expect((await asRoot('PATCH', `/v1/domains/${childId}`, { body: { allow_user_management: true } })).status).toBe(200)
  expect((await make('accepted', token)).status).toBe(201)
  expect((await make('accepted too', child)).status).toBe(201)
  expect(
    (await service().call('POST', '/v1/auth/tokens', { body: { name: 'local', password: 'Local-User-1' } })).status,
  ).toBe(401)
})

test.each([
  ['without administrators', { name: 'none', admins: [] }, 422, '#/admins'],
  [
    'with an administrator who is not there',
    { name: 'none', admins: ['local|01a1f8f8-d8f5-7000-8010-cf0e807ae70b'] },
    404,
    '#/admins/0',
  ],
  ['with an unknown field', { name: 'none', admins: [], parent: 'x' }, 400, '#/admins'],
])('a domain %s is refused', async (_what, body, status, pointer) => {
  const refused = await asRoot('POST', '/v1/domains', { body })
  expect(refused.status).toBe(status)
  expect(refused.body.errors[0]).toMatchObject({ pointer })
})

test('a taken name is refused, also when renaming', async () => {
  expect((await asRoot('POST', '/v1/domains', { body: { name: 'branch', admins: [childAdminId] } })).status).toBe(409)
  expect((await asRoot('PATCH', `/v1/domains/${childId}`, { body: { name: 'root' } })).status).toBe(409)
  expect((await asChild('POST', '/v1/domains', { body: { name: 'grandchild', admins: [childAdminId] } })).status).toBe(
    403,
  )
})

/** The number of a domain's items of a kind in the table, even after the domain was deleted. */
async function itemsLeft(domain: string, entity: string): Promise<number> {
  const { endpoint, name } = service().deployment.table
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const table = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
  const { Count = 0 } = await table.send(
    new ScanCommand({
      TableName: name,
      FilterExpression: 'begins_with(pk, :items)',
      ExpressionAttributeValues: { ':items': { S: `${domain}#${entity}#` } },
    }),
  )
  return Count
}

test('a domain with keys is not deleted; without them it is deleted with its users and keeps its audit records', async () => {
  const { child: token, childId: id } = await childAdmin(service(), 'short-lived')
  const key = (await service().call('POST', '/v1/vault/keys2', { token, body: {} })).body
  const connection = { name: 'left behind', access_key_id: 'AKIALEFTBEHIND000001', secret_access_key: 'hidden' }
  const clouds = '/v1/connectionmgmt/services/cloud-a/connections'
  expect((await service().call('POST', clouds, { token, body: connection })).status).toBe(201)
  for (const [path, body] of [
    ['templates', { name: 'left behind' }],
    ['key-policies', { name: 'left behind' }],
  ] as const)
    expect((await service().call('POST', `/v1/vault/${path}`, { token, body })).status).toBe(201)
  const tenant = '5f0c2b1e-6d1a-4b8e-9c37-0d2f4a6b8c1d'
  const application = { name: 'left behind', tenant_id: tenant, client_id: tenant, client_secret: 'hidden' }
  const tenants = '/v1/keymgr/docsuite/dke/auth-tenants'
  expect((await service().call('POST', tenants, { token, body: application })).status).toBe(201)
  const kinds = ['connection', 'key-template', 'key-policy', 'dke-tenant']
  const left = () => Promise.all(kinds.map((kind) => itemsLeft(id, kind)))
  expect(await left()).toEqual([1, 1, 1, 1])
  expect((await asRoot('DELETE', `/v1/domains/${id}`)).body).toMatchObject({
    status: 409,
    code: 9,
    detail: '1 key of the domain must be deleted first.',
  })
  expect((await service().call('DELETE', `/v1/vault/keys2/${key.id}`, { token })).status).toBe(200)
  expect((await asRoot('DELETE', `/v1/domains/${id}`)).body).toEqual({ status: 204 })
  service().deployment.clock.advance(5_100)
  expect((await service().call('GET', '/v1/vault/keys2', { token })).status).toBe(401)
  expect(
    (
      await service().call('POST', '/v1/auth/tokens', {
        body: { name: 'admin-of-short-lived', password: 'Pass-word-20x', domain: id },
      })
    ).status,
  ).toBe(401)
  service().deployment.clock.advance(120_000)
  expect(await service().deployment.fire('sweep-due')).toMatchObject({ purged: 1 })
  expect(await service().deployment.fire('sweep-due')).toMatchObject({ purged: 0 })
  expect(await left()).toEqual([0, 0, 0, 0])
})

test('after a rotation of the domain key its data is resealed and everything still opens', async () => {
  const { child: token, childId: id } = await childAdmin(service(), 'rotating')
  const call = (method: string, path: string, body?: unknown) => service().call(method, path, { token, body })
  const before: string[] = []
  for (let at = 0; at < 5; at++) {
    await call('POST', '/v1/vault/keys2', { name: `k${at}` })
    await call('POST', `/v1/vault/keys2/k${at}/versions`, {})
    before.push((await call('POST', `/v1/vault/keys2/k${at}/export`, {})).body.material as string)
  }
  const secret = { name: 's', dataType: 'password', material: 'of the first version' }
  await call('POST', '/v1/vault/secrets', secret)
  await call('POST', '/v1/vault/secrets/s/versions', { material: 'of the second' })
  const rotated = await asRoot('POST', `/v1/domains/${id}/rotate-kek`)
  expect([rotated.status, rotated.body.version]).toEqual([202, 1])
  expect((await asRoot('POST', `/v1/domains/${id}/rotate-kek`)).status).toBe(409)
  expect((await asRoot('POST', `/v1/domains/${id}/retry-kek-rotation`)).status).toBe(409)
  expect(await service().deployment.fire('reseal-keys')).toEqual({ resealed: 0 })
  service().deployment.clock.advance(121_000)
  root = await service().logIn()
  expect(await service().deployment.fire('reseal-keys')).toEqual({ resealed: 1 })
  const keks = (await asRoot('GET', `/v1/domains/${id}/keks`)).body.resources as { version: number; state: string }[]
  expect(keks.map(({ version, state }) => [version, state])).toEqual([
    [0, 'retired'],
    [1, 'current'],
  ])
  expect((await asRoot('GET', `/v1/domains/${id}`)).body.kek_version).toBe(1)
  for (const [at, material] of before.entries())
    expect((await call('POST', `/v1/vault/keys2/k${at}/export`, {})).body.material).toBe(material)
  const { resources } = (await call('GET', '/v1/vault/secrets/s/versions')).body
  const opened = await Promise.all(
    resources.map(async ({ id: version }: any) => (await call('POST', `/v1/vault/secrets/${version}/export`)).body),
  )
  expect(opened.map(({ material }) => material as string)).toEqual(['of the first version', 'of the second'])
  const other = (await asChild('GET', `/v1/domains/${id}/keks/${(keks[0] as unknown as { id: string }).id}`)).status
  expect(other).toBe(404)
})

test("a user administrator cannot change a child's administrator through the root", async () => {
  const { token } = await service().userIn(root, 'only-user-admin', ['User Admins'])
  const path = `/v1/usermgmt/users/${encodeURIComponent(childAdminId)}`
  for (const body of [{ password: 'Taken-over-1' }, { enabled: false }, { nickname: 'x' }])
    expect((await service().call('PATCH', path, { token, body })).status).toBe(403)
  expect((await asRoot('PATCH', path, { body: { nickname: 'x' } })).status).toBe(200)
})

test("a user administrator of the root cannot take over a guest of a child's system group", async () => {
  const { token } = await service().userIn(root, 'root-user-admin', ['User Admins'])
  const { userId } = await service().userIn(root, 'visiting-key-admin', [])
  const membership = `/v1/usermgmt/groups/Key%20Admins/users/${userId}`
  expect((await asChild('POST', membership)).status).toBe(200)
  const reset = () =>
    service().call('PATCH', `/v1/usermgmt/users/${userId}`, { token, body: { password: 'Taken-over-1' } })
  expect(await reset()).toMatchObject({ status: 403, body: { code: 4 } })
  expect((await service().call('DELETE', `/v1/usermgmt/users/${userId}`, { token })).status).toBe(403)
  expect((await asChild('DELETE', membership)).status).toBe(200)
  expect((await reset()).status).toBe(200)
})

test("a child's user administrator cannot take over the child's key administrator", async () => {
  const { child: token } = await childAdmin(service(), 'with-key-admin', { allow_user_management: true })
  const { body: keyAdmin } = await service().call('POST', '/v1/usermgmt/users', {
    token,
    body: { username: 'local-key-admin', password: 'Pass-word-15x' },
  })
  const path = `/v1/usermgmt/users/${keyAdmin.user_id}`
  const membership = `/v1/usermgmt/groups/Key%20Admins/users/${keyAdmin.user_id}`
  expect((await service().call('POST', membership, { token })).status).toBe(200)
  const userAdmin = (await service().userIn(root, 'child-user-admin', [])).userId
  await service().call('POST', `/v1/usermgmt/groups/User%20Admins/users/${userAdmin}`, { token })
  const guest = await service().logIn('child-user-admin', 'Pass-word-16x', { domain: 'with-key-admin' })
  const takeOver = { token: guest, body: { password: 'Taken-over-1' } }
  expect((await service().call('PATCH', path, takeOver)).status).toBe(403)
})

test('a guest and a user of the child domain may have one name: auth_domain distinguishes them', async () => {
  const { child: token, childId } = await childAdmin(service(), 'of-names', { allow_user_management: true })
  const username = 'admin-of-of-names'
  const [ofGuest, ofChild] = ['Pass-word-17x', 'Local-User-1']
  const made = await service().call('POST', '/v1/usermgmt/users', { token, body: { username, password: ofChild } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const logIn = async (password: string, more: object): Promise<unknown> => {
    const body = { name: username, password, domain: 'of-names', ...more }
    const { status, body: answer } = await service().call('POST', '/v1/auth/tokens', { body })
    if (status !== 200) return status
    const claims = JSON.parse(Buffer.from((answer.jwt as string).split('.')[1] ?? '', 'base64url').toString())
    return [claims.cust.domain_id, claims.cust.client_type]
  }
  expect(await logIn(ofChild, {})).toEqual([childId, 'user'])
  expect(await logIn(ofGuest, {})).toBe(401)
  expect(await logIn(ofGuest, { auth_domain: 'root' })).toEqual([childId, 'guest'])
  expect(await logIn(ofGuest, { auth_domain_path: '/root' })).toEqual([childId, 'guest'])
  expect(await logIn(ofChild, { auth_domain: childId })).toEqual([childId, 'user'])
  expect(await logIn(ofChild, { auth_domain: 'root' })).toBe(401)
  expect(await logIn(ofChild, { auth_domain: 'branch' })).toBe(401)
  expect(await logIn(ofGuest, { auth_domain: 'no such domain' })).toBe(401)
})
