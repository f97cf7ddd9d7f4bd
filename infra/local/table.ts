import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import * as net from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb'
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { TABLE } from '../functions.ts'
import { LOCAL_ACCOUNT } from './account.ts'
import { StartRefusal } from './start-refusal.ts'
import { pickEngine, type EngineName } from './table-engines.ts'

export interface Table {
  readonly endpoint: string
  /** The engine's own process id, for the lock. */
  readonly enginePid: number
  /** Settles when the engine ends, asked or not; tells why in words. */
  readonly ended: Promise<string>
  readonly stop: () => Promise<void>
}

type Keeper = ChildProcessByStdio<Writable, Readable, Readable>

const KEEPER = fileURLToPath(new URL('engine-keeper.ts', import.meta.url))
const HOST = '127.0.0.1'
/** Below the ports that systems hand out for outgoing connections, so that none of those takes it in between. */
const PORTS = { from: 15_000, to: 32_000 }
const START_ATTEMPTS = 5
/** Java on a busy machine; the other engine needs a hundredth of it. */
const READY_WITHIN_MS = 60_000
const RETRY_CONNECT_MS = 15

/**
 * Starts a table engine and waits until it answers.
 * @param options.file where the table lives; in memory without
 * @throws StartRefusal if no engine can run or it does not come up
 */
export async function startTable(options: { engine?: EngineName; file?: string } = {}): Promise<Table> {
  const engine = pickEngine(options.engine)
  let reason = ''
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    const port = await freePort()
    const keeper = spawn(process.execPath, [KEEPER, ...engine.command(port, options.file)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // its own process group: Ctrl-C in the terminal is for us, the engine ends last
      env: { PATH: process.env.PATH ?? '' },
    })
    const table = await becomesReady(keeper, port)
    if (typeof table !== 'string') return table
    reason = table // most likely another process took the port: try the next one
  }
  throw new StartRefusal(`The table engine ${engine.name} did not start: ${reason || 'it said nothing'}.`)
}

/** @returns the table, or in words why it did not come up */
async function becomesReady(keeper: Keeper, port: number): Promise<Table | string> {
  let said = ''
  keeper.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
  keeper.stdin.on('error', () => undefined) // the keeper ended: `ended` tells
  let exited = false
  const ended = once(keeper, 'close').then(([code]) => {
    exited = true
    return said.trim().split('\n')[0] ?? `exit code ${String(code)}`
  })
  const pid = await Promise.race([once(keeper.stdout, 'data').then(([bytes]) => Number(String(bytes))), ended])
  if (typeof pid === 'string') return pid
  keeper.stdout.resume()
  const giveUpAt = performance.now() + READY_WITHIN_MS
  // `ended` changes `exited` while the loop waits, which the compiler does not see
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

/** A free port. */
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

/** Makes the table with its due-index, as the deployed stack does. Safe to repeat. */
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
