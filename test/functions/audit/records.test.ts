import { beforeAll, expect, test } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
let token = ''
beforeAll(async () => {
  token = await service().logIn()
})

const list = (query: string) => service().call('GET', `/v1/audit/records${query}`, { token })

test('a body with megabytes of field names leaves a small record, and the outbox still drains', async () => {
  const body = { [`x${'y'.repeat(600_000)}`]: 1, name: 'nobody', password: 'x' }
  const refused = await service().call('POST', '/v1/vault/keys2', { token, body })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body).length).toBeLessThan(3_000) // with the names of the declared fields
  await service().call('POST', '/v1/vault/keys2', { token, body: { name: 'after that' } })
  const drained = (await service().deployment.fire('drain-outbox')) as { published: number }
  expect(drained.published).toBeGreaterThanOrEqual(3)
  // Log lines of other files may still become records of the shared deployment.
  await expect.poll(() => service().deployment.fire('drain-outbox')).toEqual({ appended: 0, published: 0 })
  const { body: records } = await list('?message=Create%20Key')
  const published = service()
    .deployment.events()
    .map(({ detail }) => (detail as { id?: string }).id)
  expect(published).toContain(records.resources[0].id)
})

test('records are listed newest first, filtered exactly and by patterns, and read one by one', async () => {
  for (const name of ['one', 'two', 'three']) await service().call('POST', '/v1/vault/keys2', { token, body: { name } })
  await service().call('POST', '/v1/vault/keys2', { token, body: { name: 'one' } })
  const { body } = await list('?message=Create*&success=true&limit=3')
  expect(body.resources.map((record: any) => record.details.resource_name)).toEqual(['three', 'two', 'one'])
  const { body: failed } = await list('?success=false&service=vault')
  expect(failed.resources[0]).toMatchObject({ message: 'Create Key', severity: 'warning', success: false })
  expect(failed.resources[0].errorMessage).toContain('"one"')
  const { body: oldest } = await list('?sort=createdAt&limit=1')
  expect(oldest.resources[0].createdAt <= body.resources[2].createdAt).toBe(true)
  const [record] = body.resources
  expect((await service().call('GET', `/v1/audit/records/${record.id}`, { token })).body).toEqual(record)
})

test('records of registered clients are listed alone', async () => {
  const { body: all } = await list('?limit=-1')
  const ofClients = await service().call('GET', '/v1/audit/client-records', { token })
  expect(ofClients.status).toBe(200)
  expect(ofClients.body).toMatchObject({ total: 0, resources: [] })
  const [record] = all.resources
  expect((await service().call('GET', `/v1/audit/client-records/${record.id}`, { token })).status).toBe(404)
  const { token: other } = await service().userIn(token, 'no-auditor', [])
  expect((await service().call('GET', '/v1/audit/client-records', { token: other })).status).toBe(403)
})

test('records are removed after ninety days', async () => {
  const before = (await list('?limit=1')).body.total as number
  expect(before).toBeGreaterThan(3)
  await service().deployment.fire('drain-outbox')
  service().deployment.clock.advance(91 * 86_400_000)
  token = await service().logIn()
  await service().deployment.fire('sweep-due')
  expect((await list('?limit=1')).body.total).toBe(1)
})
