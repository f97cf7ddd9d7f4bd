import { expect, test } from 'vitest'
import { CLOUD_A } from '../cloud-a.ts'
import { external, refusedFor, storesOf, STORES } from '../key-stores.ts'
import { tests, stores } from './set-up.ts'

test('health shows the answer to a signed call, and fails with its key', async () => {
  const { admin } = tests()
  const { id: key } = await admin.create({ name: 'mortal', algorithm: 'aes', size: 256 })
  const { id } = await stores().create('checked', { local: { health_check_key_id: key } })
  expect(await admin.ok('GET', `${STORES}/${id}/health`)).toEqual({
    healthStatus: 'ACTIVE',
    xksProxyFleetSize: 1,
    xksProxyVendor: 'keymgr',
    xksProxyModel: expect.any(String),
    ekmVendor: 'keymgr',
    ekmFleetDetails: [{ id: expect.any(String), model: expect.any(String), healthStatus: 'ACTIVE' }],
  })
  await admin.act('mortal', 'revoke', { reason: 'Unspecified' })
  await refusedFor(admin.call('GET', `${STORES}/${id}/health`), 503, 17)
  expect(await stores().update(id, { local_hosted_params: { health_check_key_id: 'health' } })).toMatchObject({
    local_hosted_params: { health_check_key_id: (await admin.get('health')).id },
  })
  expect(await admin.ok('GET', `${STORES}/${id}/health`)).toMatchObject({ healthStatus: 'ACTIVE' })
  expect((await stores().remove(id)).status).toBe(200)
})

test('a health check with a local key needs a caller who may both encrypt and decrypt with it', async () => {
  const { admin, kms, user } = tests()
  const { id } = await stores().create('both ways')
  const { holder, sub } = await user('checker', ['keymgr Users', 'Key Users'])
  const acls = [{ user_id: sub, permit: true, actions: ['keystoreupdate'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
  const key = (name: string, permissions: object) =>
    admin.create({ name, algorithm: 'aes', size: 256, meta: { permissions } })
  const group = ['Key Users']
  await key('seals alone', { EncryptWithKey: group })
  await key('opens alone', { DecryptWithKey: group })
  await key('does both', { EncryptWithKey: group, DecryptWithKey: group })
  const check = (name: string) => storesOf(holder).tryUpdate(id, { local_hosted_params: { health_check_key_id: name } })
  for (const name of ['seals alone', 'opens alone']) await refusedFor(check(name), 403, 4)
  expect((await check('does both')).status).toBe(200)
  expect((await stores().remove(id)).status).toBe(200)
})

test('a local key that is deleted while it becomes a health check key is either kept or not used', async () => {
  const { admin, cloud } = tests()
  const made = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (at) => {
      const name = `contested-${at}`
      await admin.create({ name, algorithm: 'aes', size: 256 })
      const [creation, deletion] = await Promise.all([
        stores().tryCreate(external(name, { local: { health_check_key_id: name } })),
        admin.call('DELETE', `/v1/vault/keys2/${name}`),
      ])
      expect([creation.status, deletion.status]).toEqual(creation.status === 201 ? [201, 409] : [404, 200])
      return creation
    }),
  )
  for (const { status, body } of made) if (status === 201) await stores().remove(body.id as string)

  const store = await stores().create('keeps its key', { linked_state: true })
  const { id: key } = await admin.create({ name: 'gone meanwhile', algorithm: 'aes', size: 256 })
  cloud.inject({
    fault: 'observe',
    operation: 'UpdateCustomKeyStore',
    times: 1,
    after: async () => {
      expect(await admin.remove('gone meanwhile')).toEqual({ status: 204 })
    },
  })
  const body = { name: 'keeps another', local_hosted_params: { health_check_key_id: key } }
  await refusedFor(stores().tryUpdate(store.id, body), 404, 5, '#/local_hosted_params/health_check_key_id')
  expect((await stores().get(store.id)).local_hosted_params).toEqual(store.local_hosted_params)
  tests().advance(61_000)
  await tests().sweep() // abandons the update
  expect((await stores().remove(store.id)).status).toBe(200)
})

test('an entry is archived only while its stores are blocked, and they stay blocked until it is recovered', async () => {
  const { admin, entry } = tests()
  const { id: kms } = await entry('to be archived')
  const { id } = await stores().create('served', { kms: 'to be archived' })
  const { id: resting } = await stores().create('not served', { kms: 'to be archived', local: { blocked: true } })
  const refused = await refusedFor(admin.call('POST', `${CLOUD_A}/kms/${kms}/archive`), 409, 9)
  expect(refused.body.detail).toContain('1 custom key store that answers the cloud, such as served')
  await stores().act(id, 'block')
  await admin.ok('POST', `${CLOUD_A}/kms/${kms}/archive`)
  const unblocking = await refusedFor(stores().tryAct(id, 'unblock'), 409, 8)
  expect(unblocking.body.detail).toContain('is archived')
  const blocking = await refusedFor(stores().tryAct(id, 'block'), 409, 8)
  expect(blocking.body.detail).toContain('is blocked already')
  await admin.ok('POST', `${CLOUD_A}/kms/${kms}/recover`)
  expect(await stores().act(id, 'unblock')).toMatchObject({ local_hosted_params: { blocked: false } })
  const kept = await refusedFor(admin.call('DELETE', `${CLOUD_A}/kms/${kms}`), 409, 9)
  expect(kept.body.detail).toContain('has 2 custom key stores that are served from here, such as served')
  for (const one of [id, resting]) expect((await stores().remove(one)).status).toBe(200)
})
