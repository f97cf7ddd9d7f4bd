import { createPublicKey } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { CLOUD_C, keysOf, KEYS, refused, RING, useCloudC } from './cloud-c.ts'

const tests = useCloudC()
const keys = () => keysOf(tests().admin)
const JOBS = `${CLOUD_C}/update-all-versions-jobs`
const nameOf = (id: string): string => `${RING}/cryptoKeys/${id}`

beforeEach(() => tests().cloud.reset())

test('a new version of the cloud own becomes the primary; the former one stays enabled', async () => {
  const { seen } = tests()
  const key = await keys().create('rotated')
  const version = await keys().addVersion(key.id)
  expect(version).toMatchObject({
    is_primary: true,
    state: 'ENABLED',
    key_material_origin: 'native',
    parent_key_id: key.id,
    cloud_c_params: { version: '2' },
  })
  expect(await keys().versions(key.id)).toMatchObject([{ is_primary: false, state: 'ENABLED' }, { is_primary: true }])
  const after = await keys().get(key.id)
  expect(after).toMatchObject({ version_count: 2 })
  expect(after.rotated_at).toBeDefined()
  expect(seen(key).primary).toBe(2)
})

test('a new version of a local key has its bytes, and the key states their source', async () => {
  const { admin, bytesOf } = tests()
  const source = await admin.create({ name: 'next', algorithm: 'aes', size: 256 })
  const key = await keys().create('rotated-local')
  const version = await keys().addVersion(key.id, { source_key_id: 'next', source_key_tier: 'local' })
  expect(version).toMatchObject({
    is_primary: true,
    key_material_origin: 'keymgr',
    local_key_id: source.id,
    local_key_name: 'next',
    local_key_version: 0,
  })
  const { material } = await admin.act(source.id, 'export', { format: 'raw', encoding: 'base64' })
  expect((await bytesOf(key))?.toString('base64')).toBe(material)
  expect(await keys().get(key.id)).toMatchObject({ key_material_origin: 'keymgr', local_key_name: 'next' })
  await keys().update(key.id, { primary_version_id: '1' })
  const back = await keys().get(key.id)
  expect(back).toMatchObject({ key_material_origin: 'native' })
  expect(back).not.toHaveProperty('local_key_id')
  expect((await keys().list(`?local_key_id=${source.id}`)).resources).toMatchObject([{ id: key.id }]) // by any version
})

test('a version of a signing key may have another algorithm of its purpose', async () => {
  const key = await keys().create('signing', { purpose: 'ASYMMETRIC_SIGN' })
  const version = await keys().addVersion(key.id, { is_native: true, algorithm: 'EC_SIGN_P384_SHA384' })
  expect(version).toMatchObject({ is_primary: false, cloud_c_params: { algorithm: 'EC_SIGN_P384_SHA384' } })
  const path = `${KEYS}/${key.id}/versions`
  const post = (body: object) => tests().admin.call('POST', path, body)
  await refused(post({ is_native: true, algorithm: 'HMAC_SHA256' }), 422, 2, ['#/algorithm'])
  await refused(post({}), 422, 2, ['#/is_native'])
  await refused(post({ is_native: true, source_key_id: 'next' }), 422, 2, ['#/is_native'])
  await refused(post({ source_key_id: 'next', algorithm: 'EC_SIGN_P256_SHA256' }), 422, 2, ['#/source_key_id'])
  await refused(post({ source_key_id: 'next' }), 422, 2, ['#/source_key_id'])
})

test('a version is disabled, enabled, waits for its end and is taken back, each from the states that allow it', async () => {
  const { admin } = tests()
  const key = await keys().create('living')
  const act = (action: string) => keys().act(key.id, `versions/1/${action}`)
  const tryAct = (action: string) => keys().tryAct(key.id, `versions/1/${action}`)
  expect(await act('disable')).toMatchObject({ state: 'DISABLED', is_primary: true })
  expect(await keys().get(key.id)).toMatchObject({ state: 'DISABLED' })
  expect(await act('disable')).toMatchObject({ state: 'DISABLED' })
  await refused(tryAct('cancel-schedule-destroy'), 409, 8, [])
  expect(await act('enable')).toMatchObject({ state: 'ENABLED' })
  const waiting = await act('schedule-destroy')
  expect(waiting).toMatchObject({ state: 'DESTROY_SCHEDULED', deleted: false })
  expect(waiting.cloud_c_params.destroy_time).toBeDefined()
  for (const action of ['schedule-destroy', 'enable', 'disable', 're-import'])
    await refused(
      keys().tryAct(key.id, `versions/1/${action}`, action === 're-import' ? { source_key_id: 'next' } : undefined),
      409,
      8,
      [],
    )
  expect(await act('cancel-schedule-destroy')).toMatchObject({ state: 'DISABLED' })
  expect(await act('refresh')).toMatchObject({ state: 'DISABLED' })
  await refused(admin.call('POST', `${KEYS}/${key.id}/versions/7/enable`), 404, 5, [])
  await refused(admin.call('GET', `${KEYS}/${key.id}/versions/7`), 404, 5, [])
})

test('a changed state at the cloud is read again before an action is refused', async () => {
  const { cloud } = tests()
  const key = await keys().create('altered')
  await keys().act(key.id, 'versions/1/schedule-destroy')
  cloud.alter(nameOf('altered'), { version: { number: 1, state: 'DISABLED' } })
  expect(await keys().act(key.id, 'versions/1/enable')).toMatchObject({ state: 'ENABLED' })
})

test('a destroyed version accepts only the same material again', async () => {
  const { admin, advance, bytesOf } = tests()
  await admin.create({ name: 'again', algorithm: 'aes', size: 256 })
  await admin.create({ name: 'never', algorithm: 'aes', size: 256 })
  const key = await keys().upload('re-imported', 'again')
  const bytes = await bytesOf(key, 1)
  await keys().act(key.id, 'versions/1/schedule-destroy')
  advance(31 * 86_400_000)
  expect(await keys().act(key.id, 'versions/1/refresh')).toMatchObject({ state: 'DESTROYED', deleted: true })
  const kept = await admin.call('DELETE', '/v1/vault/keys2/again')
  expect([kept.status, kept.body.detail]).toEqual([409, expect.stringContaining('1 cloud-c key version. Users: ')])
  await refused(keys().tryAct(key.id, 'versions/1/re-import', { source_key_id: 'never' }), 422, 16, [])
  const again = await keys().act(key.id, 'versions/1/re-import')
  expect(again).toMatchObject({ state: 'ENABLED', deleted: false, local_key_name: 'again' })
  expect(await bytesOf(key, 1)).toEqual(bytes)
  const native = await keys().create('native')
  await refused(keys().tryAct(native.id, 'versions/1/re-import'), 422, 2, ['#/source_key_id'])
})

test('the public half of a pair is returned and stored; a symmetric key has none', async () => {
  const key = await keys().create('pair', { purpose: 'ASYMMETRIC_SIGN' })
  const { pem, algorithm } = await keys().act(key.id, 'versions/1/download-public-key')
  expect(algorithm).toBe('EC_SIGN_P256_SHA256')
  expect(createPublicKey(pem).asymmetricKeyType).toBe('ec')
  expect(await keys().versions(key.id)).toMatchObject([{ public_key: { pem, algorithm } }])
  const symmetric = await keys().create('no-pair')
  await refused(keys().tryAct(symmetric.id, 'versions/1/download-public-key'), 409, 8, [])
})

test('versions are listed by their filters', async () => {
  const key = await keys().create('many')
  for (let n = 0; n < 3; n++) await keys().addVersion(key.id)
  await keys().act(key.id, 'versions/2/disable')
  const numbers = async (query: string): Promise<string[]> =>
    (await keys().versions(key.id, `?${query}`)).map(({ cloud_c_params }: any) => cloud_c_params.version)
  expect(await numbers('sort=-version')).toEqual(['4', '3', '2', '1'])
  expect(await numbers('state=DISABLED')).toEqual(['2'])
  expect(await numbers('is_primary=true')).toEqual(['4'])
  expect(await numbers('version=1,3')).toEqual(['1', '3'])
  expect(await numbers('name=*%2FcryptoKeyVersions%2F?')).toEqual(['1', '2', '3', '4'])
  expect(await numbers(`name=${encodeURIComponent(nameOf('many'))}/cryptoKeyVersions/3`)).toEqual(['3'])
  expect(await numbers('skip=1&limit=2')).toEqual(['2', '3'])
  expect(await numbers('key_material_origin=keymgr')).toEqual([])
  await refused(tests().admin.call('GET', `${KEYS}/${key.id}/versions?key=1`), 400, 1, ['key'])
})

test('a job does the same to every version that allows it, in the name of its initiator', async () => {
  const { admin, service } = tests()
  const key = await keys().create('all-at-once')
  for (let n = 0; n < 2; n++) await keys().addVersion(key.id)
  await keys().act(key.id, 'versions/1/schedule-destroy')
  const job = await admin.ok('POST', JOBS, { key_id: key.id, operation: 'disable' })
  expect(job).toMatchObject({ key_id: key.id, operation: 'disable', overall_status: 'in_progress' })
  await service.deployment.fire('sweep-due')
  expect(await admin.ok('GET', `${JOBS}/${job.id}`)).toMatchObject({
    overall_status: 'completed',
    detailed_status: { 2: 'Success', 3: 'Success' },
  })
  expect((await keys().versions(key.id)).map(({ state }) => state)).toEqual([
    'DESTROY_SCHEDULED',
    'DISABLED',
    'DISABLED',
  ])
  await refused(admin.call('POST', JOBS, { key_id: job.id, operation: 'disable' }), 404, 5, ['#/key_id'])
  await refused(admin.call('POST', JOBS, { key_id: key.id, operation: 'purge' }), 422, 2, ['#/operation'])
  await refused(admin.call('GET', `/v1/keymgr/cloud-a/bulkjob/${job.id}`), 404, 5, [])
  expect((await admin.ok('GET', '/v1/keymgr/cloud-a/bulkjob')).total).toBe(0)
})

test('a version whose creation was never answered is found, and not created twice', async () => {
  const { cloud, seen } = tests()
  const key = await keys().create('lost')
  cloud.inject({ fault: 'cut-after', operation: 'CreateCryptoKeyVersion', times: 1 })
  expect(await keys().addVersion(key.id)).toMatchObject({ cloud_c_params: { version: '2' } })
  expect(seen(key).versions).toHaveLength(2)
})

test('work that a busy cloud refuses is resumed by the sweeper, in the name of its initiator', async () => {
  const { admin, cloud, advance, service, seen } = tests()
  const key = await keys().create('postponed')
  cloud.inject({ fault: 'unavailable', operation: 'UpdateCryptoKeyPrimaryVersion', times: 100 })
  await refused(admin.call('POST', `${KEYS}/${key.id}/versions`, { is_native: true }), 503, 16, [])
  await refused(keys().tryAct(key.id, 'versions/1/disable'), 409, 8, [])
  cloud.reset()
  advance(120_000)
  await service.deployment.fire('sweep-due')
  expect(seen(key)).toMatchObject({ primary: 2 })
  expect(seen(key).versions).toHaveLength(2)
  expect(await keys().get(key.id)).toMatchObject({ version_count: 2 })
  expect((await keys().versions(key.id)).map(({ is_primary }) => is_primary)).toEqual([false, true])
})

test('a new version that waits for its credentials can be abandoned: it is recorded, and the key is free', async () => {
  const { admin, cloud } = tests()
  const key = await keys().create('given-up')
  cloud.inject({ fault: 'access-denied', operation: 'UpdateCryptoKeyPrimaryVersion' })
  await refused(admin.call('POST', `${KEYS}/${key.id}/versions`, { is_native: true }), 502, 16, [])
  await refused(keys().tryAct(key.id, 'versions/1/disable'), 409, 8, [])
  const work = `${CLOUD_C}/unfinished-work`
  const { resources } = await admin.ok('GET', work)
  expect(resources).toMatchObject([
    { subject_id: key.id, state: 'open', left_at_cloud: { version: expect.any(String) } },
  ])
  expect(await admin.ok('POST', `${work}/${resources[0].id}/give-up`)).toMatchObject({ state: 'undone' })
  expect(await keys().versions(key.id)).toMatchObject([{ is_primary: true }, { is_primary: false }])
  expect(await keys().tryAct(key.id, 'versions/2/disable')).toMatchObject({ status: 200 })
})

test('a job on all versions does nothing that policies deny for the key', async () => {
  const { admin, service } = tests()
  const key = await keys().create('denied')
  const policy = { name: 'not here', effect: 'deny', actions: ['DisableCloudCKeyVersion'], resources: [key.uri] }
  const { id } = await admin.ok('POST', '/v1/admin/policies', policy)
  const to = { policy: id, principalSelector: { groups: ['admin'] } }
  const held = await admin.ok('POST', '/v1/admin/policy-attachments', to)
  service.deployment.clock.advance(5_000)
  const [version] = await keys().versions(key.id)
  expect((await admin.call('POST', `${KEYS}/${key.id}/versions/${version.id}/disable`)).status).toBe(403)
  const job = await admin.ok('POST', JOBS, { key_id: key.id, operation: 'disable' })
  expect(await admin.ok('GET', `${JOBS}/${job.id}`)).toMatchObject({
    overall_status: 'failed',
    detailed_status: { 1: 'Policies do not permit this call.' },
  })
  expect(await keys().versions(key.id)).toMatchObject([{ state: 'ENABLED' }])
  await admin.ok('DELETE', `/v1/admin/policy-attachments/${held.id}`)
  service.deployment.clock.advance(5_000)
})
