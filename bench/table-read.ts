import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { Worker } from 'node:worker_threads'
import { readItem } from '../shared/serving/sdkless/dynamo.ts'
import { sdklessEnvironment } from '../shared/serving/sdkless/environment.ts'
import { signedHeaders } from '../shared/serving/sdkless/sign.ts'
import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'

const TABLE = 'keymgr'
const KEY = { pk: 'domain#local-key', sk: 'local-key#1' }
const TARGET = 'DynamoDB_20120810.BatchGetItem'
const CONTENT_TYPE = 'application/x-amz-json-1.0'

/** Answers every request like the table's answer to a read of one item. */
const SERVER = `
const { createServer } = require('node:http')
const { parentPort, workerData } = require('node:worker_threads')
const headers = {
  'content-type': '${CONTENT_TYPE}',
  'x-amzn-requestid': 'A'.repeat(52),
  'x-amz-crc32': '1234567890',
  'content-length': Buffer.byteLength(workerData),
}
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, headers).end(workerData))
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

const item = { pk: { S: KEY.pk }, sk: { S: KEY.sk }, data: { S: JSON.stringify({ sealed: 'A'.repeat(700) }) } }

/** The same read over an agent of `node:http`: signed and parsed the same way, with a deadline. */
function overAgent(agent: Agent, epochMs: number): Promise<unknown> {
  const { endpoints, ...environment } = sdklessEnvironment()
  const { host, hostname, port } = new URL(endpoints.dynamodb)
  const input = { RequestItems: { [TABLE]: { Keys: [{ pk: item.pk, sk: item.sk }], ConsistentRead: true } } }
  const body = JSON.stringify(input)
  const unsigned = { service: 'dynamodb', host, target: TARGET, contentType: CONTENT_TYPE, body, epochMs }
  const headers = { ...signedHeaders(unsigned, environment), 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), 150)
    const read = (reply: IncomingMessage): void => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        clearTimeout(timer)
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      })
    }
    const sent = request({ agent, hostname, port, method: 'POST', path: '/', headers }, read).on('error', reject)
    sent.end(body)
  })
}

/** 1,000 warm reads of the table without the SDK, one after another, against the same over an agent of `node:http`. */
export async function measure(): Promise<Figure[]> {
  const reply = JSON.stringify({ Responses: { [TABLE]: [item] }, UnprocessedKeys: {} })
  const server = new Worker(SERVER, { eval: true, workerData: reply })
  const [port] = (await once(server, 'message')) as [number]
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    KEYMGR_TABLE: TABLE,
    KEYMGR_ROOT_KEY: 'alias/keymgr',
  })
  const agent = new Agent({ keepAlive: true })
  const epochMs = Date.parse('2025-01-01')
  const times = (read: () => Promise<unknown>) => ({
    run: async (calls: number) => {
      for (let at = 0; at < calls; at++) await read()
    },
  })
  try {
    const ours = times(() => readItem(KEY, epochMs))
    const bare = times(() => overAgent(agent, epochMs))
    const outcome = await compare({ ours, bare, rounds: 21, turns: 2, calls: 500 })
    return [
      {
        name: 'warm table read / node:http agent',
        measured: outcome.ratio,
        promise: { atMost: 1 },
        note: versus(outcome),
      },
    ]
  } finally {
    agent.destroy()
    await server.terminate()
  }
}
