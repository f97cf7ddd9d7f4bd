import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import type { Answered } from '../../support/service.ts'
import { AT_ONCE, schedulerOf } from '../scheduler/scheduler.ts'
import { CLOUD_B, refused, SUBSCRIPTION, useCloudB, VAULT, VAULTS } from './cloud-b.ts'

const tests = useCloudB(AT_ONCE)
const KEYS = `${CLOUD_B}/keys`
const JOBS = `${CLOUD_B}/bulkjobs`
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

let spare: any
beforeAll(async () => {
  spare = (await tests().addVaults('shop-spare'))[0]
  await tests().addVaults('shop-overseas')
  await ok('POST', `${CLOUD_B}/add-vaults`, {
    connection: 'main',
    subscription_id: SUBSCRIPTION,
    vaults: [{ name: 'shop-hsm', managed_hsm: true }],
  })
})
beforeEach(() => tests().cloud.reset())

const ok = (method: string, path: string, body?: object): Promise<any> => tests().admin.ok(method, path, body)
const ask = (method: string, path: string, body?: object): Promise<Answered> => tests().admin.call(method, path, body)
const create = (key_name: string, more: object = {}): Promise<any> =>
  ok('POST', KEYS, { key_name, key_vault: VAULT, cloud_b_param: { kty: 'EC' }, ...more })
const get = (key: any): Promise<any> => ok('GET', `${KEYS}/${key.id}`)
const act = (key: any, action: string, body?: object): Promise<any> => ok('POST', `${KEYS}/${key.id}/${action}`, body)
const tryAct = (key: any, action: string, body?: object): Promise<Answered> =>
  ask('POST', `${KEYS}/${key.id}/${action}`, body)
const take = (key: any, body: object = {}): Promise<any> => act(key, 'backups', body)
const backupsOf = async (key: any, query = ''): Promise<any[]> =>
  (await ok('GET', `${KEYS}/${key.id}/backups${query}`)).resources
const restore = (key: any, key_vault: string, more: object = {}): Promise<any> =>
  act(key, 'restore', { key_vault, ...more })
const tryRestore = (key: any, key_vault: string, more: object = {}): Promise<Answered> =>
  tryAct(key, 'restore', { key_vault, ...more })
const recordsIn = async (vault: string, name: string): Promise<any[]> =>
  (await ok('GET', `${KEYS}?key_vault=${vault}&key_name=${name}&limit=-1`)).resources
const idOf = ({ id }: any): string => id as string
/** Permanently deletes a key. */
async function destroy(key: any): Promise<void> {
  await act(key, 'soft-delete')
  await act(key, 'hard-delete')
}

describe('a backup', () => {
  test('contains all versions of the key, and the record of the latest refers to the newest backup', async () => {
    const first = await create('kept')
    const second = await create('kept')
    const backup = await take(first, { name: 'monthly', description: 'before the move' })
    expect(backup).toMatchObject({
      name: 'monthly',
      description: 'before the move',
      key_id: second.id,
      key_version: second.version,
      size: expect.any(Number),
    })
    expect(Object.keys(backup)).not.toContain('sealed')
    expect(await get(second)).toMatchObject({ backup: backup.id, backup_at: backup.createdAt })
    expect(await get(first)).not.toHaveProperty('backup')
    const later = await take(second)
    expect(await get(second)).toMatchObject({ backup: later.id, backup_at: later.createdAt })
    expect((await backupsOf(first)).map(idOf)).toEqual([backup.id, later.id])
    expect((await backupsOf(first, '?sort=-createdAt&limit=1')).map(idOf)).toEqual([later.id])
    const found = await ok('GET', `${KEYS}?backup=true&key_name=kept`)
    expect(found.resources.map(idOf)).toEqual([second.id])
    expect((await ok('GET', `${KEYS}?backup=false&key_name=kept`)).resources.map(idOf)).toEqual([first.id])
  })

  test('is read, renamed and deleted, and the newest is the one that is left', async () => {
    const key = await create('renamed')
    const [one, two, three] = [await take(key), await take(key), await take(key)]
    const path = `${KEYS}/${key.id}/backups/${one.id}`
    expect(await ok('PATCH', path, { name: 'first' })).toMatchObject({ id: one.id, name: 'first' })
    expect(await ok('GET', path)).toMatchObject({ name: 'first', size: one.size })
    expect(await ok('DELETE', path)).toEqual({ status: 204 })
    await refused(ask('GET', path), 404, 5, [])
    expect(await get(key)).toMatchObject({ backup: three.id })
    expect(await act(key, 'delete-backup')).toMatchObject({ id: key.id, backup: two.id, backup_at: two.createdAt })
    expect(await act(key, 'delete-backup')).not.toHaveProperty('backup')
    await refused(tryAct(key, 'delete-backup'), 409, 8, [])
    expect(await backupsOf(key)).toEqual([])
  })

  test('beyond the limit of its vault replaces the oldest', async () => {
    await ok('PATCH', `${VAULTS}/${tests().vault.id}`, { cloud_key_backup_limit: 2 })
    const key = await create('limited')
    const taken = [await take(key), await take(key), await take(key)]
    expect((await backupsOf(key)).map(idOf)).toEqual(taken.slice(1).map(idOf))
    await ok('PATCH', `${VAULTS}/${tests().vault.id}`, { cloud_key_backup_limit: 1 })
    const last = await take(key)
    expect((await backupsOf(key)).map(idOf)).toEqual([last.id])
    expect(await get(key)).toMatchObject({ backup: last.id })
    await ok('PATCH', `${VAULTS}/${tests().vault.id}`, { cloud_key_backup_limit: 10 })
  })

  test('taken at the same moment as others is kept, and the record is correct', async () => {
    const key = await create('raced')
    const taken = await Promise.all([1, 2, 3].map(() => take(key)))
    const all = await backupsOf(key)
    expect(all.map(idOf).sort()).toEqual(taken.map(idOf).sort())
    expect(taken.map(idOf)).toContain((await get(key)).backup)
  })

  test('stays with the key when it gets another version', async () => {
    const first = await create('succeeded')
    const backup = await take(first)
    const second = await create('succeeded')
    expect(second).toMatchObject({ backup: backup.id })
    expect(await get(first)).not.toHaveProperty('backup')
    tests().cloud.alterKey(VAULT, 'succeeded', { newVersions: 1 }) // by another user
    await act(second, 'refresh')
    const latest = (await recordsIn(VAULT, 'succeeded')).filter(({ is_latest }) => is_latest)
    expect(latest).toMatchObject([{ backup: backup.id, backup_at: backup.createdAt }])
    expect(await get(second)).not.toHaveProperty('backup')
  })

  test('is refused for a deleted or missing key, and above the maximum size', async () => {
    const key = await create('refused')
    const huge = { x: 'a'.repeat(300_000) }
    tests().cloud.alterKey(VAULT, 'refused', { tags: huge })
    const tooLarge = await refused(tryAct(key, 'backups', {}), 409, 8, [])
    expect(tooLarge.detail).toMatch(/at most 262144 are kept/)
    await act(key, 'soft-delete')
    expect((await tryAct(key, 'backups', {})).status).toBe(409)
    await act(key, 'hard-delete')
    expect((await tryAct(key, 'backups', {})).status).toBe(409)
    await refused(ask('POST', `${KEYS}/${NOTHING}/backups`, {}), 404, 5, [])
    await refused(ask('GET', `${KEYS}/${key.id}/backups/${NOTHING}`), 404, 5, [])
    const other = await create('another')
    const backup = await take(other)
    await refused(ask('GET', `${KEYS}/${key.id}/backups/${backup.id}`), 404, 5, []) // a backup of another key
  })

  test('cannot be opened without the service, and is never shown', async () => {
    const key = await create('sealed')
    const backup = await take(key)
    const shown = JSON.stringify([backup, await get(key), await ok('GET', '/v1/audit/records?limit=-1')])
    expect(shown).not.toContain(Buffer.from('simulated backup 1').toString('base64').slice(0, 20))
  })
})

describe('a restore', () => {
  test('restores a deleted key into its own vault, with every version', async () => {
    const first = await create('lost')
    const second = await create('lost')
    await take(second)
    await destroy(second)
    expect(await get(second)).toMatchObject({ status: 'DELETED', gone: true })
    const back = await restore(first, VAULT)
    expect(back).toMatchObject({ id: second.id, version: second.version, status: 'ACTIVE', gone: false })
    expect(await get(first)).toMatchObject({ status: 'ACTIVE', is_latest: false })
    expect(tests().cloud.keyOf(VAULT, 'lost')?.versions).toHaveLength(2)
  })

  test('into other vaults creates records that know the source of the material', async () => {
    const source = await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'rsa', size: 2048 })
    const body = { key_name: 'moved', key_vault: VAULT, local_key_identifier: 'source' }
    const key = await ok('POST', `${CLOUD_B}/upload-key`, body)
    await take(key)
    await destroy(key)
    const back = await restore(key, 'shop-spare')
    expect(back).toMatchObject({
      key_vault: 'shop-spare',
      key_name: 'moved',
      version: key.version,
      status: 'ACTIVE',
      is_latest: true,
      key_material_origin: 'keymgr',
      local_key_id: source.id,
    })
    expect(back.id).not.toBe(key.id)
    expect(await get(key)).toMatchObject({ status: 'DELETED' })
    expect(await tests().cloud.materialOf('shop-spare', 'moved')).toBeInstanceOf(Buffer)
  })

  test('copies a live or soft-deleted key into another vault, but not into its own', async () => {
    const key = await create('copied')
    const [old, newest] = [await take(key), (await create('copied'), await take(key))]
    await refused(tryRestore(key, VAULT), 422, 2, ['#/key_vault'])
    expect(await restore(key, 'shop-spare', { backup_id: old.id })).toMatchObject({ version: key.version })
    tests().cloud.forgetKey('shop-spare', 'copied')
    await act(key, 'soft-delete')
    await refused(tryRestore(key, VAULT), 422, 2, ['#/key_vault'])
    expect(await restore(key, 'shop-spare')).toMatchObject({ version: newest.key_version, status: 'ACTIVE' })
    const there = await recordsIn('shop-spare', 'copied')
    expect(there.map(({ is_latest }) => is_latest).sort()).toEqual([false, true])
  })

  test('is refused without backup, with another key’s, and for other subscriptions and unknown vaults', async () => {
    const key = await create('bare')
    await refused(tryRestore(key, 'shop-spare'), 409, 8, [])
    await take(key)
    const other = await take(await create('bare-other'))
    await refused(tryRestore(key, 'shop-spare', { backup_id: other.id }), 404, 5, ['#/backup_id'])
    await refused(tryRestore(key, 'no-vault'), 404, 5, ['#/key_vault'])
    const [bank] = tests()
      .cloud.vaults()
      .filter(({ name }) => name === 'bank-premium')
    await ok('POST', `${CLOUD_B}/add-vaults`, {
      connection: 'main',
      subscription_id: bank?.subscription,
      vaults: [{ name: 'bank-premium' }],
    })
    expect(bank?.subscription).not.toBe(SUBSCRIPTION)
    await refused(tryRestore(key, 'bank-premium'), 422, 2, ['#/key_vault'])
  })

  test('of a backup of another geography is refused by the cloud, and leaves nothing behind', async () => {
    const key = await create('abroad')
    await take(key)
    await refused(tryRestore(key, 'shop-overseas'), 422, 16, [])
    await refused(tryRestore(key, 'shop-hsm'), 422, 16, [])
    expect(await recordsIn('shop-overseas', 'abroad')).toEqual([])
    expect(await restore(key, 'shop-spare')).toMatchObject({ status: 'ACTIVE' }) // no vault has the key
  })

  test('finds that others use the name, and leaves their key unchanged', async () => {
    const key = await create('taken')
    await take(key)
    const theirs = await create('taken', { key_vault: 'shop-spare' })
    await refused(tryRestore(key, 'shop-spare'), 409, 16, [])
    expect((await recordsIn('shop-spare', 'taken')).map(idOf)).toEqual([theirs.id])
    expect(tests().cloud.keyOf('shop-spare', 'taken')?.versions).toHaveLength(1)
  })

  test('into a deleted vault is refused, and done when the vault is recovered', async () => {
    const key = await create('homeless')
    await take(key)
    tests().cloud.deleteVault('shop-spare')
    expect((await tryRestore(key, 'shop-spare')).status).toBeGreaterThanOrEqual(400)
    tests().cloud.recoverVault('shop-spare')
    expect(await restore(key, 'shop-spare')).toMatchObject({ status: 'ACTIVE' })
  })

  test('without an answer is found complete when the request is repeated', async () => {
    const key = await create('unanswered')
    await take(key)
    tests().cloud.inject({ fault: 'cut-after', operation: 'KeyRestore', times: 1 })
    const first = await tryRestore(key, 'shop-spare')
    expect(first.status).toBeGreaterThanOrEqual(500)
    expect(await restore(key, 'shop-spare')).toMatchObject({ version: key.version, status: 'ACTIVE' })
    expect(await recordsIn('shop-spare', 'unanswered')).toHaveLength(1)
  })
})

describe('permissions', () => {
  test('backups and restores need permissions of the vaults, and belong to a domain', async () => {
    const { admin, user, vault, service } = tests()
    const key = await create('guarded')
    const backup = await take(key)
    const { holder, sub } = await user('carol', ['keymgr Users'])
    const grant = (id: string, ...actions: string[]): Promise<any> =>
      admin.ok('POST', `${VAULTS}/${id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
    const path = `${KEYS}/${key.id}`
    await refused(holder.call('GET', `${path}/backups`), 404, 5, [])
    await grant(idOf(vault), 'view')
    expect((await holder.ok('GET', `${path}/backups`)).total).toBe(1)
    for (const [method, tail] of [
      ['POST', 'backups'],
      ['PATCH', `backups/${backup.id}`],
    ] as const)
      expect((await holder.call(method, `${path}/${tail}`, {})).status).toBe(403)
    expect((await holder.call('DELETE', `${path}/backups/${backup.id}`)).status).toBe(403)
    expect((await holder.call('POST', `${path}/restore`, { key_vault: 'shop-spare' })).status).toBe(403)
    await grant(idOf(vault), 'keyrestore', 'keyupdate')
    await refused(holder.call('POST', `${path}/restore`, { key_vault: 'shop-spare' }), 404, 5, ['#/key_vault'])
    await grant(idOf(spare), 'view', 'keyrestore')
    await holder.ok('POST', `${path}/backups`, {})
    await holder.ok('POST', `${path}/restore`, { key_vault: 'shop-spare' })
    const body = { operation: 'delete-key-backups', backups: [backup.id] }
    expect((await holder.call('POST', JOBS, body)).status).toBe(403)
    await grant(idOf(vault), 'keybackupdelete')
    const job = await holder.ok('POST', JOBS, body)
    expect((await holder.ok('GET', JOBS)).resources.map(idOf)).toEqual([job.id])
    const { child } = await childAdmin(service, 'elsewhere')
    await refused(service.call('GET', `${path}/backups`, { token: child }), 404, 5, [])
  })
})

describe('a bulk job', () => {
  /** The ended job: the sweeper finishes the work for which the request had no time. */
  const ended = async (id: string): Promise<any> => {
    const job = await ok('GET', `${JOBS}/${id}`)
    if (job.overall_status !== 'in_progress') return job
    tests().advance(61_000)
    await tests().sweep()
    return ok('GET', `${JOBS}/${id}`)
  }

  test('deletes backups by their ids, and reports one that was deleted meanwhile', async () => {
    const key = await create('many')
    const taken = [await take(key), await take(key), await take(key)]
    const job = await ok('POST', JOBS, { operation: 'delete-key-backups', backups: taken.slice(1).map(idOf) })
    expect(job).toMatchObject({ operation: 'delete-key-backups', backups: taken.slice(1).map(idOf), abort: false })
    expect(await ended(job.id as string)).toMatchObject({ overall_status: 'completed', cloud_name: 'cloud-b' })
    expect((await backupsOf(key)).map(idOf)).toEqual([taken[0].id])
    const latest = await ok('GET', `${KEYS}/${key.id}`)
    expect(latest).toMatchObject({ backup: taken[0].id, backup_at: taken[0].createdAt })
    expect(await ok('DELETE', `${JOBS}/${job.id}`)).toEqual({ status: 204 })
    await refused(ask('GET', `${JOBS}/${job.id}`), 404, 5, [])
  })

  test('deletes the backups of a period, also those of purged keys', async () => {
    tests().advance(2 * 60_000)
    const after = tests().at(-1)
    const key = await create('dated')
    await take(key)
    await take(key)
    await destroy(key)
    const job = await ok('POST', JOBS, { operation: 'delete-key-backups', created_after: after })
    expect(job.backups).toHaveLength(2)
    expect(await ended(job.id as string)).toMatchObject({ overall_status: 'completed' })
    expect(await backupsOf(key)).toEqual([])
    expect((await tryRestore(key, VAULT)).status).toBe(409)
  })

  test('is refused without backups, with both selections, and for unknown backups', async () => {
    const operation = 'delete-key-backups'
    await refused(ask('POST', JOBS, { operation }), 422, 2, ['#/backups'])
    const both = { operation, backups: [NOTHING], created_after: tests().at(0) }
    await refused(ask('POST', JOBS, both), 422, 2, ['#/backups'])
    await refused(ask('POST', JOBS, { operation, backups: [NOTHING] }), 404, 5, ['#/backups/0'])
    await refused(ask('POST', JOBS, { operation, created_after: tests().at(1_000) }), 422, 2, [])
    await refused(ask('POST', `${JOBS}/${NOTHING}/cancel`), 404, 5, [])
  })
})

describe('a backup job', () => {
  const config = (scheduler: ReturnType<typeof schedulerOf>, name: string): Promise<any> =>
    scheduler.create({
      name,
      operation: 'key-backup',
      run_at: '0 4 * * *',
      key_backup_params: { cloud_name: 'cloud-b' },
    })

  test('takes a backup of each key that joined it, and includes the key’s next version', async () => {
    const scheduler = schedulerOf(tests())
    const nightly = await config(scheduler, 'nightly')
    const backup_job_config_id = idOf(nightly)
    const key = await create('nightly')
    const joined = await act(key, 'enable-backup-job', { backup_job_config_id })
    expect(joined).toMatchObject({ labels: { backup_job_config_id } })
    expect(await scheduler.ran(backup_job_config_id)).toMatchObject({ status: 'completed', success_count: 1 })
    const [backup, ...others] = await backupsOf(key)
    expect(others).toEqual([])
    expect(await get(key)).toMatchObject({ backup: backup.id, labels: { backup_job_config_id } })
    const next = await create('nightly')
    expect(next).toMatchObject({ backup: backup.id, labels: { backup_job_config_id } })
    expect(await get(key)).not.toHaveProperty('labels')
    const found = await ok('GET', `${KEYS}?job_config_id=${backup_job_config_id}`)
    expect(found.resources.map(idOf)).toEqual([next.id])
    expect(await scheduler.ran(backup_job_config_id)).toMatchObject({ status: 'completed', success_count: 1 })
    expect((await backupsOf(key)).at(-1)).toMatchObject({ key_version: next.version })
    expect((await scheduler.remove(backup_job_config_id)).status).toBe(409)
    expect(await act(next, 'disable-backup-job')).not.toHaveProperty('labels')
    expect((await tryAct(next, 'disable-backup-job')).status).toBe(409)
    expect((await scheduler.remove(backup_job_config_id)).status).toBe(200)
  })

  test('works beside a rotation job, and refuses former versions and configurations of other kinds', async () => {
    const scheduler = schedulerOf(tests())
    const backups = await config(scheduler, 'beside')
    const rotation = await scheduler.create({
      name: 'rotating',
      operation: 'keymgr_key_rotation',
      run_at: '0 3 * * *',
      keymgr_key_rotation_params: { cloud_name: 'cloud-b' },
    })
    const former = await create('both')
    const key = await create('both')
    const join = { backup_job_config_id: backups.id }
    await refused(tryAct(former, 'enable-backup-job', join), 409, 8, [])
    const pointer = ['#/backup_job_config_id']
    await refused(tryAct(key, 'enable-backup-job', { backup_job_config_id: rotation.id }), 422, 2, pointer)
    await refused(tryAct(key, 'enable-backup-job', { backup_job_config_id: NOTHING }), 404, 5, pointer)
    await act(key, 'enable-rotation-job', { job_config_id: rotation.id, auto_rotate_key_source: 'native' })
    const { labels } = await act(key, 'enable-backup-job', join)
    expect(labels).toEqual({ job_config_id: rotation.id, auto_rotate_key_source: 'native', ...join })
    expect((await act(key, 'disable-rotation-job')).labels).toEqual(join)
    tests().cloud.forgetKey(VAULT, 'both')
    expect(await scheduler.ran(idOf(backups))).toMatchObject({ status: 'failed', error_count: 1 })
  })
})

test('backups go with their vault', async () => {
  const { cloud, addVaults, sweep, advance } = tests()
  const [vault] = await addVaults('shop-locked')
  const key = await create('leaving', { key_vault: 'shop-locked' })
  const backup = await take(key)
  expect(await ok('POST', `${VAULTS}/${vault.id}/remove-vault`)).toEqual({ status: 204 })
  advance(61_000)
  await sweep()
  await addVaults('shop-locked')
  await refused(ask('POST', JOBS, { operation: 'delete-key-backups', backups: [backup.id] }), 404, 5, ['#/backups/0'])
  expect(cloud.keyOf('shop-locked', 'leaving')).toBeDefined()
})
