import { beforeAll, expect, test } from 'vitest'
import { commonFields, ROOT_DOMAIN_ID, uuid } from '../../../../shared/base/ids.ts'
import { findContainer } from '../../../../shared/cloud/containers/find-container.ts'
import { cloudBVaults, type StoredCloudBVault } from '../../../../shared/clouds/cloud-b/vaults/store.ts'
import { vaultKind } from '../../../../shared/clouds/cloud-b/vaults/kind.ts'
import type { Caller } from '../../../../shared/http/context.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { useTable } from '../../../support/store.ts'

useTable()
const now = new Date('2026-03-01T12:00:00Z')
const [SHOP, BANK] = ['54700002-0000-4000-8000-000000000001', '54700002-0000-4000-8000-000000000002']

function vault(name: string, subscription_id: string, more: Partial<StoredCloudBVault> = {}): StoredCloudBVault {
  const id = uuid(now)
  return {
    ...commonFields(ROOT_DOMAIN_ID, id, `keymgr:d:keymgr:cloud-b-vault:${id}`, now),
    name,
    subscription_id,
    cloud_vault_id: `/subscriptions/${subscription_id}/${name}`,
    subscription_name: 'Shop',
    cloud_name: 'cloud-b',
    tenant: 't',
    region: 'westeurope',
    location: 'westeurope',
    resource_group: 'keys',
    sku: 'premium',
    managed_hsm: false,
    vault_url: `https://${name}.vault.azure.net`,
    soft_delete_enabled: true,
    purge_protection: false,
    tags: {},
    acls: [],
    cloud_key_backup_limit: 10,
    gone: false,
    synchronized: {},
    ...more,
  }
}

const ofShop = vault('plant', SHOP)
const ofBank = vault('Plant', BANK, { acls: [{ group: 'Clerks', actions: ['view'] }] })
const pool = vault('plant', SHOP, { managed_hsm: true, sku: 'managed-hsm' })
const single = vault('single', SHOP)

beforeAll(async () => {
  const changes = new Changes()
  for (const one of [ofShop, ofBank, pool, single]) changes.create(cloudBVaults, ROOT_DOMAIN_ID, one)
  await changes.commit(now)
})

const inGroup = (group: string): { caller: Caller } => ({
  caller: {
    sub: 'local|1',
    username: 'u',
    domain: { id: ROOT_DOMAIN_ID, name: 'root' },
    homeDomainId: ROOT_DOMAIN_ID,
    groups: [group],
    sessionId: undefined,
  },
})
const named = async (reference: string, group = 'keymgr Admins'): Promise<string> =>
  (await findContainer(vaultKind, inGroup(group), reference, { pointer: '#/key_vault', detail: 'is not there' })).item
    .id

test.each([
  ['its id', ofShop.id, ofShop.id],
  ['a name of its own', 'single', single.id],
  ['its name, in any case', 'SINGLE', single.id],
  ['its name and subscription', `plant::${BANK}`, ofBank.id],
])('a vault is named by %s', async (_what, reference, id) => {
  expect(await named(reference)).toBe(id)
})

test.each([
  ['in two subscriptions', 'plant'],
  ['of a vault and a pool in one subscription', `plant::${SHOP}`],
])('a name %s is refused, pointing at the field', async (_what, reference) => {
  await expect(named(reference)).rejects.toMatchObject({
    reason: 'NAME_TAKEN',
    message: `There are several vaults named ${reference}: name one by its id, or as <name>::<subscription_id>.`,
    errors: [{ pointer: '#/key_vault', detail: 'names several' }],
  })
})

test.each(['absent', 'single::', `single::${BANK}`, `single::${SHOP.slice(0, 8)}`, '::', `::${SHOP}`])(
  '%s names no vault',
  async (reference) => {
    await expect(named(reference)).rejects.toMatchObject({ reason: 'NOT_FOUND' })
  },
)

test('vaults that a caller may not see make no name ambiguous', async () => {
  expect(await named('plant', 'Clerks')).toBe(ofBank.id)
  await expect(named('plant', 'Others')).rejects.toMatchObject({ reason: 'NOT_FOUND' })
})
