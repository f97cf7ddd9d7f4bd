import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { CLOUD_B, refused, SUBSCRIPTION, useCloudB, VAULT, VAULTS } from './cloud-b.ts'
import { atCloud, synchronized } from './other-people.ts'

const tests = useCloudB({ flowPauseMs: () => 1 })
const SECRETS = `${CLOUD_B}/secrets`
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

const newValue = (): string => `value-${randomBytes(12).toString('hex')}`
const bodyOf = (secret_name: string, more: object = {}) => ({
  secret_name,
  key_vault: VAULT,
  cloud_b_param: { value: newValue(), ...more },
})
const create = (name: string, more: object = {}): Promise<any> => tests().admin.ok('POST', SECRETS, bodyOf(name, more))
const ask = (method: string, path: string, body?: unknown) => tests().admin.call(method, path, body)
const act = (id: string, action: string): Promise<any> => tests().admin.ok('POST', `${SECRETS}/${id}/${action}`)
const get = (id: string): Promise<any> => tests().admin.ok('GET', `${SECRETS}/${id}`)
const list = async (query: string): Promise<any[]> =>
  (await tests().admin.ok('GET', `${SECRETS}?limit=-1&${query}`)).resources
const valueOf = async (name: string): Promise<string> =>
  (await atCloud(tests().cloud, VAULT, 'GET', `/secrets/${name}`)).value

test('a secret is created at the cloud, and its value is stored only there', async () => {
  const { admin, vault, records } = tests()
  const body = bodyOf('made', { attributes: { exp: 4_000_000_000 }, contentType: 'text/plain', tags: { team: 'shop' } })
  const headers = { 'idempotency-key': 'made-once' }
  const made = await admin.ok('POST', SECRETS, body, headers)
  expect(made).toMatchObject({
    secret_name: 'made',
    key_vault: VAULT,
    key_vault_id: vault.id,
    cloud_name: 'cloud-b',
    region: 'westeurope',
    version: expect.stringMatching(/^[0-9a-f]{32}$/),
    is_latest: true,
    status: 'ACTIVE',
    gone: false,
    deleted: false,
    soft_delete_enabled: true,
    azure_expire_at: '2096-10-02T07:06:40.000Z',
    created_by: 'admin',
    cloud_b_param: {
      id: `https://${VAULT}.vault.azure.net/secrets/made/${made.version}`,
      attributes: { enabled: true, exp: 4_000_000_000 },
      contentType: 'text/plain',
      tags: { team: 'shop' },
    },
  })
  for (const field of ['key_material_origin', 'key_soft_deleted_in_azure']) expect(made).not.toHaveProperty(field)
  expect(await admin.ok('POST', SECRETS, body, headers)).toEqual(made)
  expect(await get(made.id)).toEqual(made)
  const { value } = body.cloud_b_param
  expect(await valueOf('made')).toBe(value)
  const [record] = await records(`resource_uri=${made.uri}`)
  expect(record).toMatchObject({ success: true, message: 'Create Cloud-b Secret' })
  const shown = [made, record, await list(''), await admin.ok('GET', '/v1/audit/records?limit=-1')]
  expect(JSON.stringify(shown)).not.toContain(value)
})

test('the same name gets another version, and each version is changed separately', async () => {
  const { admin, advance } = tests()
  const first = await create('twice')
  advance(1_000)
  const second = await create('twice', { tags: { n: '2' } })
  expect(second.version).not.toBe(first.version)
  expect([(await get(first.id)).is_latest, (await get(second.id)).is_latest]).toEqual([false, true])
  const changed = await admin.ok('PATCH', `${SECRETS}/${first.id}`, {
    attributes: { enabled: false },
    contentType: 'x/y',
    tags: { old: 'yes' },
  })
  expect(changed.cloud_b_param).toMatchObject({
    attributes: { enabled: false },
    contentType: 'x/y',
    tags: { old: 'yes' },
  })
  expect((await get(second.id)).cloud_b_param.attributes.enabled).toBe(true)
  const found = async (query: string) => (await list(`secret_name=twice&${query}`)).map(({ id }) => id)
  expect(await found('sort=createdAt')).toEqual([first.id, second.id])
  expect(await found('version=-1')).toEqual([second.id])
  expect(await found(`version=${first.version}`)).toEqual([first.id])
  expect(await found('enabled=false')).toEqual([first.id])
  expect(await found('tags=n%3D2')).toEqual([second.id])
  expect(await found(`key_vault=${VAULT}&status=AVAILABLE&gone=false`)).toHaveLength(2)
})

test('deletion concerns every version; a record goes once the cloud has nothing', async () => {
  const { advance } = tests()
  const first = await create('ended')
  advance(1_000)
  const second = await create('ended')
  await refused(ask('DELETE', `${SECRETS}/${first.id}`), 409, 8, [])
  await refused(ask('POST', `${SECRETS}/${first.id}/recover`), 409, 8, [])
  await refused(ask('POST', `${SECRETS}/${first.id}/hard-delete`), 409, 8, [])
  const deleted = await act(second.id, 'soft-delete')
  expect(deleted).toMatchObject({ status: 'SOFT-DELETED', deletion_date: expect.any(String), deleted: false })
  expect((await get(first.id)).status).toBe('SOFT-DELETED')
  await refused(ask('PATCH', `${SECRETS}/${first.id}`, { tags: {} }), 409, 8, [])
  await refused(ask('POST', SECRETS, bodyOf('ended')), 409, 16, [])
  await refused(ask('DELETE', `${SECRETS}/${first.id}`), 409, 8, [])
  expect(await act(first.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  expect((await get(second.id)).status).toBe('ACTIVE')
  await act(first.id, 'soft-delete')
  expect(await act(first.id, 'hard-delete')).toMatchObject({ status: 'DELETED', gone: true, deleted: true })
  expect((await list('secret_name=ended&deleted=true')).length).toBe(2)
  await refused(ask('POST', `${SECRETS}/${second.id}/recover`), 409, 8, [])
  for (const { id } of [first, second])
    expect(await tests().admin.ok('DELETE', `${SECRETS}/${id}`)).toEqual({ status: 204 })
  await refused(ask('GET', `${SECRETS}/${first.id}`), 404, 5, [])
})

test('other people at the cloud are followed by a synchronization', async () => {
  const { admin, cloud, addVaults } = tests()
  const [plain] = await addVaults('shop-plain')
  await atCloud(cloud, 'shop-plain', 'PUT', '/secrets/theirs', { value: newValue(), tags: { by: 'them' } })
  const job = await synchronized(tests(), `${SECRETS}/synchronization-jobs`, { key_vaults: ['shop-plain'] })
  expect(job).toMatchObject({ overall_status: 'completed', key_vaults: ['shop-plain'], added: 1 })
  const [theirs] = await list('secret_name=theirs')
  expect(theirs).toMatchObject({ key_vault: 'shop-plain', cloud_b_param: { tags: { by: 'them' } } })
  expect((await admin.ok('GET', `${CLOUD_B}/keys?key_vault=shop-plain`)).total).toBe(0)
  expect((await admin.ok('GET', `${CLOUD_B}/synchronization-jobs?id=${job.id}`)).total).toBe(0)
  await atCloud(cloud, 'shop-plain', 'PATCH', '/secrets/theirs', { attributes: { enabled: false } })
  expect((await act(theirs.id, 'refresh')).cloud_b_param.attributes.enabled).toBe(false)
  await atCloud(cloud, 'shop-plain', 'DELETE', '/secrets/theirs')
  const again = await synchronized(tests(), `${SECRETS}/synchronization-jobs`, { key_vaults: [plain.id] })
  expect(again).toMatchObject({ overall_status: 'completed', added: 0 })
  expect((await get(theirs.id)).status).not.toBe('ACTIVE')
})

test('a managed HSM pool has no secrets: none is created there, none is found', async () => {
  const { admin } = tests()
  const pools = { connection: 'main', subscription_id: SUBSCRIPTION, vaults: [{ name: 'shop-hsm', managed_hsm: true }] }
  await admin.ok('POST', `${CLOUD_B}/add-vaults`, pools)
  await refused(ask('POST', SECRETS, { ...bodyOf('pooled'), key_vault: 'shop-hsm' }), 422, 2, ['#/key_vault'])
  const job = await synchronized(tests(), `${SECRETS}/synchronization-jobs`, { key_vaults: ['shop-hsm'] })
  expect(job).toMatchObject({ overall_status: 'completed', added: 0, gone: 0 })
})

test.each([
  ['no value', { value: undefined }, 422, 2, ['#/cloud_b_param/value']],
  ['a value that is no text', { value: ['x'] }, 400, 1, ['#/cloud_b_param/value']],
  ['a value that is too long', { value: 'x'.repeat(25_601) }, 422, 2, ['#/cloud_b_param/value']],
  ['an end before the beginning', { attributes: { nbf: 20, exp: 10 } }, 422, 2, ['#/cloud_b_param/attributes']],
  ["the service's own tag", { tags: { keymgr_key_id: 'x' } }, 422, 2, ['#/cloud_b_param/tags']],
  ['a tag with a colon', { tags: { a: 'b:c' } }, 422, 2, ['#/cloud_b_param/tags']],
  ['a field there is not', { shoe: 1 }, 400, 1, ['#/cloud_b_param/shoe']],
])('a secret with %s is refused', async (_what, more, status, code, fields) => {
  await refused(ask('POST', SECRETS, bodyOf('refused', more)), status, code, fields)
})

test('unknown names, vaults, secrets and filters are refused', async () => {
  await refused(ask('POST', SECRETS, { ...bodyOf('a_b') }), 422, 2, ['#/secret_name'])
  await refused(ask('POST', SECRETS, { ...bodyOf('x'), key_vault: 'none' }), 404, 5, ['#/key_vault'])
  await refused(ask('GET', `${SECRETS}/${NOTHING}`), 404, 5, [])
  await refused(ask('GET', `${SECRETS}?shoe=1`), 400, 1, ['shoe'])
  await refused(ask('POST', `${SECRETS}/synchronization-jobs`, {}), 422, 2, ['#/key_vaults'])
})

test('each action needs its own permission in the vault', async () => {
  const { admin, user, vault } = tests()
  const secret = await create('permitted')
  const { holder, sub } = await user('secretive', ['keymgr Users'])
  await refused(holder.call('GET', `${SECRETS}/${secret.id}`), 404, 5, [])
  expect((await holder.ok('GET', SECRETS)).total).toBe(0)
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${VAULTS}/${vault.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
  await permit('secretcreate')
  expect((await holder.ok('GET', `${SECRETS}?secret_name=permitted`)).total).toBe(1)
  await holder.ok('POST', SECRETS, bodyOf('by-user'))
  for (const action of ['soft-delete', 'hard-delete', 'recover', 'refresh'])
    await refused(holder.call('POST', `${SECRETS}/${secret.id}/${action}`), 403, 4, [])
  await refused(holder.call('PATCH', `${SECRETS}/${secret.id}`, { tags: {} }), 403, 4, [])
  await refused(holder.call('DELETE', `${SECRETS}/${secret.id}`), 403, 4, [])
  const synchronization = { key_vaults: [vault.id] }
  await refused(holder.call('POST', `${SECRETS}/synchronization-jobs`, synchronization), 403, 4, [])
  await permit('secretupdate', 'secretdelete', 'secretpurge', 'secretrecover', 'secretsynchronize')
  await holder.ok('PATCH', `${SECRETS}/${secret.id}`, { tags: {} })
  for (const action of ['refresh', 'soft-delete', 'recover', 'soft-delete', 'hard-delete'])
    await holder.ok('POST', `${SECRETS}/${secret.id}/${action}`)
  await holder.ok('DELETE', `${SECRETS}/${secret.id}`)
})

test("a vault's records of secrets go with it, the cloud's stay", async () => {
  const { admin, cloud, addVaults, sweep } = tests()
  const [spare] = await addVaults('shop-spare')
  const secret = await admin.ok('POST', SECRETS, { ...bodyOf('left'), key_vault: 'shop-spare' })
  await admin.ok('POST', `${VAULTS}/${spare.id}/remove-vault`)
  await sweep()
  await refused(ask('GET', `${SECRETS}/${secret.id}`), 404, 5, [])
  expect(await list('secret_name=left')).toEqual([])
  expect((await atCloud(cloud, 'shop-spare', 'GET', '/secrets/left')).id).toContain(secret.version)
})
