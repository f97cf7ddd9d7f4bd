import { expect, test } from 'vitest'
import { CLOUD_A, keysOf, OTHER_REGION } from '../cloud-a.ts'
import { refusedFor, STORES } from '../key-stores.ts'
import { tests, stores } from './set-up.ts'

test('a store over a cluster is found, created, connected with its password, gets a key, and is deleted', async () => {
  const { admin, cloud, account } = tests()
  const where = { kms: 'main', region: OTHER_REGION }
  const [cluster] = cloud.clustersIn(account.id, OTHER_REGION)
  if (cluster === undefined) throw new Error('The simulated cloud has no cluster')
  const unused = await admin.ok('POST', `${STORES}/get-unused-cloud-hsm-clusters`, where)
  expect(unused).toEqual({
    clusters: [{ cluster_id: cluster.id, state: 'ACTIVE', number_of_hsms: cluster.hsms, vpc_id: cluster.vpcId }],
  })
  await refusedFor(
    admin.call('POST', `${STORES}/get-unused-cloud-hsm-clusters`, { ...where, kms: 'none' }),
    404,
    5,
    '#/kms',
  )
  const cloud_a_param = {
    custom_key_store_type: 'CLOUD_A_HSM',
    cloud_hsm_cluster_id: cluster.id,
    key_store_password: cluster.kmsuserPassword,
    trust_anchor_certificate: cluster.trustAnchor,
  }
  await refusedFor(
    stores().tryCreate({
      name: 'modules',
      ...where,
      cloud_a_param: { ...cloud_a_param, trust_anchor_certificate: 'x' },
    }),
    422,
    16,
  )
  expect((await stores().list('?name=modules')).total).toBe(0)
  cloud.inject({ fault: 'server-error', operation: 'CreateCustomKeyStore', times: 20 })
  await refusedFor(stores().tryCreate({ name: 'modules', ...where, cloud_a_param }), 503, 16)
  cloud.reset()
  tests().advance(61_000)
  await tests().sweep() // has no password, so abandons it
  expect((await stores().list('?name=modules')).total).toBe(0)
  const made = await admin.ok('POST', STORES, { name: 'modules', ...where, cloud_a_param })
  expect(made).toMatchObject({
    type: 'CLOUD_A_HSM',
    linked_state: true,
    locally_hosted: false,
    version_count: 0,
    cloud_a_param: {
      custom_key_store_type: 'CLOUD_A_HSM',
      cloud_hsm_cluster_id: cluster.id,
      trust_anchor_certificate: cluster.trustAnchor,
      connection_state: 'DISCONNECTED',
    },
  })
  for (const absent of ['local_hosted_params', 'secret_access_key', 'access_key_id', 'credential_count'])
    expect(made).not.toHaveProperty(absent)
  expect(JSON.stringify(made)).not.toContain(cluster.kmsuserPassword)
  const { id } = made
  expect((await admin.ok('POST', `${STORES}/get-unused-cloud-hsm-clusters`, where)).clusters).toEqual([])
  expect((await stores().list('?custom_key_store_type=CLOUD_HSM')).resources).toMatchObject([{ id }])
  expect((await stores().list('?type=CLOUD_HSM,REMOTE')).resources).toMatchObject([{ id }])
  for (const action of ['block', 'unblock', 'rotate-credential']) await refusedFor(stores().tryAct(id, action), 409, 8)
  await refusedFor(admin.call('GET', `${STORES}/${id}/health`), 409, 8)
  await refusedFor(
    stores().tryUpdate(id, { local_hosted_params: { mtls_enabled: true } }),
    422,
    2,
    '#/local_hosted_params',
  )
  const early = { cloud_a_param: { Alias: 'in-modules' } }
  await refusedFor(stores().tryAct(id, 'create-cloud-a-key', early), 409, 8)

  const wrong = await stores().move(id, 'connect', { key_store_password: 'not-the-password' })
  expect(wrong.cloud_a_param.connection_error_details).toBe('INVALID_CREDENTIALS')
  await stores().move(id, 'disconnect')
  await stores().update(id, { cloud_a_param: { key_store_password: cluster.kmsuserPassword } })
  expect(await stores().move(id, 'connect')).toMatchObject({ cloud_a_param: { connection_state: 'CONNECTED' } })

  await refusedFor(stores().tryAct(id, 'create-cloud-a-key', { cloud_a_param: {} }), 422, 2, '#/cloud_a_param/Alias')
  const key = await stores().act(id, 'create-cloud-a-key', {
    cloud_a_param: { Alias: 'in-modules', Description: 'stands in hardware', Tags: [{ TagKey: 'a', TagValue: 'b' }] },
  })
  expect(key).toMatchObject({
    region: OTHER_REGION,
    key_type: 'symmetric',
    key_material_origin: 'native',
    custom_key_store_id: made.cloud_a_param.custom_key_store_id,
    cloud_a_param: {
      Origin: 'CLOUD_A_HSM',
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
      KeyState: 'Enabled',
      Alias: ['in-modules'],
      Description: 'stands in hardware',
    },
  })

  const { holder, sub } = await tests().user('destroyer', ['keymgr Users'])
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${CLOUD_A}/kms/${tests().kms.id}/update-acls`, {
      acls: [{ user_id: sub, permit: true, actions }],
    })
  await permit('keydelete', 'hyokkeydelete', 'keybulkoperation', 'viewcloudhsmkey')
  const days = { days: 7 }
  const bulk = { operation: 'schedulekeydeletion', keys: [key.id as string], ...days }
  await refusedFor(keysOf(holder).tryAct(key.id, 'schedule-deletion', days), 403, 4)
  await refusedFor(holder.call('POST', `${CLOUD_A}/bulkjob`, bulk), 403, 4)
  await permit('cloudhsmkeydelete')
  expect(await keysOf(holder).act(key.id, 'schedule-deletion', days)).toMatchObject({
    cloud_a_param: { KeyState: 'PendingDeletion' },
  })
  await keysOf(admin).act(key.id, 'cancel-deletion')

  await stores().move(id, 'disconnect')
  const refused = await refusedFor(stores().remove(id), 409, 16)
  expect(refused.body.detail).toContain('CustomKeyStoreHasCMKsException')
  expect((await keysOf(admin).list(`?custom_key_store_id=${made.cloud_a_param.custom_key_store_id}`)).total).toBe(1)
})
