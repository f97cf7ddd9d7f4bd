import { expect, test } from 'vitest'
import type { Answered } from '../../../support/service.ts'
import { expectRefused } from '../../vault/vault.ts'
import { CLOUD_A, KEYS, keysOf, REGION } from '../cloud-a.ts'
import { tests, STORES, apart, sourceKey, makeStore, tryHost, hostedBody, inFront, host } from './set-up.ts'

test('a store with hosted keys is not deleted', async () => {
  const { admin } = tests()
  expectRefused(await admin.call('DELETE', `${STORES}/${apart.id}`), 409, 9)
})

test('no key is added to a store during its deletion or creation', async () => {
  const { admin, cloud, advance, sweep } = tests()
  await sourceKey('homeless')
  const leaving = await makeStore('leaving', { linked_state: true })
  let beside: Answered | undefined
  cloud.inject({
    fault: 'observe',
    operation: 'DeleteCustomKeyStore',
    times: 1,
    after: async () => {
      beside = await tryHost(hostedBody('homeless', { custom_key_store_id: leaving.id }))
    },
  })
  expect(await admin.ok('DELETE', `${STORES}/${leaving.id}`)).toEqual({ status: 204 })
  expect(beside).toMatchObject({ status: 409, body: { code: 8 } })

  cloud.inject({ fault: 'server-error', operation: 'CreateCustomKeyStore', times: 20 })
  const cloud_a_param = { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' }
  const local_hosted_params = { health_check_key_id: 'health', max_credentials: 2 }
  const body = { name: 'waiting', kms: 'main', region: REGION, linked_state: true, cloud_a_param, local_hosted_params }
  expectRefused(await admin.call('POST', STORES, body), 503, 16)
  const [waiting] = (await admin.ok('GET', `${STORES}?name=waiting`)).resources
  expectRefused(await tryHost(hostedBody('homeless', { custom_key_store_id: waiting.id })), 409, 8)
  cloud.reset()
  cloud.inject({ fault: 'quota', operation: 'CreateCustomKeyStore', times: 1 })
  advance(61_000)
  await sweep()
  expectRefused(await admin.call('GET', `${STORES}/${waiting.id}`), 404, 5)
  expect((await keysOf(admin).list(`?custom_key_store_id=${leaving.id},${waiting.id}`)).total).toBe(0)
})

test('of a deletion of a store and the addition of a key, one succeeds', async () => {
  const { admin } = tests()
  await Promise.all(
    [1, 2, 3, 4].map(async (at) => {
      const name = `raced ${at}`
      await sourceKey(name)
      const { id } = await makeStore(name, { linked_state: at % 2 === 0 })
      const [hosting, removal] = await Promise.all([
        tryHost(hostedBody(name, { custom_key_store_id: id })),
        admin.call('DELETE', `${STORES}/${id}`),
      ])
      const kept = (await keysOf(admin).list(`?custom_key_store_id=${id}`)).total
      const there = (await admin.call('GET', `${STORES}/${id}`)).status
      expect([hosting.status === 201, removal.status === 200, kept, there]).toEqual(
        hosting.status === 201 ? [true, false, 1, 200] : [false, true, 0, 404],
      )
    }),
  )
})

test('while a key is being linked its entry is not archived', async () => {
  const { admin, cloud, kms, advance, sweep } = tests()
  await sourceKey('half linked')
  for (const begin of [
    () => tryHost(hostedBody('half linked', inFront({ linked_state: true }))),
    async () => {
      await sourceKey('linked later')
      return keysOf(admin).tryAct((await host('linked later', inFront())).id, 'link', {})
    },
  ]) {
    cloud.inject({ fault: 'server-error', operation: 'CreateKey', times: 20 })
    expectRefused(await begin(), 503, 16)
    const refused = await admin.call('POST', `${CLOUD_A}/kms/${kms.id}/archive`)
    expectRefused(refused, 409, 9)
    expect(refused.body.detail).toContain('is in progress')
    cloud.reset()
    advance(61_000)
    await sweep()
  }
})

test('in an archived entry a hosted key can only be blocked', async () => {
  const { admin, entry } = tests()
  const { id: kms } = await entry('put away')
  const store = await makeStore('put away', { kms: 'put away' })
  await sourceKey('put away')
  const key = await host('put away', { custom_key_store_id: store.id })
  await admin.ok('POST', `${STORES}/${store.id}/block`)
  await admin.ok('POST', `${CLOUD_A}/kms/${kms}/archive`)
  expect((await keysOf(admin).act(key.id, 'block')).local_hosted_params.blocked).toBe(true)
  expectRefused(await keysOf(admin).tryAct(key.id, 'unblock'), 409, 8)
  expectRefused(await admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8)
})

test('every change of a hosted key has an audit record', async () => {
  const { admin, records } = tests()
  await sourceKey('told')
  const key = await host('told')
  await keysOf(admin).act(key.id, 'block')
  await keysOf(admin).act(key.id, 'rotate', {})
  const told = await records(`resource_uri=${encodeURIComponent(key.uri as string)}`)
  expect(told.map(({ message }: any) => message as string)).toEqual([
    'Create Hosted Cloud-a Key',
    'Block Hosted Cloud-a Key',
    'Rotate Cloud-a Key',
  ])
})
