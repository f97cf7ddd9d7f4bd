import { expect, test } from 'vitest'
import { external, refusedFor, STORES } from '../key-stores.ts'
import { tests, stores } from './set-up.ts'

test('a failed connection shows its reason, is ended, repaired and made again', async () => {
  const { admin, cloud } = tests()
  const { id } = await stores().create('failing', { linked_state: true })
  await admin.create({ name: 'brief', algorithm: 'aes', size: 256 })
  await stores().update(id, { local_hosted_params: { health_check_key_id: 'brief' } })
  await admin.act('brief', 'revoke', { reason: 'Unspecified' })
  tests().advance(6_000) // cached state of the store in the proxy has then expired
  const failed = await stores().move(id, 'connect')
  expect(failed.cloud_a_param).toMatchObject({
    connection_state: 'FAILED',
    connection_error_details: 'XKS_PROXY_NOT_REACHABLE',
  })
  await refusedFor(stores().tryAct(id, 'connect', {}), 409, 8)
  const renaming = await refusedFor(stores().tryUpdate(id, { name: 'failed' }), 409, 16)
  expect(renaming.body.detail, 'the cloud was asked').toContain('CustomKeyStoreInvalidStateException')
  expect(await stores().get(id)).toMatchObject({ name: 'failing' })
  await stores().update(id, { local_hosted_params: { health_check_key_id: 'health' } })
  tests().advance(6_000)
  const rested = await stores().move(id, 'disconnect')
  expect(rested.cloud_a_param.connection_state).toBe('DISCONNECTED')
  expect(rested.cloud_a_param).not.toHaveProperty('connection_error_details')
  cloud.setDelays({ connection: 1 })
  const begun = await stores().tryAct(id, 'connect', {})
  expect(begun.body.cloud_a_param.connection_state).toBe('CONNECTING')
  tests().advance(61_000)
  await tests().sweep()
  cloud.setDelays({ connection: 2 })
  const [listed] = (await stores().list('?name=failing&connection_state=CONNECTED')).resources
  expect(listed, 'the sweeper learnt of it').toMatchObject({ id })
  await stores().move(id, 'disconnect')
  expect((await stores().remove(id)).status).toBe(200)
})

test('an update changes the given fields, and refuses fields that the store does not use', async () => {
  const { id } = await stores().create('plain')
  const { id: other } = await stores().create('taken')
  await refusedFor(stores().tryUpdate(id, { name: 'taken' }), 409, 7, '#/name')
  await refusedFor(stores().tryCreate(external('taken')), 409, 7, '#/name')
  expect(await stores().update(id, { name: 'plain' })).toMatchObject({ name: 'plain' })
  await refusedFor(
    stores().tryUpdate(id, {
      cloud_a_param: { cloud_hsm_cluster_id: 'cluster-1a23b4cdefg', key_store_password: 'password' },
    }),
    422,
    2,
    '#/cloud_a_param/cloud_hsm_cluster_id',
    '#/cloud_a_param/key_store_password',
  )
  const service = 'com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0'
  const pointer = '#/cloud_a_param/xks_proxy_vpc_endpoint_service_name'
  const vpc = { xks_proxy_connectivity: 'VPC_ENDPOINT_SERVICE' }
  await refusedFor(stores().tryUpdate(id, { cloud_a_param: vpc }), 422, 2, pointer)
  await refusedFor(
    stores().tryUpdate(id, { cloud_a_param: { xks_proxy_vpc_endpoint_service_name: service } }),
    422,
    2,
    pointer,
  )
  const inVpc = { ...vpc, xks_proxy_vpc_endpoint_service_name: service }
  expect(await stores().update(id, { cloud_a_param: inVpc })).toMatchObject({ cloud_a_param: inVpc })
  const back = await stores().update(id, { cloud_a_param: { xks_proxy_connectivity: 'PUBLIC_ENDPOINT' } })
  expect(back.cloud_a_param).not.toHaveProperty('xks_proxy_vpc_endpoint_service_name')
  await refusedFor(
    stores().tryUpdate(id, {
      cloud_a_param: { xks_proxy_uri_endpoint: `https://${'a'.repeat(60)}.${'b'.repeat(50)}.test` },
    }),
    422,
    2,
    '#/cloud_a_param/xks_proxy_uri_endpoint',
  )
  await refusedFor(
    stores().tryUpdate(id, { local_hosted_params: { health_check_key_id: 'none' } }),
    404,
    5,
    '#/local_hosted_params/health_check_key_id',
  )
  expect(await stores().update(id, { local_hosted_params: { mtls_enabled: true, max_credentials: 20 } })).toMatchObject(
    {
      local_hosted_params: { mtls_enabled: true, max_credentials: 20, blocked: false },
    },
  )
  const stale = { 'if-match': '"1"' }
  for (const [method, body] of [
    ['PATCH', { name: 'later' }],
    ['DELETE', undefined],
  ] as const)
    await refusedFor(tests().admin.call(method, `${STORES}/${id}`, body, stale), 412, 8)
  await refusedFor(stores().tryUpdate(id, { kms: 'other' }), 400, 1, '#/kms')
  for (const one of [id, other]) expect((await stores().remove(one)).status).toBe(200)
})
