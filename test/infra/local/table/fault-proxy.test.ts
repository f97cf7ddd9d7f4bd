import { DynamoDBClient, GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { startFaultProxy, type FaultProxy, type FaultRule } from '../../../../infra/local/table/fault-proxy.ts'
import { createTable, startTable, type Table } from '../../../../infra/local/table/table.ts'

const TableName = 'faults'
let table: Table
let proxy: FaultProxy
let client: DynamoDBClient

beforeAll(async () => {
  table = await startTable()
  await createTable(table.endpoint, TableName)
  proxy = await startFaultProxy(table.endpoint)
  const { region, credentials } = LOCAL_ACCOUNT
  client = new DynamoDBClient({ endpoint: proxy.endpoint, region, credentials, maxAttempts: 1 })
})
afterAll(async () => {
  await proxy.stop()
  await table.stop()
})
beforeEach(() => proxy.reset())

const key = (name: string) => ({ pk: { S: name }, sk: { S: name } })
const put = (name: string, value: string) =>
  client.send(new PutItemCommand({ TableName, Item: { ...key(name), value: { S: value } } }))
const get = async (name: string, ConsistentRead = true) =>
  (await client.send(new GetItemCommand({ TableName, Key: key(name), ConsistentRead }))).Item?.value?.S
const transact = (...names: string[]) =>
  client.send(
    new TransactWriteItemsCommand({ TransactItems: names.map((name) => ({ Put: { TableName, Item: key(name) } })) }),
  )

test('without rules every call passes and is counted', async () => {
  await put('plain', '1')
  expect(await get('plain')).toBe('1')
  expect(await get('plain')).toBe('1')
  expect(proxy.counts()).toEqual({ PutItem: 1, GetItem: 2 })
  expect(proxy.calls().map(({ operation }) => operation)).toEqual(['PutItem', 'GetItem', 'GetItem'])
})

test('a transaction conflict contains its reasons and writes nothing', async () => {
  proxy.inject({ fault: 'transaction-conflict', operation: 'TransactWriteItems', times: 1 })
  await expect(transact('one', 'two')).rejects.toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
  })
  expect(proxy.counts()).toEqual({})
  await transact('one', 'two')
})

test.each<[FaultRule['fault'], string]>([
  ['transaction-conflict', 'TransactionConflictException'],
  ['throughput-exceeded', 'ProvisionedThroughputExceededException'],
  ['throttling', 'ThrottlingException'],
  ['internal-error', 'InternalServerError'],
])('%s on a single write is a %s, and nothing is written', async (fault, name) => {
  proxy.inject({ fault, operation: 'PutItem' })
  await expect(put(fault, '1')).rejects.toMatchObject({ name })
  expect(await get(fault)).toBeUndefined()
  expect(proxy.calls()[0]).toMatchObject({ operation: 'PutItem', fault, forwarded: false })
})

test('commit-then-timeout writes, and the caller gets no answer', async () => {
  proxy.inject({ fault: 'commit-then-timeout', operation: 'PutItem', calls: [1] })
  await expect(put('lost', '1')).rejects.toThrow()
  expect(await get('lost')).toBe('1')
})

test('a stale read repeats the earlier answer; a consistent read does not', async () => {
  await put('moving', 'old')
  expect(await get('moving', false)).toBe('old')
  await put('moving', 'new')
  const takeAway = proxy.inject({ fault: 'stale-read' })
  expect(await get('moving', false)).toBe('old')
  expect(await get('moving', true)).toBe('new')
  takeAway()
  expect(await get('moving', false)).toBe('new')
})

test('a rule affects only the named calls', async () => {
  proxy.inject({ fault: 'throttling', operation: 'PutItem', calls: [2] })
  await put('third', '1')
  await expect(put('third', '2')).rejects.toMatchObject({ name: 'ThrottlingException' })
  await put('third', '3')
  expect(await get('third')).toBe('3')
})

test('a rule can depend on the request', async () => {
  proxy.inject({ fault: 'throttling', when: ({ ConsistentRead }) => ConsistentRead === false })
  await expect(get('any', false)).rejects.toMatchObject({ name: 'ThrottlingException' })
  expect(await get('any', true)).toBeUndefined()
})

test('the same seed affects the same calls', async () => {
  const struck = async (seed: number) => {
    proxy.reset()
    proxy.inject({ fault: 'throttling', operation: 'GetItem', probability: 0.5, seed })
    for (let i = 0; i < 40; i++) await get('chance').catch(() => undefined)
    return proxy.calls().map(({ fault }) => fault !== undefined)
  }
  const once = await struck(7)
  expect(await struck(7)).toEqual(once)
  expect(await struck(8)).not.toEqual(once)
  expect(once.filter(Boolean).length).toBeGreaterThan(8)
  expect(once.filter(Boolean).length).toBeLessThan(32)
})

test('an SDK client with retries survives one throttled call', async () => {
  const { region, credentials } = LOCAL_ACCOUNT
  const patient = new DynamoDBClient({ endpoint: proxy.endpoint, region, credentials })
  proxy.inject({ fault: 'throughput-exceeded', calls: [1] })
  await patient.send(new PutItemCommand({ TableName, Item: key('patient') }))
  expect(proxy.calls().map(({ fault }) => fault)).toEqual(['throughput-exceeded', undefined])
})
