import { beforeAll, expect, test } from 'vitest'
import { expectRefused } from '../vault/vault.ts'
import { CLOUD_A, REGION, useCloudA } from './cloud-a.ts'

const VIRTUAL = '/v1/keymgr/virtual/keys'
const LOCAL_KEYS = '/v1/vault/keys2'
const NOBODY = '01890000-0000-7000-8000-00000000ffff'

const tests = useCloudA()

beforeAll(() => tests().admin.ok('POST', '/v1/usermgmt/groups', { name: 'crew of hosts' }))

const make = (source: string): Promise<any> => tests().admin.ok('POST', VIRTUAL, { source_key_id: source })
const source = (name: string, more: object = {}): Promise<any> => tests().admin.create({ name, ...more })

test('a virtual key has the name of its source key, and a version for each that it gets', async () => {
  const { admin, advance } = tests()
  await source('turning')
  const present = await admin.act('turning', 'versions', {})
  const made = await admin.call('POST', VIRTUAL, { source_key_id: 'turning', source_key_tier: 'local' })
  expect(made.status).toBe(201)
  const key = made.body
  expect(key).toMatchObject({
    name: 'turning',
    version: 0,
    deletable: false,
    source_key_id: present.id,
    source_key_tier: 'local',
  })
  expect(key.uri).toMatch(new RegExp(`:keymgr:virtual-key:${key.id}$`))
  expect(key).not.toHaveProperty('first_source_version')
  expect(await admin.ok('GET', `${VIRTUAL}/${key.id}`)).toEqual(key)
  advance(1_000)
  const next = await admin.act('turning', 'versions', {})
  const followed = await admin.ok('GET', `${VIRTUAL}/${key.id}`)
  expect(followed).toEqual({ ...key, version: 1, source_key_id: next.id, updatedAt: next.createdAt })
  expect(await admin.ok('GET', `${VIRTUAL}/${key.id}/versions`)).toEqual({
    skip: 0,
    limit: 10,
    total: 2,
    resources: [
      { version: 0, source_key_id: present.id, source_key_version: 1, createdAt: key.createdAt },
      { version: 1, source_key_id: next.id, source_key_version: 2, createdAt: next.createdAt },
    ],
  })
  expect((await admin.ok('GET', `${VIRTUAL}/${key.id}/versions?skip=1&limit=1`)).resources).toHaveLength(1)
})

test('a source key has one virtual key, whichever of its versions is named', async () => {
  const { admin } = tests()
  const first = await source('only one')
  await make('only one')
  await admin.act('only one', 'versions', {})
  for (const named of ['only one', first.id as string])
    expectRefused(await admin.call('POST', VIRTUAL, { source_key_id: named }), 409, 7, '#/source_key_id')
})

test('a source that cannot be one is refused', async () => {
  const { admin } = tests()
  await source('of a pair', { algorithm: 'ec' })
  await source('of a disk', { xts: true })
  await source('destroyed')
  await admin.act('destroyed', 'revoke', { reason: 'CessationOfOperation' })
  await admin.act('destroyed', 'destroy')
  const tryMake = (body: object) => admin.call('POST', VIRTUAL, body)
  expectRefused(await tryMake({ source_key_id: 'none' }), 404, 5, '#/source_key_id')
  expectRefused(await tryMake({ source_key_id: 'of a pair' }), 422, 2, '#/source_key_id')
  expectRefused(await tryMake({ source_key_id: 'of a disk' }), 422, 2, '#/source_key_id')
  expectRefused(await tryMake({ source_key_id: 'destroyed' }), 422, 2, '#/source_key_id')
  expectRefused(await tryMake({}), 422, 2, '#/source_key_id')
  expectRefused(await tryMake({ source_key_id: 'destroyed', source_key_tier: 'hsm' }), 422, 2, '#/source_key_tier')
})

test('its source key cannot be deleted, in any version, before the virtual key, which must be deletable', async () => {
  const { admin } = tests()
  await source('kept')
  const key = await make('kept')
  await admin.act('kept', 'versions', {})
  for (const path of ['kept', 'kept?version=0']) {
    const refused = await admin.call('DELETE', `${LOCAL_KEYS}/${path}`)
    expectRefused(refused, 409, 9)
    expect(refused.body.detail).toBe('The key kept is used by 1 virtual key.')
  }
  expectRefused(await admin.call('DELETE', `${VIRTUAL}/${key.id}`), 409, 10)
  const stale = await admin.call('PATCH', `${VIRTUAL}/${key.id}`, { deletable: true }, { 'if-match': '"9"' })
  expectRefused(stale, 412, 8)
  const deletable = await admin.ok('PATCH', `${VIRTUAL}/${key.id}`, { deletable: true })
  expect(deletable).toMatchObject({ id: key.id, deletable: true, version: 1 })
  expect(await admin.ok('DELETE', `${VIRTUAL}/${key.id}`)).toEqual({ status: 204 })
  expectRefused(await admin.call('GET', `${VIRTUAL}/${key.id}`), 404, 5)
  expect(await admin.ok('DELETE', `${LOCAL_KEYS}/kept`)).toEqual({ status: 204 })
})

test('while a hosted key uses the source key, the virtual key neither becomes deletable nor is deleted', async () => {
  const { admin } = tests()
  await source('checked')
  await source('hosting', { size: 256, unexportable: true, undeletable: true })
  const key = await make('hosting')
  await admin.ok('PATCH', `${VIRTUAL}/${key.id}`, { deletable: true })
  const store = await admin.ok('POST', `${CLOUD_A}/custom-key-stores`, {
    name: 'store',
    kms: 'main',
    region: REGION,
    cloud_a_param: { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' },
    local_hosted_params: { health_check_key_id: 'checked', max_credentials: 2 },
  })
  const hosted = await admin.ok('POST', `${CLOUD_A}/create-hyok-key`, {
    local_hosted_params: { custom_key_store_id: store.id, source_key_id: 'hosting' },
  })
  expectRefused(await admin.call('DELETE', `${VIRTUAL}/${key.id}`), 409, 9)
  await admin.ok('PATCH', `${VIRTUAL}/${key.id}`, { deletable: false })
  expectRefused(await admin.call('PATCH', `${VIRTUAL}/${key.id}`, { deletable: true }), 409, 9)
  await admin.ok('DELETE', `${CLOUD_A}/keys/${hosted.id}`)
  await admin.ok('PATCH', `${VIRTUAL}/${key.id}`, { deletable: true })
  await admin.ok('DELETE', `${VIRTUAL}/${key.id}`)
})

test('of a concurrent creation of a virtual key and deletion of its source key, one succeeds', async () => {
  const { admin } = tests()
  for (let round = 0; round < 6; round++) {
    const name = `contested ${round}`
    await source(name)
    const [made, gone] = await Promise.all([
      admin.call('POST', VIRTUAL, { source_key_id: name }),
      admin.call('DELETE', `${LOCAL_KEYS}/${encodeURIComponent(name)}`),
    ])
    expect(
      [
        [201, 409],
        [404, 200],
      ],
      JSON.stringify([made.body, gone.body]),
    ).toContainEqual([made.status, gone.status])
  }
})

test('virtual keys are listed by name, source key and whether they may go', async () => {
  const { admin } = tests()
  const one = await source('list one')
  await source('list two')
  await make('list one')
  const two = await make('list two')
  await admin.ok('PATCH', `${VIRTUAL}/${two.id}`, { deletable: true })
  const names = async (query: string) =>
    (await admin.ok('GET', `${VIRTUAL}?name=list*&${query}`)).resources.map(({ name }: any) => name as string)
  expect(await names('')).toEqual(['list one', 'list two'])
  expect(await names('sort=-name')).toEqual(['list two', 'list one'])
  expect(await names(`source_key_id=${one.id}`)).toEqual(['list one'])
  expect(await names('source_key_tier=local&deletable=true')).toEqual(['list two'])
  expect(await names('deletable=false')).toEqual(['list one'])
  expect(await names(`id=${two.id}`)).toEqual(['list two'])
})

test('a missing virtual key answers 404, a caller without permission 403', async () => {
  const { admin, user } = tests()
  await source('seen')
  const key = await make('seen')
  for (const [method, tail, body] of [
    ['GET', ''],
    ['GET', '/versions'],
    ['PATCH', '', { deletable: true }],
    ['DELETE', ''],
  ] as const)
    expectRefused(await admin.call(method, `${VIRTUAL}/${NOBODY}${tail}`, body), 404, 5)
  const { holder } = await user('virtual user', ['keymgr Users', 'crew of hosts'])
  await permitHosted(true)
  expect(await holder.ok('GET', `${VIRTUAL}/${key.id}`)).toEqual(key)
  expectRefused(await holder.call('PATCH', `${VIRTUAL}/${key.id}`, { deletable: true }), 403, 4)
  expectRefused(await holder.call('DELETE', `${VIRTUAL}/${key.id}`), 403, 4)
  expectRefused(await holder.call('POST', VIRTUAL, { source_key_id: 'seen' }), 403, 4)
  const { holder: manager } = await user('virtual manager', ['keymgr Admins'])
  expectRefused(await manager.call('POST', VIRTUAL, { source_key_id: 'seen' }), 404, 5, '#/source_key_id')
})

const MAIN = `${CLOUD_A}/kms?name=main`

/** Grants or revokes `viewhyokkey` on the entry for the group `crew of hosts`. */
async function permitHosted(permit: boolean): Promise<void> {
  const { admin } = tests()
  const [{ id }] = (await admin.ok('GET', MAIN)).resources
  const acls = [{ group: 'crew of hosts', permit, actions: ['viewhyokkey'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${id}/update-acls`, { acls })
}

test('virtual keys are shown with viewhyokkey on an entry, or by the permissions of their source keys', async () => {
  const { admin, user } = tests()
  await source('hidden')
  await source('for readers', { meta: { permissions: { ReadKey: ['keymgr Users'] } } })
  const [hidden, readable] = [await make('hidden'), await make('for readers')]
  await permitHosted(false)
  const { holder } = await user('plain reader', ['keymgr Users'])
  expect(await holder.ok('GET', VIRTUAL)).toMatchObject({ total: 1, resources: [readable] })
  expect(await holder.ok('GET', `${VIRTUAL}?name=hidden`)).toMatchObject({ total: 0 })
  expect(await holder.ok('GET', `${VIRTUAL}/${readable.id}`)).toEqual(readable)
  for (const tail of ['', '/versions'])
    expectRefused(await holder.call('GET', `${VIRTUAL}/${hidden.id}${tail}`), 404, 5)
  const { holder: host } = await user('host reader', ['keymgr Users', 'crew of hosts'])
  expectRefused(await host.call('GET', `${VIRTUAL}/${hidden.id}`), 404, 5)
  await permitHosted(true)
  expect(await host.ok('GET', `${VIRTUAL}/${hidden.id}`)).toEqual(hidden)
  expect((await host.ok('GET', `${VIRTUAL}?limit=1`)).total).toBe((await admin.ok('GET', `${VIRTUAL}?limit=1`)).total)
})
