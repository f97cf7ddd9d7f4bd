import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { DescribeTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { QueryCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { identify, runs } from '../../../../infra/local/data/processes.ts'
import { createTable, freePort, startTable } from '../../../../infra/local/table/table.ts'
import { ENGINES } from '../../../../infra/local/table/table-engines.ts'
import { temporaryFolder } from '../deployment-support.ts'

const folder = temporaryFolder()
afterAll(() => fs.rmSync(folder, { recursive: true }))

const { region, credentials } = LOCAL_ACCOUNT
const clientOf = (endpoint: string) => new DynamoDBClient({ endpoint, region, credentials })
const TableName = 'table'
const key = { pk: { S: 'partition' }, sk: { S: 'sort' } }

test.each(ENGINES.filter((engine) => engine.available()).map(({ name }) => name))(
  '%s serves the table with its due-index, and keeps it over a restart',
  async (engine) => {
    const file = path.join(folder, engine)
    const first = await startTable({ engine, file })
    await createTable(first.endpoint, TableName)
    await createTable(first.endpoint, TableName) // a second call changes nothing
    const client = clientOf(first.endpoint)
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [{ IndexName: 'due', Projection: { ProjectionType: 'KEYS_ONLY' } }],
    })
    const due = { due: { S: 'sweep' }, due_at: { S: '2026-01-01T00:00:00Z' } }
    await client.send(new PutItemCommand({ TableName, Item: { ...key, value: { S: '1' }, ...due } }))
    await client.send(new PutItemCommand({ TableName, Item: { ...key, sk: { S: 'not due' } } }))
    const { Items } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: 'due',
        KeyConditionExpression: 'due = :due and due_at < :now',
        ExpressionAttributeValues: { ':due': { S: 'sweep' }, ':now': { S: '2026-01-02' } },
      }),
    )
    expect(Items).toEqual([{ ...key, ...due }])
    const taken = client.send(
      new TransactWriteItemsCommand({
        TransactItems: [{ Put: { TableName, Item: key, ConditionExpression: 'attribute_not_exists(pk)' } }],
      }),
    )
    await expect(taken).rejects.toMatchObject({ name: 'TransactionCanceledException' })
    const files = fs.readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)))
    const open = files.filter((name) => name.startsWith(file) && (fs.statSync(name).mode & 0o077) !== 0)
    expect(open, 'files that other users of the machine may read or write').toEqual([])
    await first.stop()

    const second = await startTable({ engine, file })
    const { Item } = await clientOf(second.endpoint).send(new GetItemCommand({ TableName, Key: key }))
    expect(Item?.value).toEqual({ S: '1' })
    await second.stop()
  },
)

test('an engine ends on request, and reports it', async () => {
  const table = await startTable()
  const engine = identify(table.enginePid)
  await table.stop()
  expect(runs(engine)).toBe(false)
  await expect(table.ended).resolves.toEqual(expect.any(String))
})

test('an engine that is not installed is refused in one sentence', async () => {
  const { PATH } = process.env
  const program = `
    process.env.PATH = ''
    const { startTable } = await import(${JSON.stringify(path.resolve('infra/local/table/table.ts'))})
    await startTable({ engine: 'dynamodb-local' }).catch((error) => console.log(error.name, error.message))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await text(child.stdout)
  expect(said).toMatch(/^StartRefusal No table engine can run here: dynamodb-local is not available; .*\n$/)
})

test('kill -9 of its starter ends the engine, and answered writes exist at the next start', async () => {
  const file = path.join(folder, 'killed')
  const program = `
    import { startTable, createTable } from ${JSON.stringify(path.resolve('infra/local/table/table.ts'))}
    const table = await startTable({ file: ${JSON.stringify(file)} })
    await createTable(table.endpoint, ${JSON.stringify(TableName)})
    console.log(JSON.stringify({ endpoint: table.endpoint, pid: table.enginePid }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { endpoint, pid } = JSON.parse(await firstLine(child.stdout)) as { endpoint: string; pid: number }
  const engine = identify(pid)
  await clientOf(endpoint).send(new PutItemCommand({ TableName, Item: { ...key, value: { S: 'answered' } } }))
  const connection = net.connect(Number(new URL(endpoint).port), '127.0.0.1') // the system closes it when the engine ends
  const gone = new Promise((resolve) =>
    connection
      .on('close', resolve)
      .on('error', () => undefined)
      .resume(),
  )
  child.kill('SIGKILL')
  await gone
  await expect.poll(() => runs(engine), { interval: 10, timeout: 5000 }).toBe(false)
  const table = await startTable({ file })
  const { Item } = await clientOf(table.endpoint).send(new GetItemCommand({ TableName, Key: key }))
  expect(Item?.value).toEqual({ S: 'answered' })
  await table.stop()
})

test('a free port is free', async () => {
  const server = net.createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  server.close()
})

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  for await (const chunk of stream) all += String(chunk)
  return all
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  for await (const chunk of stream) {
    all += String(chunk)
    if (all.includes('\n')) break
  }
  return all
}
