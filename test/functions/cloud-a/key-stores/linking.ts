import { expect, test } from 'vitest'
import { ENDPOINT, external, refusedFor, STORES } from '../key-stores.ts'
import { stores, inCloud, tests } from './set-up.ts'

test('a linked store is created, connected, renamed, disconnected, moved and deleted, here and in the cloud', async () => {
  const made = await stores().create('linked', { linked_state: true })
  expect(made).toMatchObject({
    linked_state: true,
    local_hosted_params: { linked_state: true },
    cloud_a_param: { connection_state: 'DISCONNECTED', custom_key_store_name: 'linked' },
  })
  const { id } = made
  const there = (await inCloud()).get('linked')
  expect(there).toMatchObject({
    CustomKeyStoreId: made.cloud_a_param.custom_key_store_id,
    CustomKeyStoreType: 'EXTERNAL_KEY_STORE',
    XksProxyConfiguration: {
      AccessKeyId: made.access_key_id,
      UriEndpoint: ENDPOINT,
      UriPath: made.cloud_a_param.xks_proxy_uri_path,
      Connectivity: 'PUBLIC_ENDPOINT',
    },
  })
  expect((await stores().credentials(id)).resources).toMatchObject([{ in_use_by_cloud: true }])
  await refusedFor(stores().tryAct(id, 'link', {}), 409, 8)
  await refusedFor(stores().tryAct(id, 'disconnect'), 409, 8)
  await refusedFor(stores().tryAct(id, 'connect', { key_store_password: 'password-1' }), 422, 2, '#/key_store_password')
  const begun = await stores().tryAct(id, 'connect', {})
  expect(begun).toMatchObject({ status: 202, body: { cloud_a_param: { connection_state: 'CONNECTING' } } })
  expect(begun.body).not.toHaveProperty('secret_access_key')
  await refusedFor(stores().tryAct(id, 'connect', {}), 409, 8)
  await stores().get(id)
  expect(await stores().get(id)).toMatchObject({ cloud_a_param: { connection_state: 'CONNECTED' } })
  await refusedFor(stores().tryAct(id, 'connect', {}), 409, 8)
  await refusedFor(stores().remove(id), 409, 8)

  const renamed = await stores().update(id, { name: 'linked-2' })
  expect(renamed).toMatchObject({ name: 'linked-2', cloud_a_param: { custom_key_store_name: 'linked-2' } })
  expect([...(await inCloud()).keys()]).toContain('linked-2')
  const elsewhere = { cloud_a_param: { xks_proxy_uri_endpoint: 'https://second.keymgr.test' } }
  await refusedFor(stores().tryUpdate(id, elsewhere), 409, 8)
  expect(await stores().update(id, { enable_success_audit_event: true })).toMatchObject({
    enable_success_audit_event: true,
    cloud_a_param: { connection_state: 'CONNECTED' },
  })

  expect(await stores().move(id, 'disconnect')).toMatchObject({ cloud_a_param: { connection_state: 'DISCONNECTED' } })
  expect(await stores().update(id, elsewhere)).toMatchObject(elsewhere)
  expect((await inCloud()).get('linked-2')?.XksProxyConfiguration?.UriEndpoint).toBe('https://second.keymgr.test')
  await refusedFor(
    stores().tryUpdate(id, { cloud_a_param: { xks_proxy_uri_endpoint: 'https://none.example' } }),
    422,
    16,
  )
  expect(await stores().get(id)).toMatchObject(elsewhere)

  expect((await stores().remove(id)).body).toEqual({ status: 204 })
  expect((await inCloud()).has('linked-2')).toBe(false)
  await refusedFor(tests().admin.call('GET', `${STORES}/${id}`), 404, 5)
})

test('a link that the cloud refuses leaves nothing behind, and the name stays free', async () => {
  const nowhere = { linked_state: true, cloud: { xks_proxy_uri_endpoint: 'https://nowhere.example' } }
  const refused = await refusedFor(stores().tryCreate(external('unreachable', nowhere)), 422, 16)
  expect(refused.body.detail).toContain('XksProxyUriUnreachableException')
  expect((await stores().list('?name=unreachable')).total).toBe(0)
  expect((await inCloud()).has('unreachable')).toBe(false)

  const { id } = await stores().create('unreachable', { cloud: nowhere.cloud })
  await refusedFor(stores().tryAct(id, 'link', {}), 422, 16)
  expect(await stores().get(id)).toMatchObject({ linked_state: false })
  await refusedFor(stores().tryAct(id, 'connect', {}), 409, 8)
  const body = { cloud_a_param: { xks_proxy_uri_endpoint: ENDPOINT } }
  expect(await stores().act(id, 'link', body)).toMatchObject({
    linked_state: true,
    cloud_a_param: { xks_proxy_uri_endpoint: ENDPOINT, connection_state: 'DISCONNECTED' },
  })
  expect((await stores().remove(id)).status).toBe(200)
})

test.each([
  ['unanswered', 'cut-after'],
  ['unread', 'bad-json'],
] as const)('a creation whose answer from the cloud is %s makes one store all the same', async (name, fault) => {
  const { cloud, admin } = tests()
  cloud.inject({ fault, operation: 'CreateCustomKeyStore', times: 1 })
  const headers = { 'idempotency-key': name }
  const made = await admin.call('POST', STORES, external(name, { linked_state: true }), headers)
  cloud.reset()
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect((await inCloud()).get(name)?.CustomKeyStoreId).toBe(made.body.cloud_a_param.custom_key_store_id)
  const again = await admin.call('POST', STORES, external(name, { linked_state: true }), headers)
  expect(again).toMatchObject({ status: 201, body: made.body })
  expect((await stores().remove(made.body.id)).status).toBe(200)
})

test('the sweeper finishes an interrupted creation, and the same request returns its outcome', async () => {
  const { cloud, admin, advance, sweep } = tests()
  cloud.inject({ fault: 'server-error', operation: 'CreateCustomKeyStore', times: 20 })
  const body = external('interrupted', { linked_state: true })
  await refusedFor(admin.call('POST', STORES, body), 503, 16)
  cloud.reset()
  advance(61_000)
  await sweep()
  const made = await admin.call('POST', STORES, body)
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { linked_state: true } })
  expect(made.body.secret_access_key).toMatch(/^[A-Za-z0-9/+=]{43,64}$/)
  expect((await inCloud()).has('interrupted')).toBe(true)
  expect((await stores().list('?name=interrupted')).total).toBe(1)
  expect((await stores().remove(made.body.id)).status).toBe(200)
})

test('a blocked store cannot be linked, connected or healthy, and no action is possible twice', async () => {
  const { id } = await stores().create('blocked', { local: { blocked: true } })
  await refusedFor(stores().tryAct(id, 'block'), 409, 8)
  await refusedFor(stores().tryAct(id, 'link', {}), 409, 8)
  await refusedFor(tests().admin.call('GET', `${STORES}/${id}/health`), 409, 8)
  expect(await stores().act(id, 'unblock')).toMatchObject({ local_hosted_params: { blocked: false } })
  await refusedFor(stores().tryAct(id, 'unblock'), 409, 8)
  await stores().act(id, 'link')
  expect(await stores().act(id, 'block')).toMatchObject({ local_hosted_params: { blocked: true } })
  await refusedFor(stores().tryAct(id, 'connect', {}), 409, 8)
  await stores().act(id, 'unblock')
  const begun = await stores().tryAct(id, 'connect') // without a body, as all its fields are optional
  expect(begun.status, JSON.stringify(begun.body)).toBe(202)
  await stores().move(id, 'disconnect')
  expect((await stores().remove(id)).status).toBe(200)
})
