import { expect, test } from 'vitest'
import { refused } from '../cloud-b.ts'
import { IN, KEYS } from '../keys.ts'
import { tests, keys, seconds, NOTHING } from './set-up.ts'

test('an edit changes exactly the given version', async () => {
  const { seen, admin } = tests()
  const first = await keys().create('edited', { tags: { a: '1', b: '2' } })
  const second = await keys().create('edited')
  const exp = seconds(86_400_000)
  const after = await keys().update(first.id, {
    attributes: { enabled: false, exp },
    key_ops: ['verify'],
    tags: { a: '3' },
  })
  expect(after).toMatchObject({ is_latest: false, azure_expire_at: new Date(exp * 1_000).toISOString() })
  expect(after.cloud_b_param.tags).toEqual({ a: '3', keymgr_key_id: first.id })
  expect(after.cloud_b_param.key.key_ops).toEqual(['verify'])
  expect(seen(first).versions).toMatchObject([{ enabled: false, exp, ops: ['verify'] }, { enabled: true }])
  expect((await keys().get(second.id)).cloud_b_param).toEqual(second.cloud_b_param)
  const again = await keys().update(first.id, { attributes: { enabled: true } })
  expect(again.cloud_b_param).toMatchObject({ attributes: { enabled: true, exp }, tags: { a: '3' } })
  await refused(keys().tryUpdate(first.id, { attributes: { nbf: exp + 1, exp } }), 422, 2, ['#/attributes'])
  await refused(keys().tryUpdate(first.id, { tags: { a: ':' } }), 422, 2, ['#/tags'])
  await refused(keys().tryUpdate(first.id, { key_ops: ['encrypt'] }), 422, 16, [])
  await refused(keys().tryUpdate(first.id, { key_name: 'other' }), 400, 1, ['#/key_name'])
  await refused(keys().tryUpdate(NOTHING, {}), 404, 5, [])
  const at = `${KEYS}/${first.id}`
  const etag = (await admin.call('GET', at)).headers.get('etag') ?? ''
  await refused(admin.call('PATCH', at, { tags: {} }, { 'if-match': '"1"' }), 412, 8, [])
  await refused(admin.call('POST', `${at}/soft-delete`, undefined, { 'if-match': '"1"' }), 412, 8, [])
  const changed = await admin.call('PATCH', at, { tags: {} }, { 'if-match': etag })
  expect([changed.status, changed.body.cloud_b_param.tags]).toEqual([200, { keymgr_key_id: first.id }])
})

test('a deletion deletes every version, and a recovery restores all of them', async () => {
  const { seen, at } = tests()
  const first = await keys().create('deleted')
  const second = await keys().create('deleted')
  await refused(keys().tryAct(first.id, 'recover'), 409, 8, [])
  await refused(keys().tryAct(first.id, 'hard-delete'), 409, 8, [])
  const after = await keys().act(first.id, 'soft-delete')
  const purged = Date.parse(after.purge_date)
  expect(Math.abs(purged - Date.parse(at(90 * 86_400_000)))).toBeLessThan(60_000)
  const status = { status: 'SOFT-DELETED', key_soft_deleted_in_azure: true, gone: false, deleted: false }
  for (const id of [first.id, second.id])
    expect(await keys().get(id)).toMatchObject({ ...status, deletion_date: after.deletion_date, version_count: 2 })
  expect((await keys().get(second.id)).is_latest).toBe(true)
  expect(seen(first).deleted).toBe(true)
  for (const [action, body] of [
    ['soft-delete'],
    ['enable-rotation-job', { job_config_id: NOTHING, auto_rotate_key_source: 'native' }],
  ] as const)
    await refused(keys().tryAct(second.id, action, body), 409, 8, [])
  await refused(keys().tryUpdate(first.id, { attributes: { enabled: false } }), 409, 8, [])
  await refused(keys().tryCreate('deleted'), 409, 16, [])
  const back = await keys().act(second.id, 'recover')
  expect(back).toMatchObject({ status: 'ACTIVE', is_latest: true, key_soft_deleted_in_azure: false })
  for (const field of ['deletion_date', 'purge_date']) expect(back).not.toHaveProperty(field)
  expect(await keys().get(first.id)).toMatchObject({ status: 'ACTIVE', is_latest: false })
  expect(seen(first)).toMatchObject({ deleted: false, versions: [{ id: first.version }, { id: second.version }] })
})

test('a purged key cannot be recovered, and its name is free', async () => {
  const { cloud } = tests()
  const first = await keys().create('purged')
  const second = await keys().create('purged')
  await keys().act(second.id, 'soft-delete')
  expect(await keys().act(first.id, 'hard-delete')).toMatchObject({ status: 'DELETED', deleted: true, gone: true })
  expect(await keys().get(second.id)).toMatchObject({ status: 'DELETED', deleted: true, gone: true })
  expect(cloud.keyOf(IN.premium, 'purged')).toBeUndefined()
  for (const action of ['recover', 'soft-delete', 'hard-delete'])
    await refused(keys().tryAct(second.id, action), 409, 8, [])
  const third = await keys().create('purged')
  expect(await keys().get(third.id)).toMatchObject({ status: 'ACTIVE', is_latest: true })
  expect((await keys().list('?key_name=purged&version=-1')).resources).toMatchObject([{ id: third.id }])
})

test('purge protection keeps a deleted key, and without soft delete a deletion is final', async () => {
  const { cloud } = tests()
  const locked = await keys().create('kept', {}, 'locked')
  await keys().act(locked.id, 'soft-delete')
  const { detail } = await refused(keys().tryAct(locked.id, 'hard-delete'), 409, 8, [])
  expect(detail).toContain('purge protection')
  expect(await keys().act(locked.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  const plain = await keys().create('final', {}, 'plain')
  expect(plain.soft_delete_enabled).toBe(false)
  await keys().create('final', {}, 'plain')
  expect(await keys().act(plain.id, 'soft-delete')).toMatchObject({ status: 'DELETED', deleted: true, gone: true })
  expect(cloud.keyOf(IN.plain, 'final')).toBeUndefined()
  expect((await keys().list('?key_name=final&status=DELETED')).total).toBe(2)
})

test('a refresh finds changes by others in every version', async () => {
  const { cloud, others, seen } = tests()
  const key = await keys().create('refreshed')
  cloud.alterKey(IN.premium, 'refreshed', { enabled: false, tags: { by: 'others' } })
  cloud.alterKey(IN.premium, 'refreshed', { newVersions: 2 })
  const after = await keys().act(key.id, 'refresh')
  expect(after).toMatchObject({
    is_latest: false,
    cloud_b_param: { attributes: { enabled: false }, tags: { by: 'others' } },
  })
  const versions = await keys().versions('refreshed')
  expect(versions.map(({ version }) => version).sort()).toEqual(
    seen(key)
      .versions.map(({ id }) => id)
      .sort(),
  )
  expect(versions.filter(({ is_latest }) => is_latest).map(({ version }) => version)).toEqual([
    seen(key).versions.at(-1)?.id,
  ])
  expect(versions.filter(({ key_material_origin }) => key_material_origin === 'unknown')).toHaveLength(2)
  await (await others.keys(IN.premium).beginDeleteKey('refreshed')).pollUntilDone()
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'SOFT-DELETED', gone: false })
  expect((await keys().list('?key_name=refreshed&status=SOFT-DELETED')).total).toBe(3)
  await (await others.keys(IN.premium).beginRecoverDeletedKey('refreshed')).pollUntilDone()
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'ACTIVE', gone: false })
  expect((await keys().list('?key_name=refreshed&status=ACTIVE')).total).toBe(3)
  cloud.forgetKey(IN.premium, 'refreshed')
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'DELETED', gone: true })
  expect((await keys().list('?key_name=refreshed&gone=true')).total).toBe(3)
  const { detail } = await refused(keys().tryUpdate(key.id, { tags: {} }), 409, 8, [])
  expect(detail).toContain('no longer has')
})
