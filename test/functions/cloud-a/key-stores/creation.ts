import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { REGION } from '../cloud-a.ts'
import { ENDPOINT, external, refusedFor } from '../key-stores.ts'
import { tests, stores } from './set-up.ts'

test('an unlinked store is created with its credential, and no cloud is called', async () => {
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

test('a hardware store with missing or superfluous fields is refused', async () => {
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
