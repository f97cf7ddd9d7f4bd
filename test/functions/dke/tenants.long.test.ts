import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { authTenants, type StoredAuthTenant } from '../../../shared/endpoints/dke/tenants/store.ts'
import { secretPurpose } from '../../../shared/endpoints/dke/tenants/secret-purpose.ts'
import { openFor } from '../../../shared/keyring/domain-key.ts'
import { sealedUnder } from '../../../shared/keyring/sealing.ts'
import { childAdmin } from '../../support/callers.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import type { Answered } from '../../support/service.ts'
import { expectRefused, useVault } from '../vault/vault.ts'
import { dkeOf } from './dke.ts'

const vault = useVault()
const admin = () => vault().admin
const TENANTS = '/v1/keymgr/docsuite/dke/auth-tenants'
const CLIENT = '6f1d2c3b-4a59-4d7e-8b6a-1c2d3e4f5a6b'
const SECRET = 'the secret of an application'

beforeAll(() => pointProcessAt(vault().service.deployment.environmentOf('triggers')))

const tryCreate = (body: object = {}): Promise<Answered> =>
  admin().call('POST', TENANTS, {
    name: `t-${randomBytes(6).toString('hex')}`,
    tenant_id: randomUUID(),
    client_id: CLIENT,
    client_secret: SECRET,
    ...body,
  })
async function create(body: object = {}): Promise<any> {
  const { status, body: tenant } = await tryCreate(body)
  expect(status, JSON.stringify(tenant)).toBe(201)
  return tenant
}
const at = ({ id }: any): string => `${TENANTS}/${id as string}`
const update = (tenant: any, body: object, headers?: Record<string, string>): Promise<Answered> =>
  admin().call('PATCH', at(tenant), body, headers)

async function storedOf({ id }: any): Promise<StoredAuthTenant> {
  const stored = await authTenants.get(ROOT_DOMAIN_ID, id as string)
  if (stored === undefined) throw new Error('The tenant is on record')
  return stored.item
}
const secretOf = async ({ id, sealed }: StoredAuthTenant): Promise<string> =>
  (await openFor(ROOT_DOMAIN_ID, secretPurpose(id), sealed)).toString()

test('a tenant id may be any GUID of its platform', async () => {
  const tenantId = '01234567-89ab-0def-7123-456789ABCDEF' // neither version nor variant of RFC 9562
  expect((await create({ tenant_id: tenantId })).tenant_id).toBe(tenantId.toLowerCase())
  expectRefused(await tryCreate({ tenant_id: 'contoso.example' }), 422, 2, '#/tenant_id')
})

test('a tenant is kept with its application, whose secret is sealed and never shown', async () => {
  const tenantId = randomUUID()
  const issuer = `https://sts.windows.net/${tenantId}/`
  const tenant = await create({ name: 'shop', tenant_id: tenantId.toUpperCase(), issuer })
  expect(tenant).toEqual({
    id: expect.any(String),
    uri: `keymgr:${ROOT_DOMAIN_ID}:keymgr:dke-tenant:${tenant.id as string}`,
    account: expect.any(String),
    application: expect.any(String),
    devAccount: expect.any(String),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    name: 'shop',
    tenant_id: tenantId,
    client_id: CLIENT,
    issuer,
  })
  expect(await admin().ok('GET', at(tenant))).toEqual(tenant)
  const { total, resources } = await admin().ok('GET', `${TENANTS}?tenant_id=${tenantId}&name=sh*`)
  expect([total, resources]).toEqual([1, [tenant]])
  expect(await secretOf(await storedOf(tenant))).toBe(SECRET)
})

test.each<[string, object, string, number, number]>([
  ['no name', { name: undefined }, '#/name', 422, 2],
  ['a tenant that is no id', { tenant_id: 'shop.test' }, '#/tenant_id', 422, 2],
  ['an application that is no id', { client_id: 'mine' }, '#/client_id', 422, 2],
  ['no secret', { client_secret: undefined }, '#/client_secret', 422, 2],
  ['an issuer without https', { issuer: 'http://sts.windows.net/x/' }, '#/issuer', 422, 2],
  ['a field nobody knows', { colour: 'red' }, '#/colour', 400, 1],
])('a tenant with %s is refused, naming it', async (_what, body, pointer, status, code) => {
  expectRefused(await tryCreate(body), status, code, pointer)
})

test('a name and a tenant can be used once', async () => {
  const one = await create()
  const two = await create()
  expectRefused(await tryCreate({ name: one.name }), 409, 7, '#/name')
  expectRefused(await tryCreate({ tenant_id: one.tenant_id }), 409, 7, '#/tenant_id')
  expectRefused(await update(two, { name: one.name }), 409, 7, '#/name')
  const moved = await update(two, { tenant_id: one.tenant_id, client_secret: 'x' })
  expectRefused(moved, 409, 7, '#/tenant_id')
})

test('a PATCH changes the given fields, and the secret is not sent to another tenant or application', async () => {
  const tenant = await create({ issuer: `https://sts.windows.net/${randomUUID()}/` })
  const { body: renamed } = await update(tenant, { name: 'renamed', issuer: null })
  expect(renamed.name).toBe('renamed')
  expect(renamed).not.toHaveProperty('issuer')
  expect(await secretOf(await storedOf(tenant))).toBe(SECRET)
  expectRefused(await update(tenant, { client_id: randomUUID() }), 422, 2, '#/client_id')
  expectRefused(await update(tenant, { tenant_id: randomUUID() }), 422, 2, '#/tenant_id')
  expectRefused(await update(tenant, { client_secret: null }), 400, 1, '#/client_secret')
  expectRefused(await update(tenant, { client_secret: '' }), 422, 2, '#/client_secret')
  expect((await update(tenant, { name: 'x' }, { 'if-match': '"1"' })).status).toBe(412)
  vault().advance(1_000)
  const moved = { tenant_id: randomUUID(), client_id: randomUUID(), client_secret: 'another' }
  expect((await update(tenant, moved)).body).toMatchObject({ tenant_id: moved.tenant_id, client_id: moved.client_id })
  expect(await secretOf(await storedOf(tenant))).toBe('another')
  const records = await vault().records(`resource_uri=${tenant.uri as string}`)
  expect(records.at(-1).details).toMatchObject({
    before: { tenant_id: tenant.tenant_id, secret_set_at: expect.any(String) },
    after: { tenant_id: moved.tenant_id, secret_set_at: expect.any(String) },
  })
  expect(JSON.stringify(records)).not.toContain(SECRET)
})

test('a tenant cannot be deleted while an endpoint looks up roles there', async () => {
  const dke = dkeOf(vault())
  const tenant = await create()
  const roles = { authorization_type: 'role', role_authz_params: { authorized_roles: ['Sales'] } }
  const auth_tenants = [randomUUID(), (tenant.tenant_id as string).toUpperCase()]
  const other = await dke.create({ auth_tenants })
  const user = await dke.create({ auth_tenants, authorization_params: roles })
  const refusal = await admin().call('DELETE', at(tenant))
  expectRefused(refusal, 409, 9)
  expect(refusal.body.detail).toContain(user.name)
  expectRefused(await update(tenant, { tenant_id: randomUUID(), client_secret: 'x' }), 409, 9, '#/tenant_id')
  expect((await update(tenant, { client_id: randomUUID(), client_secret: 'x' })).status).toBe(200)
  await dke.update(user, { authorization_params: null })
  expect((await admin().call('DELETE', at(tenant))).body).toEqual({ status: 204 })
  expect((await admin().call('GET', at(tenant))).status).toBe(404)
  expect((await dke.get(other)).auth_tenants).toContain(tenant.tenant_id)
})

test('tenants of another domain do not exist, and tenants are for administrators of endpoints', async () => {
  const tenant = await create()
  const { service, user } = vault()
  const { child } = await childAdmin(service)
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { name: 'x' }],
    ['DELETE', undefined],
  ] as const)
    expectRefused(await service.call(method, at(tenant), { token: child, body }), 404, 5)
  const { name, tenant_id, client_id } = tenant
  const own = { token: child, body: { name, tenant_id, client_id, client_secret: 'of another domain' } }
  expect((await service.call('POST', TENANTS, own)).status).toBe(201)
  const { holder } = await user('keys-only', ['Key Admins'])
  expectRefused(await holder.call('GET', TENANTS), 403, 4)
})

test('after a rotation of the domain key the secrets are sealed under the new one', async () => {
  const tenant = await create()
  const { status, body: key } = await admin().call('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`)
  expect(status).toBe(202)
  vault().advance(121_000)
  expect(await vault().service.deployment.fire('reseal-keys')).toEqual({ resealed: 1 })
  const stored = await storedOf(tenant)
  expect(sealedUnder(stored.sealed)).toBe(key.id)
  expect(await secretOf(stored)).toBe(SECRET)
})
