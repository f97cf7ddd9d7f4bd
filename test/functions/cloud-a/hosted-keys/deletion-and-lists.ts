import { CreateKeyCommand } from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { expectRefused, type Holder } from '../../vault/vault.ts'
import { CLOUD_A, KEYS, keysOf } from '../cloud-a.ts'
import {
  tests,
  sourceKey,
  host,
  hoster,
  inFront,
  LOCAL_KEYS,
  apart,
  connected,
  tryHost,
  hostedBody,
  HOSTED,
  recorded,
} from './set-up.ts'

test('an unlinked key is deleted as a record; a linked one first waits for its deletion at the cloud', async () => {
  const { admin, advance } = tests()
  await sourceKey('goes')
  const key = await host('goes')
  expect(await hoster.ok('DELETE', `${KEYS}/${key.id}`)).toEqual({ status: 204 })
  expectRefused(await admin.call('GET', `${KEYS}/${key.id}`), 404, 5)
  const linked = await host('goes', inFront({ linked_state: true }))
  expectRefused(await admin.call('DELETE', `${KEYS}/${linked.id}`), 409, 8)
  await keysOf(admin).act(linked.id, 'schedule-deletion', { days: 7 })
  advance(8 * 24 * 3_600_000)
  const gone = await keysOf(admin).act(linked.id, 'refresh')
  expect(gone).toMatchObject({ gone: true, local_hosted_params: linked.local_hosted_params })
  expectRefused(await keysOf(admin).tryAct(linked.id, 'rotate', {}), 409, 8)
  expect(await admin.ok('DELETE', `${KEYS}/${linked.id}`)).toEqual({ status: 204 })
  expect(await host('goes', inFront({ linked_state: true }))).toMatchObject({ cloud_a_param: { KeyState: 'Enabled' } })
})

test('the local key of a hosted key, and the health check key of a store, cannot be deleted', async () => {
  const { admin } = tests()
  const first = await sourceKey('needed')
  const key = await host('needed')
  await admin.act('needed', 'versions', {})
  expectRefused(await admin.call('DELETE', `${LOCAL_KEYS}/needed`), 409, 10)
  await admin.update('needed', { undeletable: false, allVersions: true })
  for (const path of ['needed', `${first.id}?version=0`, 'needed?version=1', 'health']) {
    const refused = await admin.call('DELETE', `${LOCAL_KEYS}/${path}`)
    expectRefused(refused, 409, 9)
    expect(refused.body.detail).toMatch(path === 'health' ? /3 key stores/ : /1 hosted key\./)
  }
  await admin.ok('DELETE', `${KEYS}/${key.id}`)
  expect(await admin.remove('needed')).toEqual({ status: 204 })
})

test('lists filter hosted keys by store, link and block, and show them to callers with the view permission', async () => {
  const { admin, user, kms } = tests()
  await sourceKey('shown')
  const shown = await host('shown', { blocked: true })
  const idsOf = async (who: Holder, query: string) =>
    (await keysOf(who).list(`${query}&limit=-1`)).resources.map(({ id }: any) => id as string)
  expect(await idsOf(admin, `?custom_key_store_id=${apart.id}&blocked=true`)).toContain(shown.id)
  expect(await idsOf(admin, `?custom_key_store_id=${connected.id}`)).not.toContain(shown.id)
  expect(await idsOf(admin, '?linked_state=false')).toContain(shown.id)
  const linked = await idsOf(admin, '?linked_state=true')
  expect(linked).not.toContain(shown.id)
  const ref = connected.cloud_a_param.custom_key_store_id as string
  expect((await idsOf(admin, `?custom_key_store_id=${ref}`)).sort()).toEqual([...linked].sort())
  const native = await keysOf(admin).create({})
  expect(await idsOf(admin, '?blocked=false')).not.toContain(native.id)

  const { holder, sub } = await user('plain viewer', ['keymgr Users'])
  const acls = [{ user_id: sub, permit: true, actions: ['viewnative', 'viewbyok'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
  const plain = await idsOf(holder, '?kms=main')
  expect(plain).toContain(native.id)
  expect(plain).not.toContain(shown.id)
  expectRefused(await holder.call('GET', `${KEYS}/${shown.id}`), 404, 5)
  const hosted = await idsOf(hoster, '?kms=main')
  expect(hosted).toContain(shown.id)
  expect(hosted).not.toContain(native.id)
})

test('each action on hosted keys needs its permission in the container', async () => {
  const { admin, user, kms } = tests()
  const { holder, sub } = await user('looker', ['keymgr Users', 'Key Users'])
  const acls = [{ user_id: sub, permit: true, actions: ['viewhyokkey'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
  await sourceKey('of the looker', {}, holder)
  const own = await sourceKey('of the hoster', {}, hoster)
  expect(await tryHost(hostedBody('of the hoster'), holder)).toMatchObject({ status: 403 })
  const key = await hoster.ok('POST', HOSTED, hostedBody(own.id as string))
  expectRefused(await tryHost(hostedBody('of the looker'), hoster), 404, 5, '#/local_hosted_params/source_key_id')
  expect(await keysOf(holder).get(key.id)).toEqual(key)
  for (const [action, body] of [['block'], ['unblock'], ['link', {}], ['rotate', {}]] as const)
    expectRefused(await keysOf(holder).tryAct(key.id, action, body), 403, 4)
  expectRefused(await holder.call('DELETE', `${KEYS}/${key.id}`), 403, 4)
  expectRefused(await keysOf(hoster).tryAct(key.id, 'rotate', {}), 403, 4)
  await keysOf(hoster).act(key.id, 'block')
})

test('a synchronization keeps our fields of a hosted key, and creates no second record of it', async () => {
  const { admin, cloud, client, service } = tests()
  await sourceKey('read again')
  const key = await host('read again', inFront({ linked_state: true }))
  const before = await recorded()
  const foreign = new CreateKeyCommand({ Description: 'made outside' })
  await client().send(foreign)
  cloud.setDelays({ transit: 0 })
  await keysOf(admin).act(key.id, 'disable')
  await keysOf(admin).act(key.id, 'enable')
  await admin.ok('POST', `${CLOUD_A}/synchronization-jobs`, { kms: ['main'] })
  await service.deployment.flows.idle()
  expect(await recorded()).toBe(before + 1)
  expect(await keysOf(admin).get(key.id)).toMatchObject({
    custom_key_store_id: connected.id,
    local_hosted_params: key.local_hosted_params,
    local_key_name: 'read again',
    key_material_origin: 'keymgr',
  })
})
