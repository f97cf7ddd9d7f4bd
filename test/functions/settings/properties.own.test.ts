import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService } from '../../support/service.ts'

const AT = '/v1/configs/properties'
const service = useService()
let token = ''
beforeAll(async () => {
  token = await service().logIn()
})
const ask = (method: string, path: string, body?: unknown, as = token) =>
  service().call(method, path, { token: as, ...(body !== undefined && { body }) })

test('properties are listed with their limits, set, and reset', async () => {
  const { body } = await ask('GET', AT)
  expect(body.resources.map(({ name }: any) => name)).toContain('audit_export_retention_days')
  const one = `${AT}/audit_exports_under_way`
  expect((await ask('GET', one)).body).toMatchObject({ value: 5, default: 5, min: 1, max: 50 })
  const set = await ask('PATCH', one, { value: 2 })
  expect(set).toMatchObject({ status: 200, body: { value: 2, default: 5 } })
  expect((await ask('GET', `${AT}?name=audit_exports*`)).body.resources).toMatchObject([{ value: 2 }])
  const records = await ask('GET', '/v1/audit/records?message=Update%20Property')
  expect(records.body.resources[0].details).toMatchObject({ before: { value: 5 }, after: { value: 2 } })
  expect((await ask('POST', `${one}/reset`)).body).toMatchObject({ value: 5 })
  expect((await ask('POST', `${one}/reset`)).body).toMatchObject({ value: 5 })
})

test.each([
  ['a value below the least', 'audit_exports_under_way', { value: 0 }, 422],
  ['a value above the most', 'audit_exports_under_way', { value: 51 }, 422],
  ['a value of another type', 'audit_exports_under_way', { value: '2' }, 400],
  ['a fraction', 'audit_exports_under_way', { value: 1.5 }, 400],
  ['no value', 'audit_exports_under_way', {}, 422],
  ['a property that there is not', 'constructor', { value: 2 }, 404],
])('%s is refused', async (_what, name, body, status) => {
  expect((await ask('PATCH', `${AT}/${name}`, body)).status).toBe(status)
})

test('a child domain neither sees nor sets them', async () => {
  const { child } = await childAdmin(service())
  expect((await ask('GET', AT, undefined, child)).status).toBe(403)
  expect((await ask('PATCH', `${AT}/audit_exports_under_way`, { value: 2 }, child)).status).toBe(403)
})
