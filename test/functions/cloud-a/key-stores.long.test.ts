import { DescribeCustomKeyStoresCommand } from '@aws-sdk/client-kms'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { CLOUD_A, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'
import { ENDPOINT, external, prepareStores, refusedFor, SERVED, storesOf, STORES } from './key-stores.ts'

const tests = useCloudA(SERVED)
const stores = () => storesOf(tests().admin)

beforeAll(() => prepareStores(tests()))

/** The cloud's own description of its stores in a region, by name. */
async function inCloud(region: string = REGION): Promise<Map<string, any>> {
  const { CustomKeyStores = [] } = await tests().client(region).send(new DescribeCustomKeyStoresCommand({}))
  return new Map(CustomKeyStores.map((store) => [store.CustomKeyStoreName ?? '', store]))
}

test('a store that is not linked is made with its credential, and no cloud is called', async () => {
  tests().cloud.reset()
  const made = await stores().create('first', { enable_success_audit_event: true, local: { max_credentials: '3' } })
  expect(tests().cloud.calls()).toEqual([])
  const { access_key_id, secret_access_key, ...store } = made
  expect(access_key_id).toMatch(/^[A-Z2-7]{20,30}$/)
  expect(secret_access_key).toMatch(/^[A-Za-z0-9/+=]{43,64}$/)
  const { id, createdAt, cloud_a_param, local_hosted_params, oldest_credential_id, ...rest } = store
  const path = `/api/v1/keymgr/cloud-a/xks-proxy-endpoints/${id}/kms/xks/v1`
  expect(path).toMatch(/^(\/[a-zA-Z0-9/_-]+\/kms\/xks\/v\d{1,2})$/)
  expect(path.length).toBeLessThanOrEqual(128)
  expect(cloud_a_param).toEqual({
    custom_key_store_name: 'first',
    custom_key_store_type: 'EXTERNAL_KEY_STORE',
    xks_proxy_uri_endpoint: ENDPOINT,
    xks_proxy_uri_path: path,
    xks_proxy_connectivity: 'PUBLIC_ENDPOINT',
  })
  const { health_check_ciphertext, health_check_key_id, ...local } = local_hosted_params
  expect(health_check_key_id).toBe((await tests().admin.get('health')).id)
  expect(Buffer.from(health_check_ciphertext as string, 'base64')).toHaveLength(12 + 19 + 16)
  expect(local).toEqual({
    blocked: false,
    policy: { reserved: false },
    linked_state: false,
    partition_label: '',
    partition_id: '',
    source_container_id: ROOT_DOMAIN_ID,
    source_container_type: 'local',
    health_check_uri_path: `${path}/health`,
    max_credentials: 3,
    source_key_tier: 'local',
    mtls_enabled: false,
  })
  expect(rest).toEqual({
    uri: expect.stringMatching(new RegExp(`^keymgr:.+:keymgr:cloud-a-custom-key-store:${id}$`)),
    account: expect.any(String),
    application: expect.any(String),
    devAccount: expect.any(String),
    updatedAt: createdAt,
    name: 'first',
    kms: 'main',
    kms_id: tests().kms.id,
    region: REGION,
    type: 'LOCAL',
    locally_hosted: true,
    linked_state: false,
    credential_version: 1,
    credential_count: 1,
    version_count: 1,
    cloud_name: 'cloud-a',
    enable_success_audit_event: true,
    gone: false,
  })
  expect(await stores().get(id)).toEqual(store)
  expect((await stores().credentials(id)).resources).toEqual([
    expect.objectContaining({ id: oldest_credential_id, access_key_id, version: 1, is_latest: true }),
  ])
  const record = (await tests().records('message=Create%20Cloud-a%20Custom%20Key%20Store&success=true')).at(-1)
  expect(record.details).toMatchObject({ resource_name: 'first', after: { type: 'LOCAL', linked_state: false } })
  expect((await stores().remove(id)).status).toBe(200)
})

test.each([
  ['a container that is not there', { kms: 'none' }, 404, 5, ['#/kms']],
  ['a region that the container does not have', { region: 'ap-south-1' }, 422, 2, ['#/region']],
  [
    'no health check key',
    { local: { health_check_key_id: 'none' } },
    404,
    5,
    ['#/local_hosted_params/health_check_key_id'],
  ],
  [
    'a health check key of 128 bits',
    { local: { health_check_key_id: 'short' } },
    422,
    2,
    ['#/local_hosted_params/health_check_key_id'],
  ],
  [
    'a health check key for xts',
    { local: { health_check_key_id: 'of a disk' } },
    422,
    2,
    ['#/local_hosted_params/health_check_key_id'],
  ],
  [
    'a health check key that is no AES key',
    { local: { health_check_key_id: 'pair' } },
    422,
    2,
    ['#/local_hosted_params/health_check_key_id'],
  ],
  [
    'a health check key that may not decrypt',
    { local: { health_check_key_id: 'one-way' } },
    422,
    2,
    ['#/local_hosted_params/health_check_key_id'],
  ],
  [
    'a health check key that is not active',
    { local: { health_check_key_id: 'idle' } },
    422,
    2,
    ['#/local_hosted_params/health_check_key_id'],
  ],
  ['one credential', { local: { max_credentials: 1 } }, 422, 2, ['#/local_hosted_params/max_credentials']],
  ['21 credentials', { local: { max_credentials: '21' } }, 422, 2, ['#/local_hosted_params/max_credentials']],
  ['another tier', { local: { source_key_tier: 'hsm' } }, 422, 2, ['#/local_hosted_params/source_key_tier']],
  [
    'an endpoint with a path',
    { cloud: { xks_proxy_uri_endpoint: `${ENDPOINT}/x` } },
    422,
    2,
    ['#/cloud_a_param/xks_proxy_uri_endpoint', '#/cloud_a_param/xks_proxy_uri_endpoint'],
  ],
  [
    'an endpoint without TLS',
    { cloud: { xks_proxy_uri_endpoint: 'http://xks.keymgr.test' } },
    422,
    2,
    ['#/cloud_a_param/xks_proxy_uri_endpoint'],
  ],
  [
    'an endpoint that leaves no room for its keys',
    { cloud: { xks_proxy_uri_endpoint: `https://${'a'.repeat(60)}.${'b'.repeat(50)}.test` } },
    422,
    2,
    ['#/cloud_a_param/xks_proxy_uri_endpoint'],
  ],
  [
    'a path of its own',
    { cloud: { xks_proxy_uri_path: '/own/kms/xks/v1' } },
    422,
    2,
    ['#/cloud_a_param/xks_proxy_uri_path'],
  ],
  [
    'a VPC without its service',
    { cloud: { xks_proxy_connectivity: 'VPC_ENDPOINT_SERVICE' } },
    422,
    2,
    ['#/cloud_a_param/xks_proxy_vpc_endpoint_service_name'],
  ],
  [
    'a cluster',
    { cloud: { cloud_hsm_cluster_id: 'cluster-2345672345a' } },
    422,
    2,
    ['#/cloud_a_param/cloud_hsm_cluster_id'],
  ],
  [
    'a blocked store that is to be linked',
    { linked_state: true, local: { blocked: true } },
    422,
    2,
    ['#/local_hosted_params/blocked'],
  ],
  ['an unknown field', { shoe: 1 }, 400, 1, ['#/shoe']],
] as const)('creation refuses %s', async (_what, more, status, code, pointers) => {
  const before = (await stores().list()).total
  await refusedFor(stores().tryCreate(external('refused', more)), status, code, ...pointers)
  expect((await stores().list()).total).toBe(before)
})
beforeAll(async () => {
  const { admin } = tests()
  await admin.create({ name: 'short', algorithm: 'aes', size: 128 })
  await admin.create({ name: 'of a disk', xts: true })
  await admin.create({ name: 'pair', algorithm: 'ec' })
  await admin.create({ name: 'one-way', algorithm: 'aes', size: 256, usageMask: 4 })
  await admin.create({ name: 'idle', algorithm: 'aes', size: 256, activationDate: tests().at(86_400_000) })
})

test('a hardware store without what it needs, and one with what it has no use for, are refused', async () => {
  const body = { name: 'bare', kms: 'main', region: REGION, cloud_a_param: { custom_key_store_type: 'CLOUD_A_HSM' } }
  await refusedFor(
    stores().tryCreate(body),
    422,
    2,
    '#/cloud_a_param/cloud_hsm_cluster_id',
    '#/cloud_a_param/key_store_password',
    '#/cloud_a_param/trust_anchor_certificate',
  )
  await refusedFor(
    stores().tryCreate({
      ...external('bare'),
      cloud_a_param: {
        custom_key_store_type: 'CLOUD_HSM',
        cloud_hsm_cluster_id: 'cluster-2345672345a',
        key_store_password: 'password-1',
        trust_anchor_certificate: 'x',
        xks_proxy_uri_endpoint: ENDPOINT,
      },
    }),
    422,
    2,
    '#/cloud_a_param/xks_proxy_uri_endpoint',
    '#/local_hosted_params',
  )
})

test('a linked store lives its life: made, connected, renamed, disconnected, moved and deleted, here and in the cloud', async () => {
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

test('a creation that is interrupted is finished by the sweeper, and the same request learns of it', async () => {
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

test('a blocked store is not linked, connected or healthy, and none of it can be done twice', async () => {
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

test('health says what a signed call would be told, and fails with its key', async () => {
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

test('to be checked with a local key, a store needs a caller who may both encrypt and decrypt with it', async () => {
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

test('a local key that is deleted just when a store is to be checked with it is either kept or not used', async () => {
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

test('an entry is archived only while its stores are blocked, and they stay so until it is recovered', async () => {
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

test('a connection that fails says why, is let go of, mended and made', async () => {
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

test('an update changes what it names, and refuses what the store has no use for', async () => {
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

test('a store over a cluster: found, made, connected with its password, given a key, and let go', async () => {
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

const JOBS = `${STORES}/synchronization-jobs`

async function synchronize(body: object = { kms: ['main'], regions: [REGION] }): Promise<any> {
  const { admin, service } = tests()
  const { id } = await admin.ok('POST', JOBS, body)
  await service.deployment.flows.idle()
  return admin.ok('GET', `${JOBS}/${id}`)
}

test('stores made by others come in, follow the cloud, and are gone with it; ours stay ours', async () => {
  const { admin, kms, entry } = tests()
  const ours = await stores().create('ours', { linked_state: true })
  const second = await entry('second', { regions: [REGION] })
  const first = await synchronize({ kms: ['second'] })
  expect(first, JSON.stringify(first)).toMatchObject({
    overall_status: 'completed',
    added: 1,
    updated: 0,
    gone: 0,
    cloud_name: 'cloud-a',
  })
  const [remote] = (await stores().list('?kms=second')).resources
  expect(remote).toMatchObject({
    type: 'REMOTE',
    linked_state: true,
    locally_hosted: false,
    name: `ours ${remote.id}`,
    kms_id: second.id,
    cloud_a_param: { ...ours.cloud_a_param, custom_key_store_name: 'ours' },
  })
  expect((await stores().list('?kms=second&type=LOCAL')).total).toBe(0)
  for (const [action, body] of [['block'], ['rotate-credential'], ['link', {}]] as const)
    await refusedFor(stores().tryAct(remote.id, action, body), 409, 8)
  expect(await synchronize({ kms: ['second'] })).toMatchObject({ added: 0, updated: 0, gone: 0 })
  expect(await synchronize()).toMatchObject({ added: 0, updated: 0, gone: 0 })

  await stores().update(ours.id, { name: 'ours-2' })
  expect(await synchronize({ kms: ['second'] })).toMatchObject({ added: 0, updated: 1, gone: 0 })
  expect(await stores().get(remote.id)).toMatchObject({ cloud_a_param: { custom_key_store_name: 'ours-2' } })
  expect((await admin.ok('GET', `${JOBS}?overall_status=completed&limit=1`)).resources[0].kms).toEqual(['second'])
  expect((await admin.ok('GET', `${CLOUD_A}/synchronization-jobs`)).total).toBe(0)
  await refusedFor(admin.call('GET', `${CLOUD_A}/synchronization-jobs/${first.id}`), 404, 5)
  await refusedFor(admin.call('POST', `${JOBS}/${first.id}/cancel`), 409, 8)
  await refusedFor(admin.call('POST', JOBS, { kms: ['none'] }), 404, 5, '#/kms/0')
  await refusedFor(admin.call('POST', JOBS, {}), 422, 2, '#/kms')

  await refusedFor(admin.call('DELETE', `${CLOUD_A}/kms/${kms.id}`), 409, 9)
  await refusedFor(admin.call('PATCH', `${CLOUD_A}/kms/${kms.id}`, { regions: [OTHER_REGION] }), 409, 9)
  expect((await stores().remove(ours.id)).status).toBe(200)
  expect(await synchronize({ kms: ['second'] })).toMatchObject({ added: 0, updated: 0, gone: 1 })
  expect(await stores().get(remote.id)).toMatchObject({ gone: true })
  await refusedFor(stores().tryAct(remote.id, 'connect', {}), 409, 8)
  await admin.ok('POST', `${CLOUD_A}/kms/${second.id}/archive`)
  await refusedFor(stores().tryCreate(external('archived', { kms: 'second' })), 409, 8)
  await refusedFor(stores().remove(remote.id), 409, 8)
  expect((await admin.call('DELETE', `${CLOUD_A}/kms/${second.id}`)).status).toBe(200)
  expect((await stores().list('?kms=second')).total).toBe(0)
})

test('a permission on the stores of a container allows its one action, and reading them', async () => {
  const { admin, kms, user } = tests()
  const store = await stores().create('guarded')
  const { holder, sub } = await user('keeper', ['keymgr Users', 'Key Users'])
  const own = storesOf(holder)
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
  await refusedFor(holder.call('GET', `${STORES}/${store.id}`), 404, 5)
  expect((await own.list()).total).toBe(0)
  await refusedFor(own.tryCreate(external('theirs')), 404, 5, '#/kms')
  await permit('viewkeystore')
  expect(await own.get(store.id)).toEqual(await stores().get(store.id))
  expect((await own.list('?name=guarded')).resources).toEqual([await stores().get(store.id)])
  expect((await own.credentials(store.id)).total).toBe(1)
  expect((await holder.call('GET', `${STORES}/${store.id}/health`)).status).toBe(200)
  const [{ id: credential }] = (await own.credentials(store.id)).resources
  const tries = {
    keystoreadd: () => own.tryCreate(external('theirs')),
    keystoreupdate: () => own.tryUpdate(store.id, { name: 'guarded-2' }),
    keystoreblock: () => own.tryAct(store.id, 'block'),
    keystoreunblock: () => own.tryAct(store.id, 'unblock'),
    keystorelink: () => own.tryAct(store.id, 'link', {}),
    keystoreconnect: () => own.tryAct(store.id, 'connect', {}),
    keystoredisconnect: () => own.tryAct(store.id, 'disconnect'),
    cloudhsmkeycreate: () => own.tryAct(store.id, 'create-cloud-a-key', { cloud_a_param: { Alias: 'theirs' } }),
    keysynchronize: () => holder.call('POST', JOBS, { kms: ['main'] }),
    keystoredelete: () => own.remove(store.id),
  }
  for (const refused of [
    own.tryAct(store.id, 'rotate-credential'),
    holder.call('DELETE', `${STORES}/${store.id}/credentials/${credential}`),
  ])
    await refusedFor(refused, 403, 4)
  tests().cloud.setDelays({ connection: 0 })
  for (const [action, attempt] of Object.entries(tries)) {
    await refusedFor(attempt(), 403, 4)
    await permit(action)
    const { status } = await attempt()
    // a permitted call may still be refused because of the store's kind: this one has no hardware
    const expected: Record<string, number> = {
      keystoreadd: 404,
      cloudhsmkeycreate: 409,
      keysynchronize: 201,
      keystoreconnect: 202,
      keystoredisconnect: 202,
      keystoredelete: 200,
    }
    expect(status, action).toBe(expected[action] ?? 200)
  }
  await tests().service.deployment.flows.idle()
  await refusedFor(tests().admin.call('GET', `${STORES}/guarded`), 400, 1, 'id')
})
