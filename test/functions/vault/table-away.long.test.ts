import { expect, test } from 'vitest'
import { useFaults } from './behind-faults.ts'

const faults = useFaults()

test('an unavailable table is answered with 503 in our form and leaves nothing half done', async () => {
  const { create, proxy, total } = faults()
  const before = await total()
  const back = proxy.inject({ fault: 'internal-error', operation: 'TransactWriteItems' })
  const { status, body, headers } = await create('while away')
  expect([status, body.code, body.status]).toEqual([503, 17, 503])
  expect(headers.get('retry-after')).toBe('1')
  back()
  expect(await total()).toBe(before)
  expect((await create('while away')).status).toBe(201)
})

test('a read waits for an unavailable table, then answers 503', async () => {
  const { create, proxy, service, token } = faults()
  await create('to be read')
  const read = () => service.call('GET', '/v1/vault/keys2/to%20be%20read', { token })
  const back = proxy.inject({ fault: 'throttling', operation: 'GetItem' })
  expect((await read()).status).toBe(503)
  back()
  expect((await read()).status).toBe(200)
})
