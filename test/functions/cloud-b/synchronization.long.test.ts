import { beforeEach, expect, test } from 'vitest'
import { CLOUD_B, refused } from './cloud-b.ts'
import { IN, keysOf, useKeys } from './keys.ts'

const JOBS = `${CLOUD_B}/synchronization-jobs`
const tests = useKeys({ flowPauseMs: () => 1 })

beforeEach(() => tests().cloud.reset())

/** Starts a job and waits for the end of its flow; returns the job at that time. */
async function synchronize(body: object = { key_vaults: [IN.spare] }): Promise<any> {
  const { admin, service } = tests()
  const { id } = await admin.ok('POST', JOBS, body)
  await service.deployment.flows.idle()
  return admin.ok('GET', `${JOBS}/${id}`)
}
const keys = () => keysOf(tests().admin)
const create = (name: string, param: object = {}): Promise<any> => keys().create(name, param, 'spare')
const statusOf = async (name: string): Promise<string[]> => (await keys().versions(name)).map(({ status }) => status)
const latestOf = async (name: string): Promise<any> => {
  const { resources } = await keys().list(`?key_name=${name}&version=-1`)
  expect(resources).toHaveLength(1)
  return resources[0]
}

test('every version is recorded as the cloud describes it, and a second synchronization writes nothing', async () => {
  const { cloud, vaults, admin } = tests()
  await cloud.seedKeys(IN.spare, 8, (n) => ({
    name: `seeded-${n}`,
    versions: n === 7 ? 30 : 1,
    tags: { number: String(n) },
  }))
  const first = await synchronize()
  expect(first).toMatchObject({
    cloud_name: 'cloud-b',
    key_vaults: [IN.spare],
    overall_status: 'completed',
    detailed_status: { [IN.spare]: 'synchronized successfully' },
    added: 37,
    updated: 0,
    gone: 0,
  })
  const key = await latestOf('seeded-7')
  expect(key).toMatchObject({
    key_vault: IN.spare,
    key_vault_id: vaults.spare.id,
    region: 'northeurope',
    status: 'ACTIVE',
    gone: false,
    key_material_origin: 'unknown',
    key_size: 2048,
    cloud_b_param: { key: { kty: 'RSA', e: 'AQAB' }, tags: { number: '7' }, attributes: { enabled: true } },
  })
  const versions = await keys().versions('seeded-7')
  expect(versions.map(({ version }) => version).sort()).toEqual(
    cloud
      .keyOf(IN.spare, 'seeded-7')
      ?.versions.map(({ id }) => id)
      .sort(),
  )
  expect(key.version).toBe(cloud.keyOf(IN.spare, 'seeded-7')?.versions.at(-1)?.id)
  const etags = async (): Promise<unknown[]> =>
    Promise.all(versions.map(async ({ id }) => (await admin.call('GET', `${CLOUD_B}/keys/${id}`)).headers.get('etag')))
  const before = await etags()
  cloud.reset()
  const again = await synchronize()
  expect(again).toMatchObject({ overall_status: 'completed', added: 0, updated: 0, gone: 0 })
  expect(cloud.counts().KeyGet).toBeLessThanOrEqual(2) // to order versions of the same second
  expect(cloud.counts()).toMatchObject({ KeyList: 1, KeyListVersions: 7 + 2 }) // the last one has two pages
  expect(await etags()).toEqual(before)
  const after = await keys().get(key.id)
  expect({ ...after, syncedAt: '' }).toEqual({ ...key, version_count: 30, syncedAt: '' })
  expect(Date.parse(after.syncedAt)).toBeGreaterThan(Date.parse(key.syncedAt))
  expect((await admin.ok('GET', `${CLOUD_B}/vaults/${vaults.spare.id}`)).refreshed_at).toBe(again.completed_at)
})

test('versions, changes, deletions, recoveries and purges by others are found; our own links stay', async () => {
  const { cloud, others, admin } = tests()
  const there = others.keys(IN.spare)
  await admin.create({ name: 'sync-source', algorithm: 'ec', curveid: 'prime256v1' })
  const ours = await keys().upload('sync-ours', 'sync-source', { key_vault: IN.spare })
  const names = ['sync-deleted', 'sync-recovered', 'sync-purged', 'sync-forgotten']
  for (const name of names) await create(name)
  await create('sync-deleted')
  await synchronize()
  cloud.alterKey(IN.spare, 'sync-ours', { enabled: false, tags: { by: 'others' } })
  cloud.alterKey(IN.spare, 'sync-ours', { newVersions: 1 })
  for (const name of names.slice(0, 3)) await (await there.beginDeleteKey(name)).pollUntilDone()
  await there.purgeDeletedKey('sync-purged')
  cloud.forgetKey(IN.spare, 'sync-forgotten')
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', added: 1, updated: 4, gone: 2 })
  expect(await keys().get(ours.id)).toMatchObject({
    key_material_origin: 'keymgr',
    local_key_name: 'sync-source',
    is_latest: false,
    version_count: 2,
    cloud_b_param: { tags: { by: 'others' }, attributes: { enabled: false } },
  })
  expect(await latestOf('sync-ours')).toMatchObject({ key_material_origin: 'unknown', is_latest: true })
  expect(await statusOf('sync-deleted')).toEqual(['SOFT-DELETED', 'SOFT-DELETED'])
  expect(await latestOf('sync-recovered')).toMatchObject({ status: 'SOFT-DELETED', purge_date: expect.any(String) })
  for (const name of ['sync-purged', 'sync-forgotten'])
    expect(await latestOf(name)).toMatchObject({ status: 'DELETED', gone: true, deleted: true })
  cloud.reset()
  expect(await synchronize()).toMatchObject({ added: 0, updated: 0, gone: 0 })
  await (await there.beginRecoverDeletedKey('sync-recovered')).pollUntilDone()
  await (await there.beginRecoverDeletedKey('sync-deleted')).pollUntilDone()
  await there.createEcKey('sync-purged')
  expect(await synchronize()).toMatchObject({ added: 1, updated: 3, gone: 0 })
  expect(await statusOf('sync-deleted')).toEqual(['ACTIVE', 'ACTIVE'])
  expect(await latestOf('sync-recovered')).toMatchObject({ status: 'ACTIVE' })
  expect(await statusOf('sync-purged')).toEqual(['DELETED', 'ACTIVE'])
})

test('a name that others deleted before it was ever read is found deleted, and recovered from here', async () => {
  const { others } = tests()
  const there = others.keys(IN.spare)
  await there.createEcKey('found-deleted')
  const latest = await there.createEcKey('found-deleted')
  await (await there.beginDeleteKey('found-deleted')).pollUntilDone()
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', added: 1 })
  const key = await latestOf('found-deleted')
  expect(key).toMatchObject({ status: 'SOFT-DELETED', version: latest.properties.version, is_latest: true })
  expect(await keys().act(key.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  expect(await statusOf('found-deleted')).toEqual(['ACTIVE', 'ACTIVE']) // the older version is found with it
  expect((await latestOf('found-deleted')).id).toBe(key.id)
})

test('a key that is created while its vault is read is neither gone nor recorded twice', async () => {
  const { cloud } = tests()
  const key = await create('sync-meanwhile')
  cloud.inject({
    fault: 'observe',
    operation: 'KeyList',
    calls: [1],
    after: async () => {
      await keys().update(key.id, { tags: { changed: 'meanwhile' } })
      await create('sync-newer')
      await create('sync-meanwhile')
    },
  })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', gone: 0 })
  expect(await keys().get(key.id)).toMatchObject({
    is_latest: false,
    cloud_b_param: { tags: { changed: 'meanwhile' } },
  })
  expect(await keys().versions('sync-newer')).toMatchObject([{ gone: false, key_material_origin: 'native' }])
  expect(await keys().versions('sync-meanwhile')).toHaveLength(2)
  await latestOf('sync-meanwhile')
})

test('a name whose versions may not be listed is named in the job, and all others are read', async () => {
  const { cloud } = tests()
  const { others } = tests()
  const hidden = await create('sync-hidden')
  await create('sync-shown')
  await others.keys(IN.spare).createEcKey('never-seen')
  for (const name of ['sync-hidden', 'sync-shown']) cloud.alterKey(IN.spare, name, { enabled: false })
  cloud.inject({
    fault: 'access-denied',
    operation: 'KeyListVersions',
    when: ({ path }) => path.includes('sync-hidden') || path.includes('never-seen'),
  })
  const job = await synchronize()
  expect(job).toMatchObject({ overall_status: 'completed', unread: 2 })
  expect(job.errors).toEqual([
    expect.stringMatching(/ sync-hidden\/\w+: .*ForbiddenByRbac/),
    expect.stringMatching(/ never-seen\/: .*ForbiddenByRbac/),
  ])
  expect(await keys().get(hidden.id)).toMatchObject({
    unread: ['key'],
    gone: false,
    cloud_b_param: { attributes: { enabled: true } },
  })
  expect(await latestOf('sync-shown')).toMatchObject({ cloud_b_param: { attributes: { enabled: false } } })
  cloud.reset()
  expect(await synchronize()).toMatchObject({ added: 1, updated: 1, unread: 0 })
  const read = await keys().get(hidden.id)
  expect(read).not.toHaveProperty('unread')
  expect(read.cloud_b_param.attributes.enabled).toBe(false)
})

test('a vault that is refused fails with the reason, and throttling only slows a run', async () => {
  const { cloud } = tests()
  cloud.inject({ fault: 'access-denied', operation: 'KeyList', vault: IN.spare })
  const job = await synchronize({ key_vaults: [IN.spare, IN.overseas] })
  expect(job).toMatchObject({ overall_status: 'failed' })
  expect(job.detailed_status[IN.spare]).toContain('ForbiddenByRbac')
  expect(job.detailed_status[IN.overseas]).toBe('synchronized successfully')
  cloud.reset()
  cloud.inject({ fault: 'throttle', service: 'vault', times: 3, retryAfterSeconds: 1 })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed' })
  expect(cloud.calls().filter(({ refused: by }) => by === 'Throttled')).toHaveLength(3)
})

test('a vault without soft delete, a managed HSM, and everything are synchronized', async () => {
  const { cloud, admin } = tests()
  const plain = await keys().create('sync-plain', {}, 'plain')
  await cloud.seedKeys(IN.hsm, 2, (n) => ({ name: `octets-${n}`, kty: 'oct-HSM', bits: 256 }))
  cloud.forgetKey(IN.plain, 'sync-plain')
  const all = await synchronize({ synchronize_all: true })
  expect(all).toMatchObject({ synchronize_all: true, overall_status: 'completed', gone: 1 })
  expect([...all.key_vaults].sort()).toEqual(Object.values(IN).sort())
  expect(await keys().get(plain.id)).toMatchObject({ status: 'DELETED', gone: true })
  const octets = await latestOf('octets-1')
  expect(octets).toMatchObject({ cloud_b_param: { key: { kty: 'oct-HSM' } } })
  expect(octets).not.toHaveProperty('key_size')
  await refused(admin.call('GET', `${CLOUD_B}/keys/${octets.id}/download-public-key`), 409, 8, [])
  await refused(admin.call('POST', JOBS, { key_vaults: ['none'] }), 404, 5, ['#/key_vaults/0'])
  await refused(admin.call('POST', JOBS, {}), 422, 2, ['#/key_vaults'])
  expect((await admin.ok('GET', `${JOBS}?key_vaults=${IN.hsm}`)).total).toBe(1)
})

test('a synchronization takes backups of keys without one of the latest version, in the name of its initiator', async () => {
  const { admin, records } = tests()
  const key = await create('backed-on-sync')
  const first = await synchronize({ key_vaults: [IN.spare], take_cloud_key_backup: true })
  expect(first).toMatchObject({ overall_status: 'completed', take_cloud_key_backup: true })
  expect(first.backups).toBeGreaterThan(0)
  const taken = async (): Promise<any[]> => (await admin.ok('GET', `${CLOUD_B}/keys/${key.id}/backups`)).resources
  expect(await taken()).toMatchObject([{ key_version: key.version }])
  expect(await records(`resource_uri=${(await taken())[0].uri}`)).toMatchObject([
    { success: true, message: 'Create Cloud-b Key Backup', username: 'admin' },
  ])
  expect(await synchronize({ key_vaults: [IN.spare], take_cloud_key_backup: true })).toMatchObject({ backups: 0 })

  const settings = '/v1/keymgr/settings/backups'
  const next = await create('backed-on-sync')
  expect(await synchronize()).toMatchObject({ take_cloud_key_backup: false })
  expect(await taken()).toHaveLength(1)
  await admin.ok('PATCH', settings, { take_backup_on_sync: true })
  expect(await synchronize({ key_vaults: [IN.spare], take_cloud_key_backup: false })).not.toHaveProperty('backups')
  expect(await synchronize()).toMatchObject({ take_cloud_key_backup: true, backups: 1 })
  expect((await taken()).map(({ key_version }) => key_version)).toEqual([key.version, next.version])
  await admin.ok('PATCH', settings, { take_backup_on_sync: false })
})

test('a key without a backup is named, and the others are backed up', async () => {
  const { admin, cloud, service } = tests()
  await create('not-backed')
  await create('also-backed')
  const user = await service.userIn(await service.logIn(), 'synchronizer', ['keymgr Users'])
  const acls = [{ user_id: user.userId, permit: true, actions: ['keysynchronize'] }]
  await admin.ok('POST', `${CLOUD_B}/vaults/${tests().vaults.spare.id}/update-acls`, { acls })
  const body = { key_vaults: [IN.spare], take_cloud_key_backup: true }
  const { status, body: begun } = await service.call('POST', JOBS, { token: user.token, body })
  expect(status).toBe(201)
  await service.deployment.flows.idle()
  const job = await admin.ok('GET', `${JOBS}/${begun.id}`)
  expect(job).toMatchObject({ overall_status: 'completed', backups: 0 })
  expect(job.detailed_status[IN.spare]).toMatch(/^synchronized, but for \d+ without a backup$/)
  expect(job.errors[0]).toMatch(new RegExp(`^${IN.spare} no backup of `))
  expect(cloud.counts().KeyBackup ?? 0).toBe(0)
})

test('secrets have no backups on synchronization', async () => {
  const path = `${CLOUD_B}/secrets/synchronization-jobs`
  const body = { key_vaults: [IN.spare], take_cloud_key_backup: true }
  await refused(tests().admin.call('POST', path, body), 400, 1, ['#/take_cloud_key_backup'])
})
