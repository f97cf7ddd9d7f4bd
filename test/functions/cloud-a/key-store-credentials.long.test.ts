import { DescribeCustomKeyStoresCommand } from '@aws-sdk/client-kms'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { sealedUnder } from '../../../shared/keyring/sealing.ts'
import { customKeyStores } from '../../../shared/clouds/cloud-a/key-stores/store.ts'
import { childAdmin } from '../../support/callers.ts'
import { Holder } from '../vault/vault.ts'
import { useTableOf } from './accounts.ts'
import { CLOUD_A, REGION, useCloudA } from './cloud-a.ts'
import { callSigned, external, prepareStores, refusedFor, SERVED, storesOf, STORES, type Pair } from './key-stores.ts'

const tests = useCloudA(SERVED)
const stores = () => storesOf(tests().admin)

beforeAll(() => prepareStores(tests()))

/** The answer to a call of the cloud that is signed with this pair. */
const signedCall = (store: any, pair: Pair) => callSigned(tests(), store, pair)
const OPEN = [200, undefined]
const SHUT = [401, 'AuthenticationFailedException']
/** After this time, no cached state of a store is left. */
const letPass = (): void => tests().advance(5_001)

const inCloud = async (store: any): Promise<any> => {
  const CustomKeyStoreId = store.cloud_a_param.custom_key_store_id as string
  const { CustomKeyStores = [] } = await tests().client().send(new DescribeCustomKeyStoresCommand({ CustomKeyStoreId }))
  return CustomKeyStores[0]
}

test('every pair is valid until there are too many, and the secret is shown once', async () => {
  const first = await stores().create('rotated')
  const { id } = first
  expect(await signedCall(first, first)).toEqual(OPEN)
  tests().cloud.reset()
  const second = await stores().act(id, 'rotate-credential')
  expect(second).toMatchObject({ credential_version: 2, credential_count: 2, version_count: 2 })
  expect(second.access_key_id).toMatch(/^[A-Z2-7]{20,30}$/)
  expect(second.secret_access_key).toMatch(/^[A-Za-z0-9/+=]{43,64}$/)
  expect([second.access_key_id, second.secret_access_key]).not.toContain(first.access_key_id)
  for (const pair of [first, second]) expect(await signedCall(first, pair)).toEqual(OPEN)
  const third = await stores().act(id, 'rotate-credential')
  expect(third).toMatchObject({ credential_version: 3, credential_count: 2, version_count: 3 })
  letPass()
  expect(await signedCall(first, first)).toEqual(SHUT)
  for (const pair of [second, third]) expect(await signedCall(first, pair)).toEqual(OPEN)
  expect(tests().cloud.calls()).toEqual([])
  expect(await stores().get(id)).not.toHaveProperty('secret_access_key')
  const [record] = await tests().records('message=Rotate%20Cloud-a%20Custom%20Key%20Store%20Credential&success=true')
  expect(record.details).toMatchObject({ resource_name: 'rotated', after: { version_count: 2 } })
  expect((await stores().remove(id)).status).toBe(200)
  letPass()
  expect(await signedCall(first, third)).toEqual([404, 'InvalidUriPathException'])
})

test('a credential shows its last use, to within a quarter of an hour', async () => {
  const store = await stores().create('used')
  const { id } = store
  const second = await stores().act(id, 'rotate-credential')
  const uses = async (): Promise<(string | undefined)[]> => {
    await tests().service.deployment.logsDelivered()
    return ((await stores().credentials(id)).resources as any[]).map((one) => one.last_used_at as string | undefined)
  }
  const call = async (pair: Pair): Promise<string> => {
    const at = tests().at(0)
    expect(await signedCall(store, pair)).toEqual(OPEN)
    return at
  }
  const { updatedAt } = await stores().get(id)
  expect(await uses()).toEqual([undefined, undefined])
  const first = await call(store)
  await expect.poll(async () => (await uses())[0]).toBeDefined()
  const [noted, never] = await uses()
  expect(Math.abs(Date.parse(noted ?? '') - Date.parse(first))).toBeLessThan(60_000)
  expect(never).toBeUndefined()
  tests().advance(5 * 60_000)
  await call(store)
  await call(second)
  await expect.poll(async () => (await uses())[1]).toBeDefined()
  expect((await uses())[0]).toBe(noted)
  tests().advance(11 * 60_000)
  await call(store)
  await expect.poll(async () => (await uses())[0]).not.toBe(noted)
  expect(await signedCall(store, { ...store, secret_access_key: 'x'.repeat(44) })).toEqual(SHUT)
  expect((await stores().get(id)).updatedAt).toBe(updatedAt)
  expect((await stores().remove(id)).status).toBe(200)
})

test('credentials are listed without secrets, and go one by one, the newest never', async () => {
  const { admin } = tests()
  const first = await stores().create('listed', { local: { max_credentials: 4 } })
  const { id } = first
  const second = await stores().act(id, 'rotate-credential')
  const third = await stores().act(id, 'rotate-credential')
  const listed = await stores().credentials(id)
  const ids = (listed.resources as any[]).map((one) => one.id as string)
  expect(listed).toMatchObject({ skip: 0, limit: 10, total: 3 })
  expect(listed.resources[0]).toEqual({
    id: first.oldest_credential_id,
    uri: expect.stringMatching(/^keymgr:.+:keymgr:cloud-a-key-store-credential:/),
    account: first.account,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    custom_key_store_id: id,
    access_key_id: first.access_key_id,
    version: 1,
    is_latest: false,
    in_use_by_cloud: false,
  })
  expect((await stores().credentials(id, '?sort=-version&skip=1&limit=1')).resources).toMatchObject([
    { access_key_id: second.access_key_id, version: 2 },
  ])
  expect((await stores().credentials(id, '?createdAfter=2099-01-01T00:00:00Z')).total).toBe(0)
  expect(await admin.ok('GET', `${STORES}/${id}/credentials/${ids[2]}`)).toMatchObject({ is_latest: true, version: 3 })
  await refusedFor(admin.call('DELETE', `${STORES}/${id}/credentials/${ids[2]}`), 409, 8)
  await refusedFor(
    admin.call('DELETE', `${STORES}/${id}/credentials/${ids[0]}`, undefined, { 'if-match': '"1"' }),
    412,
    8,
  )
  const removed = await admin.call('DELETE', `${STORES}/${id}/credentials/${ids[0]}`)
  expect(removed).toMatchObject({ status: 200, body: { status: 204 } })
  await refusedFor(admin.call('GET', `${STORES}/${id}/credentials/${ids[0]}`), 404, 5)
  await refusedFor(admin.call('DELETE', `${STORES}/${id}/credentials/${ids[0]}`), 404, 5)
  letPass()
  expect(await signedCall(first, first)).toEqual(SHUT)
  expect(await signedCall(first, third)).toEqual(OPEN)
  expect(await stores().get(id)).toMatchObject({ credential_count: 2, oldest_credential_id: ids[1], version_count: 3 })
  await refusedFor(
    stores().tryUpdate(id, { local_hosted_params: { max_credentials: 1 } }),
    422,
    2,
    '#/local_hosted_params/max_credentials',
  )
  await stores().act(id, 'rotate-credential')
  await refusedFor(
    stores().tryUpdate(id, { local_hosted_params: { max_credentials: 2 } }),
    422,
    2,
    '#/local_hosted_params/max_credentials',
  )
  expect((await stores().remove(id)).status).toBe(200)
})

test('a connected cloud gets the new pair of a linked store, and the pair in use cannot be deleted', async () => {
  const { admin, cloud } = tests()
  const first = await stores().create('told', { linked_state: true })
  const { id } = first
  await stores().move(id, 'connect')
  const second = await stores().act(id, 'rotate-credential')
  expect(second).toMatchObject({ credential_version: 2, cloud_a_param: { connection_state: 'CONNECTED' } })
  expect((await inCloud(first)).XksProxyConfiguration.AccessKeyId).toBe(second.access_key_id)
  const flags = async () =>
    ((await stores().credentials(id)).resources as any[]).map((one) => [
      one.version,
      one.is_latest,
      one.in_use_by_cloud,
    ])
  expect(await flags()).toEqual([
    [1, false, false],
    [2, true, true],
  ])
  expect(await signedCall(first, first)).toEqual(OPEN)

  cloud.inject({ fault: 'access-denied', operation: 'UpdateCustomKeyStore', times: 1 })
  await refusedFor(stores().tryAct(id, 'rotate-credential'), 502, 16)
  expect(await flags()).toHaveLength(2)
  expect((await inCloud(first)).XksProxyConfiguration.AccessKeyId).toBe(second.access_key_id)

  cloud.inject({ fault: 'server-error', operation: 'UpdateCustomKeyStore', times: 20 })
  await refusedFor(stores().tryAct(id, 'rotate-credential'), 503, 16)
  cloud.reset()
  expect(await flags(), 'the new one opens the store before the cloud is told').toEqual([
    [1, false, false],
    [2, false, true],
    [expect.any(Number), true, false],
  ])
  const { resources } = await stores().credentials(id)
  await refusedFor(admin.call('DELETE', `${STORES}/${id}/credentials/${resources[0].id}`), 409, 8)
  await refusedFor(stores().tryAct(id, 'disconnect'), 409, 8)
  const third = await stores().act(id, 'rotate-credential')
  expect((await inCloud(first)).XksProxyConfiguration.AccessKeyId).toBe(third.access_key_id)
  expect(third.credential_count).toBe(2)
  expect((await flags()).map(([, ...rest]) => rest)).toEqual([
    [false, false],
    [true, true],
  ])
  const newest = (await stores().credentials(id)).resources[1]
  await refusedFor(admin.call('DELETE', `${STORES}/${id}/credentials/${newest.id}`), 409, 9)
  await stores().act(id, 'block')
  await refusedFor(stores().tryAct(id, 'rotate-credential'), 409, 8)
  await stores().act(id, 'unblock')
  await stores().move(id, 'disconnect')
  expect((await stores().remove(id)).status).toBe(200)
})

test('a rotation repeated under its Idempotency-Key returns the same pair', async () => {
  const { admin } = tests()
  const { id } = await stores().create('repeated')
  const headers = { 'idempotency-key': 'rotate-once' }
  const path = `${STORES}/${id}/rotate-credential`
  const rotated = await admin.ok('POST', path, undefined, headers)
  expect(await admin.ok('POST', path, undefined, headers)).toEqual(rotated)
  expect(await stores().get(id)).toMatchObject({ credential_version: 2 })
  expect((await stores().remove(id)).status).toBe(200)
})

test('a blocked store refuses every signed call, and answers after it is unblocked', async () => {
  const store = await stores().create('shut')
  expect(await signedCall(store, store)).toEqual(OPEN)
  await stores().act(store.id, 'block')
  letPass()
  expect(await signedCall(store, store)).toEqual([400, 'InvalidStateException'])
  expect(await signedCall(store, { ...store, secret_access_key: 'x'.repeat(44) })).toEqual(SHUT)
  await stores().act(store.id, 'unblock')
  letPass()
  expect(await signedCall(store, store)).toEqual(OPEN)
})

test("secrets are sealed again under a domain's new key, and still open", async () => {
  const { admin, service } = tests()
  const { id } = await stores().create('resealed')
  const store = await stores().act(id, 'rotate-credential')
  expect((await admin.call('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`)).status).toBe(202)
  tests().advance(130_000)
  for (let round = 0; round < 3; round++) await service.deployment.fire('reseal-keys')
  const { resources } = await admin.ok('GET', `/v1/domains/${ROOT_DOMAIN_ID}/keks`)
  expect((resources as any[]).map(({ state }) => state as string).sort()).toEqual(['current', 'retired'])
  const current = (resources as any[]).find(({ state }) => state === 'current')
  useTableOf(service.deployment)
  const { item } = (await customKeyStores.get(ROOT_DOMAIN_ID, store.id as string)) ?? {}
  expect(item?.credentials.map(({ sealed }) => sealedUnder(sealed))).toEqual([current.id, current.id])
  expect(await stores().act(store.id, 'link', {})).toMatchObject({ linked_state: true })
  expect(await signedCall(store, store)).toEqual(OPEN)
  expect((await stores().remove(store.id)).status).toBe(200)
})

test('domains learn nothing of the stores of others except through the cloud', async () => {
  const { service, admin, account } = tests()
  const { child } = await childAdmin(service)
  const own = new Holder(service, () => Promise.resolve(child))
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account.credentials
  const connections = '/v1/connectionmgmt/services/cloud-a/connections'
  await own.ok('POST', connections, { name: 'main', access_key_id, secret_access_key })
  const entry = { name: 'main', account_id: account.id, connection: 'main', regions: [REGION] }
  await own.ok('POST', `${CLOUD_A}/kms`, entry)
  const { id: key } = await own.create({ name: 'health', algorithm: 'aes', size: 256 })
  const store = await storesOf(own).create('of-the-child')
  expect(await signedCall(store, store)).toEqual(OPEN)
  await refusedFor(admin.call('GET', `${STORES}/${store.id}`), 404, 5)
  await refusedFor(admin.call('POST', `${STORES}/${store.id}/rotate-credential`), 404, 5)
  await refusedFor(own.call('POST', STORES, external('elsewhere', { kms: tests().kms.id })), 404, 5, '#/kms')
  await refusedFor(own.call('DELETE', `/v1/vault/keys2/${key}`), 409, 9)

  const seen = await stores().create('seen-from-there', { linked_state: true })
  await own.ok('POST', `${STORES}/synchronization-jobs`, { kms: ['main'] })
  await service.deployment.flows.idle()
  const [remote] = (await storesOf(own).list('?type=REMOTE')).resources
  expect(remote).toMatchObject({ name: 'seen-from-there' })
  expect(remote.id).not.toBe(seen.id)
})
