import { beforeEach, expect, test } from 'vitest'
import { CLOUD_C, keysOf, refused, RING, useCloudC } from './cloud-c.ts'

const JOBS = `${CLOUD_C}/synchronization-jobs`
const tests = useCloudC({ flowPauseMs: () => 1 })

beforeEach(() => tests().cloud.reset())

/** Starts a job and waits for the end of its flow; returns the job at that time. */
async function synchronize(body: object = { key_rings: [RING] }): Promise<any> {
  const { admin, service } = tests()
  const { id } = await admin.ok('POST', JOBS, body)
  await service.deployment.flows.idle()
  return admin.ok('GET', `${JOBS}/${id}`)
}
const keys = () => keysOf(tests().admin)
const named = async (name: string): Promise<any> => (await keys().list(`?key_name=${name}`)).resources[0]
const nameOf = (id: string): string => `${RING}/cryptoKeys/${id}`

test('keys are recorded with their versions as the cloud describes them, and a second synchronization changes nothing', async () => {
  const { cloud, ring, admin } = tests()
  cloud.seed(RING, 8, (n) => ({ id: `seeded-${n}`, versions: n === 7 ? 45 : 1, labels: { number: String(n) } }))
  const first = await synchronize()
  expect(first).toMatchObject({
    cloud_name: 'cloud-c',
    key_rings: [RING],
    overall_status: 'completed',
    detailed_status: { [RING]: 'synchronized successfully' },
    added: 8,
    updated: 0,
    gone: 0,
  })
  expect(first).not.toHaveProperty('containers')
  const key = await named('seeded-7')
  expect(key).toMatchObject({
    key_ring: RING,
    key_ring_id: ring.id,
    key_ring_name: 'orders',
    project_id: 'shop-keys',
    location_id: 'europe-west3',
    create_status: 'success',
    state: 'ENABLED',
    gone: false,
    key_material_origin: 'native',
    version_count: 45,
    cloud_c_params: {
      name: nameOf('seeded-7'),
      primary: `${nameOf('seeded-7')}/cryptoKeyVersions/45`,
      purpose: 'ENCRYPT_DECRYPT',
      labels: { number: '7' },
      version_template: { protection_level: 'SOFTWARE', algorithm: 'SYMMETRIC_ENCRYPTION' },
    },
  })
  const versions = await keys().versions(key.id, '?limit=-1')
  expect(versions.map(({ cloud_c_params }: any) => cloud_c_params.version)).toEqual(
    Array.from({ length: 45 }, (_, n) => String(n + 1)),
  )
  expect(versions.filter(({ is_primary }: any) => is_primary)).toMatchObject([{ cloud_c_params: { version: '45' } }])
  const again = await synchronize()
  expect(again).toMatchObject({ overall_status: 'completed', added: 0, updated: 0, gone: 0 })
  const after = await keys().get(key.id)
  expect({ ...after, synced_at: '' }).toEqual({ ...key, synced_at: '' })
  expect(Date.parse(after.synced_at)).toBeGreaterThan(Date.parse(key.synced_at))
  expect((await admin.ok('GET', `${CLOUD_C}/key-rings/${ring.id}`)).refreshed_at).toBe(again.completed_at)
})

test('changed, removed and restored keys of the cloud change here too; our own links stay', async () => {
  const { cloud, admin } = tests()
  await admin.create({ name: 'sync-source', algorithm: 'aes', size: 256 })
  const ours = await keys().upload('sync-ours', 'sync-source')
  cloud.seed(RING, 1, () => ({ id: 'sync-gone', versions: 2 }))
  await synchronize()
  cloud.alter(nameOf('sync-ours'), {
    labels: { by: 'another' },
    newVersions: 1,
    version: { number: 1, state: 'DISABLED' },
  })
  cloud.forget(nameOf('sync-gone'))
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', added: 0, updated: 1, gone: 1 })
  expect(await keys().get(ours.id)).toMatchObject({
    version_count: 2,
    key_material_origin: 'native', // of its primary version, which the cloud generated
    cloud_c_params: { labels: { by: 'another' }, primary: `${nameOf('sync-ours')}/cryptoKeyVersions/2` },
  })
  expect(await keys().versions(ours.id)).toMatchObject([
    { state: 'DISABLED', key_material_origin: 'keymgr', local_key_name: 'sync-source', is_primary: false },
    { state: 'ENABLED', key_material_origin: 'native', is_primary: true },
  ])
  const gone = await named('sync-gone')
  expect(gone).toMatchObject({ gone: true, version_count: 2 })
  expect(await keys().versions(gone.id)).toMatchObject([{ gone: true }, { gone: true }])
  expect(await synchronize()).toMatchObject({ added: 0, updated: 0, gone: 0 })
  cloud.seed(RING, 1, () => ({ id: 'sync-gone' }))
  expect(await synchronize()).toMatchObject({ added: 0, updated: 1, gone: 0 })
  expect(await named('sync-gone')).toMatchObject({ gone: false, version_count: 1 })
  expect(await keys().versions(gone.id)).toMatchObject([{ gone: false }, { gone: true }])
})

test('a version whose scheduled destruction is due is found destroyed', async () => {
  const { advance } = tests()
  const key = await keys().create('sync-destroyed')
  await keys().act(key.id, 'versions/1/schedule-destroy')
  expect(await named('sync-destroyed')).toMatchObject({ state: 'DESTROY_SCHEDULED' })
  advance(31 * 86_400_000)
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', updated: 1 })
  expect(await keys().versions(key.id, '?deleted=true')).toMatchObject([
    { state: 'DESTROYED', deleted: true, cloud_c_params: { version: '1' } },
  ])
})

test('a key that is created while its ring is read is not marked as gone, and stays unchanged', async () => {
  const { cloud, admin } = tests()
  const key = await keys().create('sync-meanwhile')
  cloud.inject({
    fault: 'observe',
    operation: 'ListCryptoKeys',
    calls: [1],
    after: async () => {
      await keys().update(key.id, { labels: { changed: 'meanwhile' } })
      await keys().create('sync-newer')
    },
  })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', gone: 0 })
  expect((await keys().get(key.id)).cloud_c_params.labels).toMatchObject({ changed: 'meanwhile' })
  expect(await named('sync-newer')).toMatchObject({ gone: false, key_material_origin: 'native' })
  expect((await admin.ok('GET', `${CLOUD_C}/keys?key_name=sync-newer`)).total).toBe(1)
})

test('everything the caller may synchronize, and jobs are listed, cancelled and kept apart', async () => {
  const { admin, service } = tests()
  const all = await synchronize({ synchronize_all: true })
  expect(all).toMatchObject({ synchronize_all: true, key_rings: [RING], overall_status: 'completed' })
  const { resources } = await admin.ok('GET', `${JOBS}?overall_status=completed&key_rings=${encodeURIComponent(RING)}`)
  expect(resources[0].id).toBe(all.id)
  expect((await admin.ok('GET', `${JOBS}?key_rings=none`)).total).toBe(0)
  expect((await admin.ok('GET', '/v1/keymgr/cloud-a/synchronization-jobs')).total).toBe(0)
  await refused(admin.call('GET', `/v1/keymgr/cloud-a/synchronization-jobs/${all.id}`), 404, 5, [])
  const running = await admin.ok('POST', JOBS, { key_rings: [RING] })
  await refused(admin.call('POST', JOBS, { key_rings: [RING] }), 409, 8, [])
  await admin.call('POST', `${JOBS}/${running.id}/cancel`)
  await service.deployment.flows.idle()
  await refused(admin.call('POST', `${JOBS}/${all.id}/cancel`), 409, 8, [])
  await refused(admin.call('POST', JOBS, {}), 422, 2, ['#/key_rings'])
  await refused(admin.call('POST', JOBS, { key_rings: ['none'] }), 404, 5, ['#/key_rings/0'])
  await refused(admin.call('POST', JOBS, { kms: ['main'] }), 400, 1, ['#/kms', '#/key_rings'])
})

test('a ring that is refused fails with the reason and nothing secret', async () => {
  const { cloud } = tests()
  cloud.inject({ fault: 'access-denied', operation: 'ListCryptoKeys' })
  const job = await synchronize()
  expect(job).toMatchObject({ overall_status: 'failed' })
  expect(job.detailed_status[RING]).toContain('PERMISSION_DENIED')
  expect(JSON.stringify(job)).not.toContain('PRIVATE KEY')
})

test('a key whose versions may not be read is named in the job, and all others are read', async () => {
  const { cloud } = tests()
  cloud.seed(RING, 2, (n) => ({ id: `sync-hidden-${n}` }))
  await synchronize()
  const key = await named('sync-hidden-0')
  for (const n of [0, 1]) cloud.alter(nameOf(`sync-hidden-${n}`), { newVersions: 1 })
  cloud.inject({ fault: 'access-denied', operation: 'ListCryptoKeyVersions', under: nameOf('sync-hidden-0') })
  const job = await synchronize()
  expect(job).toMatchObject({ overall_status: 'completed', updated: 1, unread: 1 })
  expect(job.errors).toEqual([expect.stringMatching(/sync-hidden-0.*PERMISSION_DENIED/)])
  expect(await named('sync-hidden-0')).toMatchObject({ unread: ['key'], version_count: key.version_count, gone: false })
  expect(await named('sync-hidden-1')).toMatchObject({ version_count: 2 })
  cloud.reset()
  expect(await synchronize()).toMatchObject({ updated: 1, unread: 0 })
  expect(await named('sync-hidden-0')).not.toHaveProperty('unread')
})

test('throttling slows a run and does not fail it', async () => {
  const { cloud } = tests()
  cloud.inject({ fault: 'throttle', service: 'kms', times: 3 })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed' })
  expect(cloud.calls().filter(({ refused: by }) => by === 'RESOURCE_EXHAUSTED')).toHaveLength(3)
})
