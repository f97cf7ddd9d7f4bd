import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBSimulator } from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { all, clientsOf, refusalOf, send, type Clients } from '../clients.ts'

const DAY_MS = 86_400_000
const BASE = 'https://management.azure.com'
const clock = createClock()
let simulator: CloudBSimulator
let clients: Clients
let shop: string
let bank: string

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  clients = clientsOf(simulator)
  ;[shop = '', bank = ''] = simulator.subscriptions().map(({ id }) => id)
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

const get = async (path: string, more: { bearer?: string; method?: string } = {}) => {
  const bearer = more.bearer ?? (await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'management'))
  return send(simulator, more.method ?? 'GET', `${BASE}${path}`, { bearer })
}
const names = async (list: AsyncIterable<{ name?: string }>) => (await all(list)).map(({ name }) => name)

test('the subscriptions are those of the tenant in which the caller has a role', async () => {
  const subscriptions = await all(clients.subscriptions.subscriptions.list())
  expect(subscriptions).toMatchObject([
    { subscriptionId: shop, displayName: 'Shop', state: 'Enabled', id: `/subscriptions/${shop}` },
    { subscriptionId: bank, displayName: 'Bank' },
  ])
  const visitor = clientsOf(simulator, simulator.credentials[2]).subscriptions
  expect(await all(visitor.subscriptions.list())).toHaveLength(1)
  expect((await clients.subscriptions.subscriptions.get(shop)).displayName).toBe('Shop')
  expect(await all(clients.subscriptions.tenants.list())).toHaveLength(1)
})

test('locations are the same for every subscription', async () => {
  const locations = await all(clients.subscriptions.subscriptions.listLocations(shop))
  expect(locations).toContainEqual(
    expect.objectContaining({ name: 'westeurope', displayName: 'West Europe', type: 'Region' }),
  )
})

test('vaults of a subscription are listed with their facts, and managed HSMs by themselves', async () => {
  const { vaults, managedHsms } = clients.vaults(shop)
  const found = await all(vaults.listBySubscription())
  expect(found.map(({ name }) => name)).not.toContain('shop-hsm')
  expect(found.find(({ name }) => name === 'shop-premium')).toMatchObject({
    location: 'westeurope',
    tags: { team: 'blue' },
    properties: {
      vaultUri: 'https://shop-premium.vault.azure.net/',
      sku: { name: 'premium' },
      ...{ enableSoftDelete: true, softDeleteRetentionInDays: 90, enableRbacAuthorization: true },
    },
  })
  const byName = (wanted: string) => found.find(({ name }) => name === wanted)?.properties
  expect(byName('shop-premium')?.enablePurgeProtection).toBeUndefined() // absent, never false
  expect(byName('shop-locked')).toMatchObject({ enablePurgeProtection: true })
  expect(byName('shop-plain')).toMatchObject({ enableSoftDelete: false, sku: { name: 'standard' } })
  expect(await all(managedHsms.listBySubscription())).toMatchObject([
    { name: 'shop-hsm', properties: { hsmUri: 'https://shop-hsm.managedhsm.azure.net/' } },
  ])
})

test('vaults are found by resource group, one by one, and in the list of resources without properties', async () => {
  const { vaults, managedHsms } = clients.vaults(shop)
  expect(await names(vaults.listByResourceGroup('Shop-Overseas'))).toEqual(['shop-overseas'])
  expect(await vaults.get('shop-keys', 'shop-premium')).toMatchObject({ name: 'shop-premium' })
  expect((await managedHsms.get('shop-keys', 'shop-hsm')).name).toBe('shop-hsm')
  const resources = await all(vaults.list())
  expect(resources.map(({ name }) => name)).toContain('shop-premium')
  expect(resources[0]).not.toHaveProperty('properties')
})

test('lists have pages with absolute links, which may be short or empty', async () => {
  const { vaults } = clients.vaults(shop)
  const whole = await names(vaults.listBySubscription())
  simulator.inject({ fault: 'empty-page', operation: 'VaultsList', calls: [2] })
  simulator.inject({ fault: 'short-page', operation: 'VaultsList', calls: [1] })
  expect(await names(vaults.listBySubscription({ top: 2 }))).toEqual(whole)
  const path = `/subscriptions/${shop}/providers/Microsoft.KeyVault/vaults?api-version=2026-02-01&$top=2`
  const { body } = await get(path)
  expect(body.value).toHaveLength(2)
  expect(body.nextLink).toMatch(new RegExp(`^${BASE}/subscriptions/${shop}/.*skiptoken=`))
  const changed = String(body.nextLink).replace(BASE, '').replace(shop, bank)
  expect((await get(changed)).code).toBe('InvalidSkipToken')
})

test('a vault is moved, deleted, recovered and purged', async () => {
  const { vaults } = clients.vaults(shop)
  const host = 'https://shop-spare.vault.azure.net/keys?api-version=7.4'
  const bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')
  simulator.alterVault('shop-spare', { resourceGroup: 'elsewhere' })
  expect(await refusalOf(vaults.get('shop-keys', 'shop-spare'))).toBe('404 ResourceNotFound')
  expect((await vaults.get('elsewhere', 'shop-spare')).id).toContain('/resourceGroups/elsewhere/')
  simulator.deleteVault('shop-spare')
  expect(await names(vaults.listBySubscription())).not.toContain('shop-spare')
  expect((await send(simulator, 'GET', host, { bearer })).code).toBe('VaultNotFound')
  expect(await names(vaults.listDeleted())).toEqual(['shop-spare'])
  expect(await vaults.getDeleted('shop-spare', 'northeurope')).toMatchObject({
    properties: { location: 'northeurope', scheduledPurgeDate: expect.any(Date) },
  })
  simulator.recoverVault('shop-spare')
  expect((await send(simulator, 'GET', host, { bearer })).code).toBe('OK')
  simulator.deleteVault('shop-spare')
  clock.advance(7 * DAY_MS)
  expect(await names(clientsOf(simulator).vaults(shop).vaults.listDeleted())).toEqual([])
})

test.each<[string, string, string]>([
  [
    'an unknown subscription',
    `/subscriptions/${crypto.randomUUID()}/locations?api-version=2022-12-01`,
    'SubscriptionNotFound',
  ],
  ['no version', '/subscriptions', 'MissingApiVersionParameter'],
  ['a strange version', '/subscriptions?api-version=7.4', 'InvalidApiVersionParameter'],
  ['an unknown resource', '/things?api-version=2022-12-01', 'InvalidResourceType'],
  [
    'an unknown group',
    '/subscriptions/SHOP/resourceGroups/none/providers/Microsoft.KeyVault/vaults?api-version=2026-02-01',
    'ResourceGroupNotFound',
  ],
  [
    'another filter',
    '/subscriptions/SHOP/resources?api-version=2015-11-01&$filter=name eq 1',
    'InvalidFilterInQueryString',
  ],
])('a request for %s is refused', async (_what, path, code) => {
  expect((await get(path.replace('SHOP', shop))).code).toBe(code)
})

test('callers without a role and tokens for another service are refused', async () => {
  const [, , visitor, banker] = simulator.applications()
  const path = `/subscriptions/${bank}/locations?api-version=2022-12-01`
  const as = async (id = '', service: 'management' | 'vault' = 'management') =>
    (await get(path, { bearer: await simulator.bearerOf(id, service) })).code
  expect(await as(visitor?.objectId)).toBe('AuthorizationFailed')
  expect(await as(banker?.objectId)).toBe('InvalidAuthenticationTokenTenant')
  expect(await as(visitor?.objectId, 'vault')).toBe('InvalidAuthenticationTokenAudience')
  expect((await get(path, { bearer: 'broken' })).code).toBe('InvalidAuthenticationToken')
  const stale = await simulator.bearerOf(visitor?.objectId ?? '', 'management')
  clock.advance(3_600_000)
  expect((await get(path, { bearer: stale })).code).toBe('ExpiredAuthenticationToken')
  expect((await send(simulator, 'GET', `${BASE}${path}`)).code).toBe('AuthenticationFailed')
})
