import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import type { Answered } from '../../support/service.ts'
import { CLOUD_B, refused, SUBSCRIPTION, useCloudB, VAULT, VAULTS } from './cloud-b.ts'
import { atCloud, synchronized } from './other-people.ts'

const tests = useCloudB({ flowPauseMs: () => 1 })
const NOTHING = '01890000-0000-7000-8000-00000000ffff'
/** First bytes of the simulated cloud's backups. */
const BLOB = Buffer.from('simulated backup 1').toString('base64')

let spare: any
beforeAll(async () => {
  const { addVaults, cloud } = tests()
  spare = (await addVaults('shop-spare'))[0]
  await addVaults('shop-overseas')
  const add = (subscription_id: string, vault: object): Promise<any> =>
    ok('POST', `${CLOUD_B}/add-vaults`, { connection: 'main', subscription_id, vaults: [vault] })
  await add(SUBSCRIPTION, { name: 'shop-hsm', managed_hsm: true })
  await add(cloud.vaults().find(({ name }) => name === 'bank-premium')?.subscription ?? '', { name: 'bank-premium' })
})
beforeEach(() => tests().cloud.reset())

const ok = (method: string, path: string, body?: object): Promise<any> => tests().admin.ok(method, path, body)
const ask = (method: string, path: string, body?: object): Promise<Answered> => tests().admin.call(method, path, body)
const idOf = ({ id }: any): string => id as string

const POLICY = { issuer: { name: 'Self' }, key_props: { kty: 'EC' }, x509_props: { subject: 'CN=shop.example' } }

describe.each([
  { noun: 'secret', named: 'secret_name', param: { value: 'the value' } },
  { noun: 'certificate', named: 'cert_name', param: { policy: POLICY } },
])('backups of a $noun', ({ noun, named, param }) => {
  const ITEMS = `${CLOUD_B}/${noun}s`
  const create = async (name: string, key_vault = VAULT): Promise<any> => {
    tests().advance(1_000) // versions of the same second have no order
    return ok('POST', ITEMS, { [named]: `${noun}-${name}`, key_vault, cloud_b_param: param })
  }
  const get = (item: any): Promise<any> => ok('GET', `${ITEMS}/${item.id}`)
  const act = (item: any, action: string, body?: object): Promise<any> =>
    ok('POST', `${ITEMS}/${item.id}/${action}`, body)
  const tryAct = (item: any, action: string, body?: object): Promise<Answered> =>
    ask('POST', `${ITEMS}/${item.id}/${action}`, body)
  const take = (item: any, body: object = {}): Promise<any> => act(item, 'backups', body)
  const backupsOf = async (item: any): Promise<string[]> =>
    (await ok('GET', `${ITEMS}/${item.id}/backups`)).resources.map(idOf)
  const recordsIn = async (vault: string, name: string): Promise<any[]> =>
    (await ok('GET', `${ITEMS}?key_vault=${vault}&${named}=${noun}-${name}&sort=createdAt`)).resources
  const destroy = async (item: any): Promise<void> => {
    await act(item, 'soft-delete')
    await act(item, 'hard-delete')
  }
  /** The item in the cloud with its content, which only the cloud can restore. */
  const contentOf = async (vault: string, name: string): Promise<unknown> => {
    const there = await atCloud(tests().cloud, vault, 'GET', `/${noun}s/${noun}-${name}`)
    return there.value ?? there.cer
  }

  test('contain all versions; the record of the latest refers to the newest; none shows its bytes', async () => {
    const [first, second] = [await create('kept'), await create('kept')]
    const backup = await take(first, { name: 'monthly', description: 'before the move' })
    const about = { name: 'monthly', key_id: second.id, key_version: second.version, size: expect.any(Number) }
    expect(backup).toMatchObject({ ...about, description: 'before the move' })
    expect(await get(second)).toMatchObject({ backup: backup.id, backup_at: backup.createdAt })
    expect(await get(first)).not.toHaveProperty('backup')
    const later = await take(second)
    expect(await backupsOf(first)).toEqual([backup.id, later.id])
    const path = `${ITEMS}/${first.id}/backups/${backup.id}`
    expect(await ok('PATCH', path, { name: 'renamed' })).toMatchObject({ id: backup.id, name: 'renamed' })
    const shown = [await ok('GET', path), await get(second), await ok('GET', '/v1/audit/records?limit=-1')]
    expect(JSON.stringify(shown)).not.toContain(BLOB)
    const title = `Cloud-b ${noun === 'secret' ? 'Secret' : 'Certificate'} Backup`
    expect(await tests().records(`resource_uri=${backup.uri}`)).toMatchObject([
      { success: true, message: `Create ${title}` },
      { success: true, message: `Update ${title}` },
    ])
    expect(await act(second, 'delete-backup')).toMatchObject({ id: second.id, backup: backup.id })
    expect(await ok('DELETE', path)).toEqual({ status: 204 })
    await refused(ask('GET', path), 404, 5, [])
    expect(await get(second)).not.toHaveProperty('backup')
    await refused(tryAct(second, 'delete-backup'), 409, 8, [])
  })

  test('keep the limit of their vault, and are no backups of keys', async () => {
    await ok('PATCH', `${VAULTS}/${tests().vault.id}`, { cloud_key_backup_limit: 1 })
    const item = await create('limited')
    await take(item)
    const last = await take(item)
    expect(await backupsOf(item)).toEqual([last.id])
    await ok('PATCH', `${VAULTS}/${tests().vault.id}`, { cloud_key_backup_limit: 10 })
    const job = { operation: 'delete-key-backups', backups: [last.id] }
    await refused(ask('POST', `${CLOUD_B}/bulkjobs`, job), 404, 5, ['#/backups/0'])
    const config = { backup_job_config_id: NOTHING }
    await refused(tryAct(item, 'enable-backup-job', config), 404, 5, [])
  })

  test('restore a deleted item into its own vault, with every version', async () => {
    const [first, second] = [await create('lost'), await create('lost')]
    const content = await contentOf(VAULT, 'lost')
    await take(second)
    await destroy(second)
    const back = await act(first, 'restore', { key_vault: VAULT })
    expect(back).toMatchObject({ id: second.id, version: second.version, status: 'ACTIVE', gone: false })
    expect(await get(first)).toMatchObject({ status: 'ACTIVE', is_latest: false })
    expect(await contentOf(VAULT, 'lost')).toBe(content)
  })

  test('of an older state, restored, have the latest version that exists now', async () => {
    const first = await create('older')
    const [old, newest] = [await take(first), (await create('older'), await take(first))]
    await destroy(first)
    const back = await act(first, 'restore', { key_vault: VAULT, backup_id: old.id })
    expect(back).toMatchObject({ id: first.id, status: 'ACTIVE', is_latest: true, backup: newest.id })
    const [, later] = await recordsIn(VAULT, 'older')
    expect(later).toMatchObject({ status: 'DELETED', is_latest: false })
    expect(later).not.toHaveProperty('backup')
    expect(await ok('DELETE', `${ITEMS}/${later.id}`)).toEqual({ status: 204 })
  })

  test('copy one into another vault as new records, also while it is soft-deleted', async () => {
    const item = await create('copied')
    await take(item)
    await refused(tryAct(item, 'restore', { key_vault: VAULT }), 422, 2, ['#/key_vault'])
    const copy = await act(item, 'restore', { key_vault: 'shop-spare' })
    expect(copy).toMatchObject({ key_vault: 'shop-spare', version: item.version, status: 'ACTIVE', is_latest: true })
    expect(copy.id).not.toBe(item.id)
    expect(copy).not.toHaveProperty('backup')
    await destroy(copy)
    await act(item, 'soft-delete')
    await refused(tryAct(item, 'backups', {}), 409, 8, [])
    await refused(tryAct(item, 'restore', { key_vault: VAULT }), 422, 2, ['#/key_vault'])
    expect(await act(item, 'restore', { key_vault: 'shop-spare' })).toMatchObject({ id: copy.id, status: 'ACTIVE' })
    expect(await contentOf('shop-spare', 'copied')).toEqual(expect.any(String))
  })

  test('are refused for vaults that cannot have them, and for ambiguous bodies', async () => {
    const item = await create('bare')
    await refused(tryAct(item, 'restore', { key_vault: 'shop-spare' }), 409, 8, [])
    const backup = await take(item)
    const other = await take(await create('bare-other'))
    const into = (key_vault: unknown, more: object = {}): Promise<Answered> =>
      tryAct(item, 'restore', { key_vault, ...more })
    await refused(into(undefined), 422, 2, ['#/key_vault'])
    await refused(into(['shop-spare']), 400, 1, ['#/key_vault'])
    await refused(into('shop-spare', { shoe: 1 }), 400, 1, ['#/shoe'])
    await refused(into('shop-spare', { backup_id: 'newest' }), 422, 2, ['#/backup_id'])
    await refused(into('shop-spare', { backup_id: other.id }), 404, 5, ['#/backup_id'])
    await refused(into('no-vault'), 404, 5, ['#/key_vault'])
    await refused(into('bank-premium'), 422, 2, ['#/key_vault'])
    const pool = await refused(into('shop-hsm'), 422, 2, ['#/key_vault'])
    expect(pool.errors[0].detail).toMatch(/managed HSM pools hold keys alone/)
    await refused(into('shop-overseas'), 422, 16, [])
    expect(await recordsIn('shop-overseas', 'bare')).toEqual([])
    await refused(ask('GET', `${ITEMS}/${item.id}/backups/${other.id}`), 404, 5, [])
    await refused(ask('PATCH', `${ITEMS}/${item.id}/backups/${backup.id}`, { shoe: 1 }), 400, 1, ['#/shoe'])
    await refused(ask('POST', `${ITEMS}/${NOTHING}/backups`, {}), 404, 5, [])
    await refused(ask('POST', `${ITEMS}/${NOTHING}/restore`, { key_vault: VAULT }), 404, 5, [])
  })

  test('find a name in use, live or soft-deleted, and leave its owner unchanged', async () => {
    const item = await create('taken')
    await take(item)
    const theirs = await create('taken', 'shop-spare')
    await refused(tryAct(item, 'restore', { key_vault: 'shop-spare' }), 409, 16, [])
    await act(theirs, 'soft-delete')
    await refused(tryAct(item, 'restore', { key_vault: 'shop-spare' }), 409, 16, [])
    expect(await recordsIn('shop-spare', 'taken')).toMatchObject([{ id: theirs.id, status: 'SOFT-DELETED' }])
    await act(theirs, 'recover')
    expect(await get(theirs)).toMatchObject({ status: 'ACTIVE', version: theirs.version })
  })

  test('keep the record by which they are reached', async () => {
    const [first, second] = [await create('reached'), await create('reached')]
    await take(second)
    await destroy(second)
    const held = await refused(ask('DELETE', `${ITEMS}/${second.id}`), 409, 8, [])
    expect(held.detail).toBe(`Backups of this ${noun} are stored: delete them first.`)
    expect(await ok('DELETE', `${ITEMS}/${first.id}`)).toEqual({ status: 204 })
    await act(second, 'delete-backup')
    expect(await ok('DELETE', `${ITEMS}/${second.id}`)).toEqual({ status: 204 })
  })

  test('restored without an answer are found when the request is repeated', async () => {
    const item = await create('unanswered')
    await take(item)
    const operation = noun === 'secret' ? 'SecretRestore' : 'CertificateRestore'
    tests().cloud.inject({ fault: 'cut-after', operation, times: 1 })
    expect((await tryAct(item, 'restore', { key_vault: 'shop-spare' })).status).toBeGreaterThanOrEqual(500)
    const back = await act(item, 'restore', { key_vault: 'shop-spare' })
    expect(back).toMatchObject({ version: item.version, status: 'ACTIVE' })
    expect((await recordsIn('shop-spare', 'unanswered')).map(idOf)).toEqual([back.id])
  })

  test('need permissions of the vaults, and belong to a domain', async () => {
    const { admin, user, vault, service } = tests()
    const item = await create('guarded')
    const backup = await take(item)
    const { holder, sub } = await user(`guard-${noun}`, ['keymgr Users'])
    const grant = (id: string, ...actions: string[]): Promise<any> =>
      admin.ok('POST', `${VAULTS}/${id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
    const [path, one] = [`${ITEMS}/${item.id}`, `${ITEMS}/${item.id}/backups/${backup.id}`]
    await refused(holder.call('GET', `${path}/backups`), 404, 5, [])
    await grant(idOf(vault), 'view', 'keyupdate', 'keybackupdelete', 'keyrestore')
    expect((await holder.ok('GET', `${path}/backups`)).total).toBe(1)
    await refused(holder.call('POST', `${path}/backups`, {}), 403, 4, [])
    await refused(holder.call('PATCH', one, {}), 403, 4, [])
    await refused(holder.call('DELETE', one), 403, 4, [])
    await refused(holder.call('POST', `${path}/delete-backup`), 403, 4, [])
    await refused(holder.call('POST', `${path}/restore`, { key_vault: 'shop-spare' }), 403, 4, [])
    await grant(idOf(vault), `${noun}restore`, `${noun}update`, `${noun}backupdelete`)
    await refused(holder.call('POST', `${path}/restore`, { key_vault: 'shop-spare' }), 404, 5, ['#/key_vault'])
    await grant(idOf(spare), 'view', `${noun}restore`)
    await holder.ok('POST', `${path}/backups`, {})
    await holder.ok('POST', `${path}/restore`, { key_vault: 'shop-spare' })
    await holder.ok('DELETE', one)
    const { child } = await childAdmin(service, `elsewhere-${noun}`)
    for (const [method, to, body] of [
      ['GET', `${path}/backups`, undefined],
      ['POST', `${path}/backups`, {}],
      ['POST', `${path}/restore`, { key_vault: VAULT }],
    ] as const)
      await refused(service.call(method, to, { token: child, body }), 404, 5, [])
  })
})

test('key and secret of a certificate are restored with it, and cannot be backed up separately', async () => {
  const named = { cert_name: 'whole', key_vault: VAULT, cloud_b_param: { policy: POLICY } }
  const certificate = await ok('POST', `${CLOUD_B}/certificates`, named)
  for (const family of ['', '/secrets'])
    await synchronized(tests(), `${CLOUD_B}${family}/synchronization-jobs`, { key_vaults: [VAULT] })
  const [secret] = (await ok('GET', `${CLOUD_B}/secrets?secret_name=whole`)).resources
  const detail = (await refused(ask('POST', `${CLOUD_B}/secrets/${secret.id}/backups`, {}), 409, 8, [])).detail
  expect(detail).toMatch(/belongs to a certificate/)
  const at = `${CLOUD_B}/certificates/${certificate.id}`
  await ok('POST', `${at}/backups`, {})
  for (const action of ['soft-delete', 'hard-delete']) await ok('POST', `${at}/${action}`)
  expect(await ok('POST', `${CLOUD_B}/secrets/${secret.id}/refresh`)).toMatchObject({ status: 'DELETED' })
  await ok('POST', `${at}/restore`, { key_vault: VAULT })
  expect(await ok('POST', `${CLOUD_B}/secrets/${secret.id}/refresh`)).toMatchObject({ status: 'ACTIVE' })
  expect(tests().cloud.keyOf(VAULT, 'whole')).toBeDefined()
})
