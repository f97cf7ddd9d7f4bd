import { expect, test } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()

test('a key is made, read by id and by name, and listed', async () => {
  const token = await service().logIn()
  const made = await service().call('POST', '/v1/vault/keys2', { token, body: { name: 'first', algorithm: 'aes' } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect(made.body).toMatchObject({
    name: 'first',
    algorithm: 'aes',
    size: 256,
    version: 0,
    state: 'Active',
    objectType: 'Symmetric Key',
  })
  expect(made.body.id).toMatch(/^[0-9a-f]{64}$/)
  for (const reference of [made.body.id, 'first']) {
    const got = await service().call('GET', `/v1/vault/keys2/${reference}`, { token })
    expect(got.body).toEqual(made.body)
  }
  const listed = await service().call('GET', '/v1/vault/keys2', { token })
  expect(listed.body).toEqual({ skip: 0, limit: 10, total: 1, resources: [made.body] })
})
