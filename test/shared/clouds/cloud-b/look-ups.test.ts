import { afterEach, expect, test } from 'vitest'
import type { CloudBEntry, CloudBLogEntry, CloudBLogQuery } from '../../../../shared/clouds/cloud-b/adapter/types.ts'
import { cloudB } from '../../../../shared/clouds/cloud-b/adapter/verbs.ts'
import { HOUR_MS, later } from '../../../../shared/base/time.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newName, urlOf, useCloudB, VAULT } from './simulated.ts'

const own = useCloudB()

afterEach(() => own.cloud.reset())

const entry = (): CloudBEntry => own.place()
const SHOP = () => own.cloud.subscriptions()[0]?.id ?? ''
const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work)).reason

test('subscriptions are those that the application is a member of, page after page', async () => {
  own.cloud.inject({ operation: 'SubscriptionsList', fault: 'short-page' })
  const found = await cloudB.subscriptions(entry())
  expect(found.map(({ display_name }) => display_name).toSorted()).toEqual(['Bank', 'Shop'])
  expect(found[0]).toEqual({
    subscription_id: expect.any(String),
    display_name: expect.any(String),
    tenant_id: entry().connection.tenant_id,
    state: 'Enabled',
  })
})

test('vaults and pools are listed page by page, with links only to the same list', async () => {
  const subscription_id = SHOP()
  const first = await cloudB.vaults(entry(), { subscription_id, limit: 4 })
  const { next_link = '' } = first
  const second = await cloudB.vaults(entry(), { subscription_id, limit: 4, next_link })
  expect([first.items.length, second.items.length, second.next_link]).toEqual([4, 2, undefined])
  const pools = await cloudB.managedHsms(entry(), { subscription_id, limit: 4 })
  expect(pools.items.map(({ name, sku, vault_url }) => [name, sku, vault_url])).toEqual([
    ['shop-hsm', 'managed-hsm', urlOf('shop-hsm')],
  ])
  const wrong = [
    'https://evil.example/x',
    'nonsense',
    next_link.replace('management.azure.com', 'management.azure.com.evil.example'),
    next_link.replace('/providers/Microsoft.KeyVault/vaults', '/resources'),
  ]
  own.cloud.reset()
  for (const link of wrong)
    expect(await reasonOf(cloudB.vaults(entry(), { subscription_id, limit: 4, next_link: link }))).toBe('CLOUD_INVALID')
  expect(await reasonOf(cloudB.vaults(entry(), { subscription_id: '../x', limit: 4 }))).toBe('RULE_BROKEN')
  expect(own.cloud.calls()).toEqual([])
})

test('a vault is found by its name, and described', async () => {
  const subscription_id = SHOP()
  const found = await cloudB.vault(entry(), { subscription_id, name: 'Shop-Premium', managed_hsm: false })
  expect(found).toEqual({
    name: VAULT,
    cloud_vault_id: `/subscriptions/${subscription_id}/resourceGroups/shop-keys/providers/Microsoft.KeyVault/vaults/${VAULT}`,
    subscription_id,
    resource_group: 'shop-keys',
    location: 'westeurope',
    tenant: entry().connection.tenant_id,
    sku: 'premium',
    managed_hsm: false,
    vault_url: urlOf(VAULT),
    soft_delete_enabled: true,
    soft_delete_retention_days: 90,
    purge_protection: false,
    tags: { team: 'blue' },
  })
  const named = (name: string, managed_hsm: boolean) => cloudB.vault(entry(), { subscription_id, name, managed_hsm })
  expect([await named('never-there', false), await named(VAULT, true)]).toEqual([undefined, undefined])
  expect((await named('shop-plain', false))?.soft_delete_enabled).toBe(false)
  expect((await named('shop-locked', false))?.purge_protection).toBe(true)
  own.cloud.deleteVault('shop-spare')
  expect(await named('shop-spare', false)).toBeUndefined()
  own.cloud.recoverVault('shop-spare')
})

test('the subscription of another tenant, and one that is not there, are refused by kind', async () => {
  const [, , elsewhere] = own.cloud.subscriptions()
  const list = (subscription_id: string) => cloudB.vaults(entry(), { subscription_id, limit: 1 })
  expect(await reasonOf(list(elsewhere?.id ?? ''))).toBe('CLOUD_DENIED')
  expect(await reasonOf(list(crypto.randomUUID()))).toBe('CLOUD_NOT_FOUND')
})

/** All pages of a log. */
async function logged(query: CloudBLogQuery): Promise<CloudBLogEntry[][]> {
  const pages: CloudBLogEntry[][] = []
  let cursor: string | undefined
  do {
    const { entries, next } = await cloudB.logEntries(entry(), { ...query, cursor })
    pages.push([...entries])
    cursor = next
  } while (cursor !== undefined)
  return pages
}

test('a log shows the uses of a vault, in pages that neither lose nor repeat an entry', async () => {
  const from = own.clock.now()
  const [name, { connection }] = [newName(), entry()]
  const spec = { name, mark: 'm', kty: 'EC' } as const
  for (let n = 0; n < 3; n++) await cloudB.keys.create(own.place(), spec, new Book().open())
  const [, , visitor] = own.cloud.credentials
  await reasonOf(cloudB.keys.create(own.place({ connection: own.connection(visitor) }), spec, new Book().open()))
  await cloudB.keys.create(own.place({ vault: 'shop-spare' }), spec, new Book().open())
  own.clock.advance(HOUR_MS)
  const vault = await cloudB.vault(entry(), { subscription_id: SHOP(), name: VAULT, managed_hsm: false })
  const query: CloudBLogQuery = {
    log_workspace_id: own.cloud.workspaces()[0]?.id ?? '',
    cloud_vault_id: vault?.cloud_vault_id ?? '',
    from,
    to: later(from, HOUR_MS),
    rows: 2,
  }
  const pages = await logged(query)
  const whole = (await logged({ ...query, rows: 1_000 })).flat()
  expect([pages.length > 2, pages.flat()]).toEqual([true, whole])
  const creations = whole.filter(({ activity }) => activity === 'KeyCreate')
  expect(creations.map(({ key_name, client_id, failed_code }) => [key_name, client_id, failed_code])).toEqual([
    ...Array.from({ length: 3 }, () => [name, connection.client_id, undefined]),
    [name, visitor?.clientId, '403'],
  ])
  expect(whole.every(({ id, time }) => id !== '' && !Number.isNaN(Date.parse(time)))).toBe(true)
  expect((await logged({ ...query, to: from })).flat()).toEqual([])
})

test('values in a query cannot end its texts', async () => {
  const query: CloudBLogQuery = {
    log_workspace_id: own.cloud.workspaces()[0]?.id ?? '',
    cloud_vault_id: `x' or 'a' == 'a' | take 1 //\\`,
    from: later(own.clock.now(), -HOUR_MS),
    to: later(own.clock.now(), HOUR_MS),
    rows: 10,
  }
  expect((await cloudB.logEntries(entry(), query)).entries).toEqual([])
  expect(await reasonOf(cloudB.logEntries(entry(), { ...query, cursor: `2026-01-01T00:00:00Z a' or 'a' == 'a` }))).toBe(
    'CLOUD_INVALID',
  )
  expect(await reasonOf(cloudB.logEntries(entry(), { ...query, log_workspace_id: '../x' }))).toBe('RULE_BROKEN')
})
