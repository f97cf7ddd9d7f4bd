import { beforeAll, beforeEach, expect, test } from 'vitest'
import { EVE, TENANTS, useDke } from './dke-data.ts'

const dke = useDke()
const ROLES = '/v1/keymgr/docsuite/dke/get-roles'

let shop: any
let bank: any
const kept = async (tenant: string, secret?: string): Promise<any> => {
  const application = dke().suite.directory.applications.find((one) => one.tenant === tenant)
  const { clientId: client_id, clientSecret } = application ?? { clientId: '', clientSecret: '' }
  const body = { name: `of ${tenant}`, tenant_id: tenant, client_id, client_secret: secret ?? clientSecret }
  return dke().vault.admin.ok('POST', TENANTS, body)
}
beforeAll(async () => {
  const [first] = dke().suite.directory.applications
  shop = await kept(first?.tenant ?? '')
  bank = await kept(dke().tenantOf(EVE))
})
beforeEach(() => dke().suite.reset())

const find = (body: object) => dke().vault.admin.call('POST', ROLES, body)

test('groups and directory roles of a tenant are found by the beginning of their names', async () => {
  const { status, body } = await find({ auth_tenant: shop.id, filter: 'comp' })
  expect([status, body.roles.map(({ name }: any) => name)]).toEqual([200, ['Compliance Auditors']])
  const quoted = await find({ auth_tenant: shop.id, filter: "O'" })
  expect([quoted.status, quoted.body.roles]).toEqual([200, []])
})

test('without a filter all are read, page by page', async () => {
  const { body } = await find({ auth_tenant: shop.id })
  const names = body.roles.map(({ name }: any) => name as string)
  expect(names).toHaveLength(2_103)
  expect(names).toEqual(names.toSorted())
  expect(new Set(names)).toContain('Project 2099')
  expect(dke().suite.counts()).toMatchObject({ groups: 3, directoryRoles: 1 })
})

test('a tenant that refuses, throttles or is unreachable is reported, and an unknown one does not exist', async () => {
  const refused = await find({ auth_tenant: bank.id })
  expect([refused.status, refused.body.code]).toEqual([502, 16])
  expect(refused.body.detail).toBe('The application of the tenant may not read its directory.')
  for (const fault of ['throttle', 'server-error', 'cut-after'] as const) {
    dke().suite.inject({ fault, operation: 'groups' })
    expect((await find({ auth_tenant: shop.id })).status, fault).toBe(503)
    dke().suite.reset()
  }
  const unknown = await find({ auth_tenant: '01a20878-ae4e-7000-8d75-7a0b3e902a62' })
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([404, '#/auth_tenant'])
  expect((await find({ auth_tenant: 'no id' })).status).toBe(422)
})

test('a wrong client secret is refused by the tenant, and shown nowhere', async () => {
  await dke().vault.admin.ok('PATCH', `${TENANTS}/${bank.id as string}`, { client_secret: 'planted-wrong-secret' })
  const { status, body } = await find({ auth_tenant: bank.id })
  expect([status, body.detail]).toEqual([502, 'The tenant refuses the application that reads its directory.'])
  const logs = dke()
    .vault.service.deployment.logs()
    .map(({ text }) => text)
  expect(logs.join('\n') + JSON.stringify(body)).not.toContain('planted-wrong-secret')
})
