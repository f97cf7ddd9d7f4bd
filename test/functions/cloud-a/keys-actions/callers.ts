import { expect, test } from 'vitest'
import { expectRefused } from '../../vault/vault.ts'
import { CLOUD_A, keysOf } from '../cloud-a.ts'
import { native, cloudA, keys } from './set-up.ts'

test('of two concurrent actions on one key, the second is refused until the first ends', async () => {
  const key = await native()
  let second: any
  const watched = cloudA().cloud.inject({
    fault: 'observe',
    operation: 'DisableKey',
    times: 1,
    after: async () => {
      second = await keys.tryAct(key.id as string, 'add-alias', { alias: 'at-once' })
    },
  })
  const first = await keys.tryAct(key.id as string, 'disable')
  watched()
  expect(first.status).toBe(200)
  expectRefused(second, 409, 8)
  expect(cloudA().seen(key)).toMatchObject({ state: 'Disabled', aliases: [] })
  await keys.act(key.id as string, 'add-alias', { alias: 'at-once' })
})

test('every action needs its own permission on the container, and the view of the key', async () => {
  const { admin, user } = cloudA()
  const { holder, sub } = await user('actor', ['keymgr Users'])
  const theirs = keysOf(holder)
  const entry = await cloudA().entry('for actors')
  const key = await native({ Alias: 'acted-on' }, { kms: 'for actors' })
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
  const calls: readonly (readonly [permission: string, action: string, body?: object])[] = [
    ['keysynchronize', 'refresh'],
    ['keyupdate', 'disable'],
    ['keyupdate', 'enable'],
    ['keyupdate', 'add-tags', { tags: [{ tag_key: 'a', tag_value: 'b' }] }],
    ['keyupdate', 'remove-tags', { tags: ['a'] }],
    ['keyupdate', 'add-alias', { alias: 'acted-on-too' }],
    ['keyupdate', 'delete-alias', { alias: 'acted-on' }],
    ['keyupdate', 'update-description', { description: 'a' }],
    ['keyupdate', 'policy', { key_users: ['bob'] }],
    ['keyrotate', 'enable-auto-rotation', {}],
    ['keyrotate', 'disable-auto-rotation'],
    ['keydelete', 'schedule-deletion', { days: 7 }],
    ['keycanceldelete', 'cancel-deletion'],
  ]
  const ask = (action: string, body?: object) => theirs.tryAct(key.id as string, action, body)
  for (const [, action, body] of calls) expectRefused(await ask(action, body), 404, 5)
  await permit('viewbyok')
  expectRefused(await ask('disable'), 404, 5)
  await permit('viewnative')
  expect((await theirs.get(key.id as string)).id).toBe(key.id)
  expect((await ask('get-key-rotation-status')).status).toBe(200)
  const permitted = new Set<string>()
  for (const [permission, action, body] of calls) {
    if (!permitted.has(permission)) {
      const refused = await ask(action, body)
      expectRefused(refused, 403, 4)
      expect(refused.body.detail).toContain(permission)
      await permit(permission)
      permitted.add(permission)
    }
    expect((await ask(action, body)).status, action).toBe(200)
  }
  expectRefused(await ask('delete-material', {}), 403, 4)
})
