import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { DAY, expectRefused } from '../vault/vault.ts'
import { HOST, KEYS, platform, STORES, useDatacust } from '../datacust-data/datacust-data.ts'

const datacust = useDatacust()

test('a key store shows the address for the platform, and its id and name', async () => {
  const { store, certified } = await datacust().store({ description: 'of finance' })
  expect(store).toMatchObject({
    cloud_name: 'datacust',
    description: 'of finance',
    certificate: certified.cert,
    certificate_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    keystore_url: `https://${HOST}/api/v1/keymgr/datacust/hyok/v1/keystores/${store.id as string}`,
    enable_success_audit_event: false,
    state: 'ACTIVE',
    blocked: false,
    key_count: 0,
    acls: [],
  })
  expect(await datacust().vault.admin.ok('GET', `${STORES}/${store.id as string}`)).toEqual(store)
  const listed = await datacust().vault.admin.ok('GET', `${STORES}?name=${store.name as string}`)
  expect(listed).toMatchObject({ total: 1, resources: [{ id: store.id }] })
})

test('exactly one unexpired client certificate is accepted', async () => {
  const { cert } = platform.issue('client')
  const now = datacust().vault.service.deployment.clock.now().getTime()
  const expired = platform.issue('old', { from: new Date(now - 3 * DAY), until: new Date(now - DAY) })
  for (const certificate of ['no certificate', `${cert}${cert}`, expired.cert, platform.cert])
    expectRefused(await datacust().tryStore({ certificate }), 422, 2, '#/certificate')
  expectRefused(await datacust().tryStore({ keystore_url_hostname: 'https://x.test' }), 422, 2)
  const { store } = await datacust().store()
  expectRefused(await datacust().tryStore({ name: store.name }), 409, 7, '#/name')
  const patched = await datacust().vault.admin.call('PATCH', `${STORES}/${store.id as string}`, { certificate: 'x' })
  expectRefused(patched, 422, 2, '#/certificate')
})

test('a new key is enabled, of one version, and of the tenant of its key store', async () => {
  const known = await datacust().store()
  const source = await datacust().localKey()
  const key = await datacust().key(known, { source_key_identifier: source.name, description: 'first' })
  expect(key).toMatchObject({
    cloud_name: 'datacust',
    description: 'first',
    keystore_id: known.store.id,
    sap_tenant_id: known.store.sap_tenant_id,
    state: 'Enabled',
    blocked: false,
    algorithm: 'AES',
    size: 256,
    source_key_tier: 'local',
    source_key_id: source.id,
    auto_rotate: false,
    version_count: 1,
    version_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(await datacust().vault.admin.ok('GET', `${STORES}/${known.store.id as string}`)).toMatchObject({
    key_count: 1,
  })
  const big = await datacust().key(known, { source_key_identifier: (await datacust().rsaKey({ size: 4_096 })).id })
  expect(big).toMatchObject({ algorithm: 'RSA', size: 4_096 })
  const { resources } = await datacust().vault.admin.ok(
    'GET',
    `${KEYS}?keystore_id=${known.store.id as string}&size=4096&version_count=1`,
  )
  expect(resources).toEqual([big])
  const renamed = await datacust().vault.admin.ok('PATCH', `${KEYS}/${key.id as string}`, {
    name: 'orders',
    description: 'second',
  })
  expect(renamed).toMatchObject({ id: key.id, name: 'orders', description: 'second', version_count: 1 })
})

test.each([
  ['AES of 128 bits', { size: 128 }],
  ['RSA of 2048 bits', { algorithm: 'rsa', size: 2_048, usageMask: 15 }],
  ['a curve', { algorithm: 'ec', size: undefined, curveid: 'prime256v1', usageMask: 3 }],
  ['a key that only encrypts', { usageMask: 4 }],
  ['a pair that only signs one way', { algorithm: 'rsa', size: 3_072, usageMask: 13 }],
])('%s is no source of an external key', async (_what, body) => {
  const { store } = await datacust().store()
  const source = await datacust().localKey(body)
  const answered = await datacust().tryKey({ keystore_id: store.id, source_key_identifier: source.id })
  expectRefused(answered, 422, 2, '#/source_key_identifier')
})

test('other tiers, unknown sources and stores, and a source that is in use are refused', async () => {
  const known = await datacust().store()
  const { id: keystore_id } = known.store
  const source = await datacust().localKey()
  const given = { keystore_id, source_key_identifier: source.id }
  expectRefused(await datacust().tryKey({ ...given, source_key_tier: 'hsm' }), 422, 2)
  expectRefused(await datacust().tryKey({ ...given, source_key_identifier: 'else' }), 404, 5, '#/source_key_identifier')
  expectRefused(await datacust().tryKey({ ...given, keystore_id: randomUUID() }), 404, 5, '#/keystore_id')
  const key = await datacust().key(known, given)
  expectRefused(await datacust().tryKey(given), 409, 7, '#/source_key_identifier')
  const removed = await datacust().vault.admin.call('DELETE', `/v1/vault/keys2/${source.id as string}`)
  expectRefused(removed, 409, 9)
  await datacust().acts(STORES, known.store, 'archive')
  expectRefused(
    await datacust().tryKey({ keystore_id, source_key_identifier: (await datacust().localKey()).id }),
    409,
    8,
  )
  expectRefused(await datacust().tryKey({ name: key.name }), 422, 2)
})

test('keys and key stores are deleted only when archived, a key store only without keys', async () => {
  const known = await datacust().store()
  const key = await datacust().key(known)
  const { admin } = datacust().vault
  const remove = (at: string, { id }: any) => admin.call('DELETE', `${at}/${id as string}`)
  expectRefused(await remove(KEYS, key), 409, 8)
  await datacust().acts(STORES, known.store, 'archive')
  expectRefused(await remove(STORES, known.store), 409, 9)
  await datacust().acts(KEYS, key, 'archive')
  expectRefused(await datacust().act(KEYS, key, 'archive'), 409, 8)
  expectRefused(await datacust().act(KEYS, key, 'enable'), 409, 8)
  expect((await remove(KEYS, key)).body).toEqual({ status: 204 })
  expect((await remove(STORES, known.store)).body).toEqual({ status: 204 })
  expectRefused(await admin.call('GET', `${STORES}/${known.store.id as string}`), 404, 5)
  expect(await datacust().send(known, 'get-metadata')).toMatchObject({ status: 404 })
})

test('versions follow the local key, or come from another one of the same kind', async () => {
  const known = await datacust().store()
  const source = await datacust().localKey()
  const key = await datacust().key(known, { source_key_identifier: source.id })
  await datacust().vault.admin.act(source.id as string, 'versions', {})
  const { admin } = datacust().vault
  const at = `${KEYS}/${key.id as string}`
  expect(await admin.ok('GET', at)).toMatchObject({ version_count: 2 })
  const other = await datacust().localKey()
  const third = await datacust().acts(KEYS, key, 'versions', { source_key_identifier: other.id })
  expect(third).toMatchObject({ version_count: 3, source_key_id: other.id })
  await admin.act(source.name as string, 'versions', {}) // no longer the newest source
  expect(await admin.ok('GET', at)).toMatchObject({ version_count: 3 })
  const { total, resources } = await admin.ok('GET', `${at}/versions`)
  expect([total, resources[0].id, resources[2].id]).toEqual([3, key.version_id, third.version_id])
  expect(await admin.ok('GET', `${at}/versions/${third.version_id as string}`)).toEqual(resources[2])
  expectRefused(await admin.call('GET', `${at}/versions/${randomUUID()}`), 404, 5)
  const wrong = (await datacust().rsaKey()).id
  for (const source_key_identifier of [wrong, other.id])
    expectRefused(await datacust().act(KEYS, key, 'versions', { source_key_identifier }), 422, 2)
  await datacust().acts(KEYS, key, 'disable')
  expectRefused(await datacust().act(KEYS, key, 'versions', {}), 409, 8)
})

test('permissions of a key store give users actions on its keys', async () => {
  const known = await datacust().store()
  const key = await datacust().key(known)
  const { holder, sub } = await datacust().vault.user(`u-${randomUUID()}`, ['keymgr Users'])
  const at = `${KEYS}/${key.id as string}`
  expectRefused(await holder.call('GET', at), 404, 5)
  expect(await holder.ok('GET', KEYS)).toMatchObject({ total: 0 })
  const acls = [{ user_id: sub, permit: true, actions: ['keyupdate'] }]
  expect(await datacust().acts(STORES, known.store, 'update-acls', { acls })).toMatchObject({
    acls: [{ user_id: sub, actions: ['keyupdate', 'view'] }],
  })
  expect(await holder.ok('GET', KEYS)).toMatchObject({ total: 1, resources: [{ id: key.id }] })
  expect(await holder.ok('POST', `${at}/disable`)).toMatchObject({ state: 'Disabled' })
  expectRefused(await holder.call('DELETE', at), 403, 4)
  expectRefused(await holder.call('POST', `${at}/versions`, {}), 403, 4)
  expectRefused(await holder.call('POST', `${STORES}/${known.store.id as string}/block`), 403, 4)
})
