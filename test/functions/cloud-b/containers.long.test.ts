import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { CLOUD_B, CONNECTIONS, SUBSCRIPTION, VAULT, VAULTS, connectionBody, refused, useCloudB } from './cloud-b.ts'

const tests = useCloudB()
const SUBSCRIPTIONS = `${CLOUD_B}/subscriptions`
const BANK = '54700002-0000-4000-8000-000000000002'
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

const ask = (method: string, path: string, body?: unknown) => tests().admin.call(method, path, body)
const connect = (name: string, more: object = {}): Promise<any> =>
  tests().admin.ok('POST', CONNECTIONS, connectionBody(tests().cloud, name, more))
const add = (name: string, more: object = {}) =>
  ask('POST', `${CLOUD_B}/add-vaults`, {
    connection: 'main',
    subscription_id: SUBSCRIPTION,
    vaults: [{ name }],
    ...more,
  })

/** Fields that replace the secret. */
const BY_CERTIFICATE = { client_secret: undefined, is_certificate_used: true }

test('a connection by a secret is tested, and never shows it', async () => {
  const { admin, cloud } = tests()
  const [application] = cloud.credentials
  const made = await connect('shown')
  expect(made).toMatchObject({
    service: 'cloud-b',
    cloud_name: 'cloud-b',
    tenant_id: application?.tenantId,
    client_id: application?.clientId,
    is_certificate_used: false,
    external_certificate_used: false,
    ready: false,
  })
  expect(await admin.ok('POST', `${CONNECTIONS}/shown/test`)).toEqual({ connection_ok: true })
  const { name: _, ...unsaved } = connectionBody(cloud, '') as Record<string, unknown>
  const path = '/v1/connectionmgmt/services/cloud-b/connection-test'
  expect(await admin.ok('POST', path, unsaved)).toEqual({ connection_ok: true })
  const failed = await admin.ok('POST', path, { ...unsaved, client_secret: 'wrong' })
  expect(failed).toMatchObject({ connection_ok: false, connection_failed_step: 'log_in' })
  const shown = JSON.stringify([made, failed, await admin.ok('GET', '/v1/audit/records?limit=-1')])
  expect(shown).not.toContain(application?.clientSecret)
})

test('a connection by a certificate shows it with its thumbprint, and keeps the key', async () => {
  const { admin } = tests()
  const made = await connect('certified', BY_CERTIFICATE)
  expect(made).toMatchObject({ is_certificate_used: true, external_certificate_used: false, cert_duration: 730 })
  const certificate = new X509Certificate(made.certificate as string)
  expect(made.certificate_thumbprint).toBe(certificate.fingerprint.replaceAll(':', ''))
  expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
  const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 86_400_000
  expect(days).toBe(730)
  expect(JSON.stringify(made)).not.toContain('PRIVATE KEY')
  const untaken = await admin.ok('POST', `${CONNECTIONS}/certified/test`) // the certificate is not in the cloud yet
  expect(untaken).toMatchObject({ connection_ok: false })
  const kept = await admin.ok('PATCH', `${CONNECTIONS}/certified`, { is_certificate_used: true })
  expect(kept.certificate_thumbprint).toBe(made.certificate_thumbprint)
  const renewed = await admin.ok('PATCH', `${CONNECTIONS}/certified`, { cert_duration: 30 })
  expect(renewed).toMatchObject({ cert_duration: 30 })
  expect(renewed.certificate_thumbprint).not.toBe(made.certificate_thumbprint)
})

test('a certificate replaces a secret, and a secret replaces a certificate', async () => {
  const { admin, cloud } = tests()
  await connect('changing')
  const path = `${CONNECTIONS}/changing`
  await admin.ok('POST', `${path}/test`)
  expect(await admin.ok('PATCH', path, { description: 'why' })).toMatchObject({ ready: true })
  const certified = await admin.ok('PATCH', path, { is_certificate_used: true, cert_duration: 10 })
  expect(certified).toMatchObject({ is_certificate_used: true, cert_duration: 10, description: 'why', ready: false })
  expect(certified).not.toHaveProperty('last_connection_ok')
  expect(await admin.ok('POST', `${path}/test`)).toMatchObject({ connection_ok: false }) // the secret is deleted
  await refused(ask('PATCH', path, { is_certificate_used: false }), 422, 2, ['#/client_secret'])
  const back = await admin.ok('PATCH', path, { client_secret: cloud.credentials[0]?.clientSecret })
  expect(back).toMatchObject({ is_certificate_used: false })
  for (const field of ['certificate', 'certificate_thumbprint', 'cert_duration', 'last_connection_ok'])
    expect(back).not.toHaveProperty(field)
  expect(await admin.ok('POST', `${path}/test`)).toEqual({ connection_ok: true })
  await refused(ask('POST', `${path}/test`, { is_certificate_used: true }), 422, 2, ['#/is_certificate_used'])
})

const ID = '54700003-0000-4000-8000-000000000001'
const APPLICATION = { tenant_id: 'shop.example', client_id: ID }
test.each([
  ['neither secret nor certificate', APPLICATION, 422, 2, ['#/client_secret']],
  ['both', { ...APPLICATION, client_secret: 's', is_certificate_used: true }, 422, 2, ['#/client_secret']],
  ['days of no certificate', { ...APPLICATION, client_secret: 's', cert_duration: 9 }, 422, 2, ['#/cert_duration']],
  ['no application', { client_secret: 's' }, 422, 2, ['#/tenant_id', '#/client_id']],
  ['a tenant that is a path', { ...APPLICATION, tenant_id: 'a/b', client_secret: 's' }, 422, 2, ['#/tenant_id']],
  ['an edition there is not', { ...APPLICATION, client_secret: 's', cloud_name: 'cloud-a' }, 422, 2, ['#/cloud_name']],
  ['a text that is no certificate', { ...APPLICATION, certificate: 'PEM' }, 422, 2, ['#/certificate']],
  [
    'the private edition',
    { ...APPLICATION, client_secret: 's', management_url: 'https://m', server_cert: 'PEM' },
    501,
    19,
    ['#/server_cert', '#/management_url'],
  ],
])('a connection refuses %s', async (_what, body, status, code, fields) => {
  await refused(ask('POST', CONNECTIONS, { name: 'refused', ...body }), status, code, fields)
})

test('subscriptions that are looked up are stored once, and follow the cloud', async () => {
  const { admin, cloud } = tests()
  const find = async (connection = 'main') =>
    (await admin.ok('POST', `${CLOUD_B}/get-subscriptions`, { connection })).subscriptions
  const found = await find()
  const shop = { subscription_id: SUBSCRIPTION, display_name: 'Shop', state: 'Enabled', cloud_name: 'cloud-b' }
  expect(found).toContainEqual({ ...shop, tenant_id: cloud.credentials[0]?.tenantId })
  const stored = await admin.ok('GET', `${SUBSCRIPTIONS}?limit=-1&sort=display_name`)
  expect(stored.resources.map(({ display_name }: any) => display_name)).toEqual(['Bank', 'Shop'])
  const [bank] = (await admin.ok('GET', `${SUBSCRIPTIONS}?subscription_id=${BANK}`)).resources
  expect(bank).toMatchObject({ connection: 'main', cloud_name: 'cloud-b' })
  const before = cloud.subscriptions().find(({ id }) => id === BANK)
  if (before === undefined) throw new Error('The cloud has the subscription')
  cloud.putSubscription({ ...before, displayName: 'Savings bank' })
  await find()
  const after = await admin.ok('GET', `${SUBSCRIPTIONS}/${bank.id}`)
  expect(after).toMatchObject({ display_name: 'Savings bank', createdAt: bank.createdAt })
  expect((await admin.ok('GET', `${SUBSCRIPTIONS}?display_name=Savings*`)).total).toBe(1)
  cloud.putSubscription(before)
  expect(await admin.ok('DELETE', `${SUBSCRIPTIONS}/${bank.id}`)).toEqual({ status: 204 })
  await refused(ask('GET', `${SUBSCRIPTIONS}/${bank.id}`), 404, 5, [])
  await refused(ask('POST', `${CLOUD_B}/get-subscriptions`, { connection: 'none' }), 404, 5, ['#/connection'])
})

test('vaults and managed HSM pools are looked up page by page', async () => {
  const { admin } = tests()
  const at = { connection: 'main', subscription_id: SUBSCRIPTION }
  const all = await admin.ok('POST', `${CLOUD_B}/get-vaults`, at)
  expect(all.vaults).toContainEqual({
    name: VAULT,
    cloud_vault_id: expect.stringContaining(`/vaults/${VAULT}`),
    subscription_id: SUBSCRIPTION,
    location: 'westeurope',
    resource_group: 'shop-keys',
    sku: 'premium',
    managed_hsm: false,
    tenant: expect.any(String),
    vault_url: `https://${VAULT}.vault.azure.net`,
    soft_delete_enabled: true,
    soft_delete_retention_days: 90,
    purge_protection: false,
    tags: { team: 'blue' },
  })
  const names: string[] = []
  let next: object = {}
  do {
    const page = await admin.ok('POST', `${CLOUD_B}/get-vaults`, { ...at, limit: 2, ...next })
    expect(page.vaults.length).toBeLessThanOrEqual(2)
    names.push(...page.vaults.map(({ name }: any) => name))
    next = { nextLink: page.nextLink }
  } while ((next as any).nextLink !== undefined)
  expect(names).toEqual(all.vaults.map(({ name }: any) => name))
  const pools = await admin.ok('POST', `${CLOUD_B}/get-managed-hsms`, at)
  expect(pools.vaults).toMatchObject([{ name: 'shop-hsm', sku: 'managed-hsm', managed_hsm: true }])
  const elsewhere = { ...at, nextLink: 'https://example.org/subscriptions' }
  await refused(ask('POST', `${CLOUD_B}/get-vaults`, elsewhere), 422, 16, [])
})

test('vaults are added as the look-ups show them, with their subscription, once each', async () => {
  const { admin, vault } = tests()
  expect(vault).toMatchObject({
    name: VAULT,
    cloud_name: 'cloud-b',
    subscription_id: SUBSCRIPTION,
    subscription_name: 'Shop',
    region: 'westeurope',
    location: 'westeurope',
    resource_group: 'shop-keys',
    sku: 'premium',
    vault_url: `https://${VAULT}.vault.azure.net`,
    soft_delete_enabled: true,
    soft_delete_retention_days: 90,
    purge_protection: false,
    managed_hsm: false,
    connection: 'main',
    tags: { team: 'blue' },
    acls: [],
    cloud_key_backup_limit: 10,
    gone: false,
  })
  for (const hidden of ['connection_id', 'synchronized']) expect(vault).not.toHaveProperty(hidden)
  const { vaults: pools } = await admin.ok('POST', `${CLOUD_B}/get-managed-hsms`, {
    connection: 'main',
    subscription_id: SUBSCRIPTION,
  })
  expect(pools.map(({ name }: any) => name)).toEqual(['shop-hsm'])
  // A pool is found by its name, like a vault.
  const added = await add('', { vaults: [{ name: 'shop-plain' }, { name: 'shop-hsm' }] })
  expect(added.body.vaults).toMatchObject([
    { name: 'shop-plain', sku: 'standard', soft_delete_enabled: false },
    { name: 'shop-hsm', sku: 'managed-hsm', managed_hsm: true, vault_url: 'https://shop-hsm.managedhsm.azure.net' },
  ])
  await refused(add('', { vaults: [{ name: 'shop-spare' }, { name: 'SHOP-plain' }] }), 409, 7, ['#/vaults/1/name'])
  await refused(add('', { vaults: pools }), 409, 7, ['#/vaults/0/name'])
  await refused(add('', { vaults: [{ name: 'shop-hsm', managed_hsm: false }] }), 404, 5, ['#/vaults/0/name'])
  await refused(add('shop-absent'), 404, 5, ['#/vaults/0/name'])
  await refused(add('bank-premium'), 404, 5, ['#/vaults/0/name'])
  await refused(add('shop-spare', { subscription_id: ID }), 404, 5, ['#/subscription_id'])
  await refused(add('shop-spare', { connection: 'none' }), 404, 5, ['#/connection'])
  await refused(add('', { vaults: [{ name: 'twice' }, { name: 'Twice' }] }), 422, 2, ['#/vaults'])
  const [subscription] = (await admin.ok('GET', `${SUBSCRIPTIONS}?subscription_id=${SUBSCRIPTION}`)).resources
  await refused(ask('DELETE', `${SUBSCRIPTIONS}/${subscription.id}`), 409, 9, [])
})

test('a list of vaults answers its filters', async () => {
  const { admin, vault, addVaults } = tests()
  await addVaults('shop-overseas')
  const names = async (query: string): Promise<string[]> =>
    (await admin.ok('GET', `${VAULTS}?limit=-1&sort=name&${query}`)).resources.map(({ name }: any) => name)
  const all = await names('')
  expect(await names(`id=${vault.id}`)).toEqual([VAULT])
  expect(await names('name=*-overseas')).toEqual(['shop-overseas'])
  expect(await names(`subscription_id=${SUBSCRIPTION}&connection=main&cloud_name=cloud-b`)).toEqual(all)
  expect(await names('location=eastus')).toEqual(['shop-overseas'])
  expect(await names('resource_group=shop-overseas')).toEqual(['shop-overseas'])
  expect(await names('sku=managed-hsm,premium')).toEqual(all.filter((name) => name !== 'shop-plain'))
  expect(await names('managed_hsm=true')).toEqual(['shop-hsm'])
  await refused(ask('GET', `${VAULTS}?vaults=1`), 400, 1, ['vaults'])
  await refused(ask('GET', `${VAULTS}?sku=gold`), 400, 1, ['sku'])
  await refused(ask('GET', `${VAULTS}/${NOTHING}`), 404, 5, [])
})

test('a vault accepts only a connection that reaches it, and keeps the set number of backups', async () => {
  const { admin, vault } = tests()
  const path = `${VAULTS}/${vault.id}`
  await connect('second')
  await connect('powerless', { client_secret: 'wrong' })
  expect(await admin.ok('PATCH', path, { cloud_key_backup_limit: 3 })).toMatchObject({ cloud_key_backup_limit: 3 })
  await refused(ask('PATCH', path, { cloud_key_backup_limit: 0 }), 422, 2, ['#/cloud_key_backup_limit'])
  await refused(ask('PATCH', path, { name: 'other' }), 400, 1, ['#/name'])
  await refused(ask('PATCH', path, { connection: 'powerless' }), 422, 2, ['#/connection'])
  const changed = { connection: 'second', cloud_key_backup_limit: 3 }
  expect(await admin.ok('PATCH', path, { connection: 'second' })).toMatchObject(changed)
  await refused(ask('DELETE', `${CONNECTIONS}/second`), 409, 9, [])
  await admin.ok('POST', '/v1/connectionmgmt/connections/second/delete', { force: true })
  expect(await admin.ok('GET', path)).not.toHaveProperty('connection')
  expect(await admin.ok('PATCH', path, { connection: 'main' })).toMatchObject({ connection: 'main' })
})

test('a refresh of a vault follows the cloud when it moves, is deleted, and is recovered', async () => {
  const { admin, cloud, addVaults } = tests()
  const [{ id, cloud_vault_id }] = await addVaults('shop-spare')
  const read = () => admin.ok('PATCH', `${VAULTS}/${id}`, { connection: 'main' })
  cloud.alterVault('shop-spare', { resourceGroup: 'shop-moved', purgeProtection: true })
  const moved = await read()
  expect(moved).toMatchObject({ resource_group: 'shop-moved', purge_protection: true, gone: false })
  expect(moved.cloud_vault_id).not.toBe(cloud_vault_id)
  cloud.deleteVault('shop-spare')
  expect(await read()).toMatchObject({ gone: true, resource_group: 'shop-moved' })
  await connect('another')
  await refused(ask('PATCH', `${VAULTS}/${id}`, { connection: 'another' }), 422, 2, ['#/connection'])
  const before = cloud.vaultNamed('shop-spare')
  if (before === undefined) throw new Error('The cloud has the vault')
  cloud.purgeVault('shop-spare')
  cloud.putVault({ ...before, deleted: undefined, resourceGroup: 'shop-anew', sku: 'standard' })
  expect(await read()).toMatchObject({ id, gone: false, resource_group: 'shop-anew', sku: 'standard' })
})

test('users see only vaults with a permission, and an action there implies its view', async () => {
  const { service, admin, vault } = tests()
  const { token, userId } = await service.userIn(await service.logIn(), 'viewer', ['keymgr Users'])
  const as = (method: string, path: string, body?: unknown) => service.call(method, path, { token, body })
  await refused(as('GET', `${VAULTS}/${vault.id}`), 404, 5, [])
  await refused(as('GET', SUBSCRIPTIONS), 403, 4, [])
  const path = `${VAULTS}/${vault.id}/update-acls`
  const change = (actions: string[]) => ({ acls: [{ user_id: userId, permit: true, actions }] })
  await refused(ask('POST', path, change(['keydestroy'])), 422, 2, ['#/acls/0/actions/0'])
  const { acls } = await admin.ok('POST', path, change(['secretcreate', 'certificatesynchronize', 'reportcreate']))
  const actions = ['certificatesynchronize', 'reportcreate', 'reportview', 'secretcreate', 'view']
  expect(acls).toEqual([{ user_id: userId, actions }])
  expect((await as('GET', VAULTS)).body.resources).toMatchObject([{ name: VAULT }])
  await refused(as('POST', path, change(['view'])), 403, 4, [])
  await admin.ok('DELETE', `/v1/usermgmt/users/${encodeURIComponent(userId)}`)
})

test('vaults of one domain are not visible to another, which may add the same ones', async () => {
  const { service, cloud, vault } = tests()
  const { child: token } = await childAdmin(service, 'tenant')
  const as = (method: string, path: string, body?: unknown) => service.call(method, path, { token, body })
  await refused(as('GET', `${VAULTS}/${vault.id}`), 404, 5, [])
  await refused(as('POST', `${VAULTS}/${vault.id}/remove-vault`), 404, 5, [])
  expect((await as('POST', CONNECTIONS, connectionBody(cloud, 'main'))).status).toBe(201)
  const like = cloud.vaultNamed(VAULT)
  if (like === undefined) throw new Error('The cloud has the vault')
  const names = [VAULT, ...Array.from({ length: 11 }, (_, n) => `shop-more-${n}`)] // the maximum number in one request
  for (const name of names.slice(1)) cloud.putVault({ ...like, name })
  const body = { connection: 'main', subscription_id: SUBSCRIPTION, vaults: names.map((name) => ({ name })) }
  expect((await as('POST', `${CLOUD_B}/add-vaults`, body)).status).toBe(201)
  for (const name of names.slice(1)) cloud.purgeVault(name)
})

test('a vault is removed here and stays at the cloud, and its subscription is removed after the last one', async () => {
  const { admin, cloud } = tests()
  const { resources } = await admin.ok('GET', `${VAULTS}?limit=-1`)
  for (const { id } of resources)
    expect(await admin.ok('POST', `${VAULTS}/${id}/remove-vault`)).toEqual({ status: 204 })
  expect((await admin.ok('GET', VAULTS)).total).toBe(0)
  expect(cloud.vaultNamed(VAULT)).toBeDefined()
  const [subscription] = (await admin.ok('GET', `${SUBSCRIPTIONS}?subscription_id=${SUBSCRIPTION}`)).resources
  expect(await admin.ok('DELETE', `${SUBSCRIPTIONS}/${subscription.id}`)).toEqual({ status: 204 })
})
