import { describe, expect, test } from 'vitest'
import { DAY, expectRefused } from '../../vault/vault.ts'
import { CLOUD_A, KEYS, keysOf, OTHER_REGION, REGION } from '../cloud-a.ts'
import { native, keys, cloudA, uploaded, goneKey } from './set-up.ts'

describe('enable and disable', () => {
  test('move a key between its two states, at the cloud and in the record', async () => {
    const key = await native()
    const disabled = await keys.act(key.id, 'disable')
    expect(disabled.cloud_a_param).toMatchObject({ KeyState: 'Disabled', Enabled: false })
    expect(cloudA().seen(key).state).toBe('Disabled')
    expect(await keys.get(key.id as string)).toEqual(disabled)
    expect((await keys.act(key.id, 'disable')).cloud_a_param.KeyState).toBe('Disabled')
    const enabled = await keys.act(key.id, 'enable')
    expect(enabled.cloud_a_param).toMatchObject({ KeyState: 'Enabled', Enabled: true })
    expect(cloudA().seen(key).state).toBe('Enabled')
  })

  test("are refused in other states, with the cloud's own code", async () => {
    const shell = await native({ Origin: 'EXTERNAL' })
    const refused = await keys.tryAct(shell.id as string, 'enable')
    expectRefused(refused, 409, 16)
    expect(refused.body.detail).toContain('KMSInvalidStateException')
    await keys.act(shell.id as string, 'schedule-deletion', { days: 7 })
    expectRefused(await keys.tryAct(shell.id as string, 'disable'), 409, 16)
  })

  test('leave an audit record that names the key, also when they are refused', async () => {
    const { admin, cloud, user } = cloudA()
    const key = await native({ Alias: 'refused-to-us' })
    const denied = cloud.inject({ fault: 'access-denied', operation: 'DisableKey' })
    expectRefused(await keys.tryAct(key.id as string, 'disable'), 502, 16)
    denied()
    const { holder, sub } = await user('onlooker', ['keymgr Users'])
    const acls = [{ user_id: sub, permit: true, actions: ['viewnative'] }]
    await admin.ok('POST', `${CLOUD_A}/kms/${cloudA().kms.id}/update-acls`, { acls })
    expectRefused(await keysOf(holder).tryAct(key.id as string, 'disable'), 403, 4)
    const records = await cloudA().records(`message=Disable%20Cloud-a%20Key&resource_uri=${key.uri}`)
    const refused = { success: false, details: { resource_name: 'refused-to-us' } }
    expect(records).toMatchObject([refused, refused])
  })

  test('accept no body', async () => {
    const { id } = await native()
    expectRefused(await keys.tryAct(id as string, 'disable', { days: 7 }), 400, 1, '#')
  })

  test('leave an audit record that shows what changed', async () => {
    const key = await native({ Alias: 'audited' })
    await keys.act(key.id as string, 'disable')
    const [record] = await cloudA().records(`message=Disable%20Cloud-a%20Key&resource_uri=${key.uri}`)
    expect(record).toMatchObject({ success: true, details: { resource_uri: key.uri, resource_name: 'audited' } })
    expect([record.details.before.KeyState, record.details.after.KeyState]).toEqual(['Enabled', 'Disabled'])
  })
})

describe('deletion', () => {
  test('is scheduled, cancelled and, at its time, detected', async () => {
    const key = await uploaded()
    const waiting = await keys.act(key.id, 'schedule-deletion', { days: 7 })
    expect(waiting.cloud_a_param).toMatchObject({ KeyState: 'PendingDeletion', Enabled: false })
    expect(waiting.deletion_date).toBe(waiting.cloud_a_param.DeletionDate)
    expect(Date.parse(waiting.deletion_date as string)).toBeCloseTo(Date.parse(cloudA().at(7 * DAY)), -5)
    expectRefused(await keys.tryAct(key.id as string, 'schedule-deletion', { days: 7 }), 409, 8)
    const kept = await keys.act(key.id, 'cancel-deletion')
    expect(kept.cloud_a_param.KeyState).toBe('Disabled')
    expect(kept).not.toHaveProperty('deletion_date')
    expectRefused(await keys.tryAct(key.id as string, 'cancel-deletion'), 409, 8)
    await keys.act(key.id as string, 'schedule-deletion', { days: 30 })
    expect(cloudA().seen(key).deletionAt?.getTime()).toBeCloseTo(Date.parse(cloudA().at(30 * DAY)), -5)
  })

  test('of a primary waits for its replicas', async () => {
    const primary = await native({ MultiRegion: true })
    await cloudA().replicate(primary)
    const waiting = await keys.act(primary.id, 'schedule-deletion', { days: 7 })
    expect(waiting.cloud_a_param.KeyState).toBe('PendingReplicaDeletion')
    expect((await keys.act(primary.id, 'cancel-deletion')).cloud_a_param.KeyState).toBe('Disabled')
  })

  test.each<[string, object, number]>([
    ['in less than 7 days', { days: 6 }, 422],
    ['in more than 30 days', { days: 31 }, 422],
    ['without days', {}, 422],
    ['in words', { days: '7' }, 400],
    ['in half a day more', { days: 7.5 }, 400],
  ])('is refused %s', async (_what, body, status) => {
    const key = await native()
    expectRefused(
      await keys.tryAct(key.id as string, 'schedule-deletion', body),
      status,
      status === 400 ? 1 : 2,
      '#/days',
    )
    expect(cloudA().seen(key).state).toBe('Enabled')
  })

  test('of a record is possible only for gone keys', async () => {
    const { admin } = cloudA()
    const key = await native()
    expectRefused(await admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8)
    await keys.act(key.id as string, 'schedule-deletion', { days: 7 })
    expectRefused(await admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8)
    const gone = await goneKey()
    expect(gone).toMatchObject({ gone: true, cloud_a_param: { KeyState: 'Enabled' } })
    const stale = await admin.call('DELETE', `${KEYS}/${gone.id}`, undefined, { 'if-match': '"1"' })
    expectRefused(stale, 412, 8)
    expect(await admin.ok('DELETE', `${KEYS}/${gone.id}`, undefined, { 'if-match': '"2"' })).toEqual({ status: 204 })
    expectRefused(await admin.call('GET', `${KEYS}/${gone.id}`), 404, 5)
    expectRefused(await admin.call('DELETE', `${KEYS}/${gone.id}`), 404, 5)
  })
})

describe('a key the cloud no longer has', () => {
  test.each<[string, object | undefined]>([
    ['enable', undefined],
    ['disable', undefined],
    ['schedule-deletion', { days: 7 }],
    ['cancel-deletion', undefined],
    ['add-tags', { tags: [{ tag_key: 'a', tag_value: 'b' }] }],
    ['remove-tags', { tags: ['a'] }],
    ['add-alias', { alias: 'a' }],
    ['delete-alias', { alias: 'a' }],
    ['update-description', { description: 'a' }],
    ['policy', { key_users: ['bob'] }],
    ['delete-material', {}],
    ['enable-auto-rotation', {}],
    ['disable-auto-rotation', undefined],
    ['update-primary-region', { PrimaryRegion: OTHER_REGION }],
    ['get-key-rotation-status', undefined],
    ['rotate', {}],
  ])('refuses %s', async (action, body) => {
    const gone = (await keys.list('?gone=true&limit=1')).resources[0] ?? (await goneKey())
    const refused = await keys.tryAct(gone.id as string, action, body)
    expectRefused(refused, 409, 8)
    expect(refused.body.detail).toBe('The cloud no longer has this key.')
  })
})

describe('refresh', () => {
  test('reads changes that others made at the cloud', async () => {
    const key = await native({ Tags: [{ TagKey: 'team', TagValue: 'one' }] })
    const { cloud, account } = cloudA()
    cloud.alter(account.id, REGION, key.cloud_a_param.KeyID as string, {
      description: 'done elsewhere',
      enabled: false,
      tags: { team: 'two' },
      aliases: ['alias/elsewhere'],
    })
    const fresh = await keys.act(key.id, 'refresh')
    expect(fresh.cloud_a_param).toMatchObject({
      Description: 'done elsewhere',
      KeyState: 'Disabled',
      Tags: [{ TagKey: 'team', TagValue: 'two' }],
      Alias: ['elsewhere'],
    })
    expect(await keys.get(key.id as string)).toEqual(fresh)
  })

  test('of an unchanged key writes nothing', async () => {
    const { admin } = cloudA()
    const key = await native()
    const answered = await admin.call('POST', `${KEYS}/${key.id}/refresh`)
    expect([answered.status, answered.headers.get('etag')]).toEqual([200, '"1"'])
    expect(answered.body).toEqual(key)
  })

  test('detects that a key is gone, and that it has returned', async () => {
    const { cloud, account } = cloudA()
    const gone = await goneKey()
    expect(gone.gone).toBe(true)
    expect((await keys.act(gone.id, 'refresh')).gone).toBe(true)
    const id = gone.cloud_a_param.KeyID as string
    cloud.seed({ account: account.id, region: REGION, count: 1, describe: () => ({ id }) })
    expect(await keys.act(gone.id, 'refresh')).toMatchObject({ id: gone.id, gone: false })
  })
})
