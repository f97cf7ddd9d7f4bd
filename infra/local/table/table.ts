import * as path from 'node:path'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import * as net from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb'
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { TABLE } from '../../functions.ts'
import { given } from '../../simulators/toolkit/given.ts'
import { LOCAL_ACCOUNT } from '../stand-ins/account.ts'
import { StartRefusal } from '../command/start-refusal.ts'
import { pickEngine, type EngineName } from './table-engines.ts'

export interface Table {
  readonly endpoint: string
  /** Process id of the engine, for the lock. */
  readonly enginePid: number
  /** Settles when the engine ends for any reason, and states that reason. */
  readonly ended: Promise<string>
  readonly stop: () => Promise<void>
}

type Keeper = ChildProcessByStdio<Writable, Readable, Readable>

const KEEPER = fileURLToPath(new URL(`engine-keeper${path.extname(import.meta.filename)}`, import.meta.url))
const HOST = '127.0.0.1'
/**
 * Below the ports that systems assign to outgoing connections, so that no such connection takes the port in between.
 */
const PORTS = { from: 15_000, to: 32_000 }
const START_ATTEMPTS = 5
/** Java on a busy machine; the other engine needs a hundredth of this. */
const READY_WITHIN_MS = 60_000
const RETRY_CONNECT_MS = 15

/**
 * Starts a table engine and waits until it answers.
 * @param options.file where the table is stored; default: in memory
 * @throws StartRefusal if no engine can run or it does not become ready
 */
export async function startTable(options: { engine?: EngineName; file?: string } = {}): Promise<Table> {
  const engine = pickEngine(options.engine)
  let reason = ''
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    const port = await freePort()
    const keeper = spawn(process.execPath, [KEEPER, ...engine.command(port, options.file)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // Ctrl-C must not reach the engine, which ends last
      env: { PATH: process.env.PATH ?? '', ...given('NODE_COMPILE_CACHE', process.env.NODE_COMPILE_CACHE) },
    })
    const table = await becomesReady(keeper, port)
    if (typeof table !== 'string') return table
    reason = table // probably another process took the port: try the next one
  }
  throw new StartRefusal(`The table engine ${engine.name} did not start: ${reason || 'it said nothing'}.`)
}

/** @returns the table, or a sentence that states why it did not become ready */
async function becomesReady(keeper: Keeper, port: number): Promise<Table | string> {
  let said = ''
  keeper.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
  keeper.stdin.on('error', () => undefined) // the keeper ended: `ended` reports it
  let exited = false
  const ended = once(keeper, 'close').then(([code]) => {
    exited = true
    return said.trim().split('\n')[0] ?? `exit code ${String(code)}`
  })
  const pid = await Promise.race([once(keeper.stdout, 'data').then(([bytes]) => Number(String(bytes))), ended])
  if (typeof pid === 'string') return pid
  keeper.stdout.resume()
  const giveUpAt = performance.now() + READY_WITHIN_MS
  // `ended` changes `exited` during the loop, which the compiler does not see
  while (!(exited as boolean)) {
    if (await connects(port)) {
      const stop = async () => {
        keeper.stdin.end()
        await ended
      }
      return { endpoint: `http://${HOST}:${port}`, enginePid: pid, ended, stop }
    }
    if (performance.now() > giveUpAt) {
      keeper.stdin.end()
      await ended
      return 'it did not listen in time'
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_CONNECT_MS))
  }
  return ended
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, HOST)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    const server = net.createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, HOST, () => resolve(true))
    })
    if (free) {
      await new Promise((resolve) => server.close(resolve))
      return port
    }
  }
}

const text = (name: string) => ({ AttributeName: name, AttributeType: 'S' as const })
const keys = (partition: string, sort: string): CreateTableCommandInput['KeySchema'] => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
]

/** Creates the table with its due-index, as the deployed stack does. Safe to repeat. */
export async function createTable(endpoint: string, name: string): Promise<void> {
  const { partitionKey, sortKey, dueIndex } = TABLE
  const client = new DynamoDBClient({ endpoint, region: LOCAL_ACCOUNT.region, credentials: LOCAL_ACCOUNT.credentials })
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [partitionKey, sortKey, dueIndex.partitionKey, dueIndex.sortKey].map(text),
        KeySchema: keys(partitionKey, sortKey),
        GlobalSecondaryIndexes: [
          {
            IndexName: dueIndex.name,
            KeySchema: keys(dueIndex.partitionKey, dueIndex.sortKey),
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    )
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
  }
  try {
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name })
  } finally {
    client.destroy()
  }
}
