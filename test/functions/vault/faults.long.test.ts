import { expect, test } from 'vitest'
import { useFaults } from './behind-faults.ts'

const faults = useFaults()

test.each(['transaction-conflict', 'throttling', 'commit-then-timeout', 'internal-error'] as const)(
  'with %s, fifty identical concurrent creates make one key, and counters and records agree',
  async (fault) => {
    const { create, proxy, service, token, total } = faults()
    const before = await total()
    proxy.inject({ fault, operation: 'TransactWriteItems', probability: 0.15, seed: 3 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(`one ${fault}`)))
    proxy.reset()
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49)
    expect(await total()).toBe(before + 1)
    const made = answers.find(({ status }) => status === 201)
    const uri = encodeURIComponent(made?.body.uri as string)
    const records = await service.call('GET', `/v1/audit/records?resource_uri=${uri}&success=true`, { token })
    expect(records.body.total).toBe(1)
  },
)

test('reads survive a temporary failure of the table', async () => {
  const { create, proxy, service, token } = faults()
  await create('to be read')
  proxy.inject({ fault: 'throttling', operation: 'GetItem', times: 2 }) // one fewer than the number of attempts
  expect((await service.call('GET', '/v1/vault/keys2/to%20be%20read', { token })).status).toBe(200)
})

test('a request repeated under its Idempotency-Key until it is answered takes effect once', async () => {
  const { create, proxy, total } = faults()
  const before = await total()
  proxy.inject({ fault: 'commit-then-timeout', operation: 'TransactWriteItems', probability: 0.5, seed: 11 })
  const headers = { 'idempotency-key': 'again-and-again' }
  const answers = []
  for (let attempt = 0; attempt < 6; attempt++) answers.push(await create('exactly once', headers))
  proxy.reset()
  const bodies = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => JSON.stringify(body)))
  expect(bodies.size).toBe(1)
  expect(answers.every(({ status }) => status === 201 || status === 503)).toBe(true)
  expect(await total()).toBe(before + 1)
})

test('reading one key by id costs one table read when caches are warm, by name two', async () => {
  const { create, proxy, service, token } = faults()
  const { body } = await create('counted')
  const read = (reference: string) => service.call('GET', `/v1/vault/keys2/${reference}`, { token })
  await read(body.id as string)
  proxy.reset()
  await read(body.id as string)
  expect(proxy.counts()).toEqual({ GetItem: 1 })
  proxy.reset()
  await read('counted')
  expect(proxy.counts()).toEqual({ GetItem: 2 })
})

test('creating a key costs one transaction and no read when caches are warm', async () => {
  const { create, proxy } = faults()
  await create('warm')
  proxy.reset()
  await create('warmer')
  expect(proxy.counts()).toEqual({ TransactWriteItems: 1 })
})
