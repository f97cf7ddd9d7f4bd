import { diffieHellman, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'
import { once } from 'node:events'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { startDeployment } from '../infra/local/deployment.ts'
import { bytesField, numberField } from '../test/support/attestation/protobuf.ts'
import { CarriedClient } from '../test/support/tls-client.ts'
import { HOST, seedEkmEndpoint, type BenchEndpoint } from './ekm-endpoint.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { scaled } from './scale.ts'
import { BUNDLES, NO_CONTEXT, PASSWORD, read, UNTHROTTLED, type Handler } from './service.ts'

const SESSIONS = scaled(40, 5)
const ROUNDS = scaled(15, 2)
const WARM_UP = 3

/** Forwards connections to the table outside of the measured thread, and counts its calls: reads, then writes. */
const COUNTER = `
const net = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const counts = new Int32Array(workerData.counts)
const server = net.createServer((client) => {
  const table = net.connect(workerData.port, '127.0.0.1')
  client.on('data', (bytes) => {
    for (const [, call] of bytes.toString('latin1').matchAll(/DynamoDB_20120810\\.(\\w+)/g))
      Atomics.add(counts, call.includes('Get') ? 0 : 1, 1)
    table.write(bytes)
  })
  table.pipe(client)
  for (const socket of [client, table]) socket.on('error', () => { client.destroy(); table.destroy() })
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

/** The public-key operations of a session: the token of each call, the key exchange, the certificate's signature. */
function bareSession({ issuerKey }: BenchEndpoint, { headers }: APIGatewayProxyEventV2, calls: number): () => void {
  const [head = '', claims = '', signature = ''] = (headers.authorization ?? '').slice('Bearer '.length).split('.')
  const signed = Buffer.from(`${head}.${claims}`)
  const proof = Buffer.from(signature, 'base64url')
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { publicKey } = generateKeyPairSync('x25519')
  const transcript = randomBytes(130)
  return () => {
    for (let call = 0; call < calls; call++)
      if (!verify('sha256', signed, issuerKey.publicKey, proof)) throw new Error('The token is wrong')
    const { privateKey } = generateKeyPairSync('x25519')
    diffieHellman({ privateKey, publicKey })
    sign('sha256', transcript, key)
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64')

/** The body of each call of a session, from the answer to the call before. */
async function session(
  { kekId, event, sessionEvent }: BenchEndpoint,
  send: (event: APIGatewayProxyEventV2) => Promise<any>,
): Promise<void> {
  const client = new CarriedClient({ servername: HOST, rejectUnauthorized: false })
  const begun = await send(sessionEvent('beginsession', { tlsRecords: base64(await client.hello()) }))
  const { sessionContext } = begun
  const finished = await client.answer(Buffer.from(begun.tlsRecords as string, 'base64'))
  await send(sessionEvent('handshake', { sessionContext, tlsRecords: base64(finished) }))
  const offer = base64(await client.write(bytesField(1, Buffer.of(1))))
  await send(sessionEvent('negotiateattestation', { sessionContext, offeredEvidenceTypesRecords: offer }))
  await send(sessionEvent('finalize', { sessionContext }))
  const context = bytesField(3, bytesField(3, numberField(1, 5n)))
  const request = Buffer.concat([bytesField(1, Buffer.from(kekId)), bytesField(2, randomBytes(32)), context])
  await send(event('confidentialwrap', { sessionContext, tlsRecords: base64(await client.write(request)) }))
  const goodbye = base64(await client.write(Buffer.from('TLS Tunneled EndSessionRequest V1')))
  await send(sessionEvent('endsession', { sessionContext, tlsRecords: goodbye }))
  client.close()
}

/** A whole session with one wrap, against its public-key operations alone; and its calls of the table. */
export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_EKM_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  const endpoint = await seedEkmEndpoint(deployment, { endpoint_type: 'ekm-ude' })
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const own = deployment.environmentOf('ekm-data')
  const port = Number(new URL(own.AWS_ENDPOINT_URL_DYNAMODB ?? '').port)
  const counter = new Worker(COUNTER, { eval: true, workerData: { port, counts: counts.buffer } })
  try {
    const [counted] = (await once(counter, 'message')) as [number]
    Object.assign(process.env, own, endpoint.environment, {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${counted}`,
    })
    const { handler } = (await import(pathToFileURL(path.join(BUNDLES, 'ekm-data', 'index.mjs')).href)) as {
      handler: Handler
    }
    let [activeMs, calls] = [0, 0]
    const tables = new Map<number, string>()
    // The time in which this thread works for the call: the table and the client work elsewhere or between calls.
    const send = async (event: APIGatewayProxyEventV2): Promise<any> => {
      counts.fill(0)
      const from = performance.eventLoopUtilization()
      const answered = await handler(event, NO_CONTEXT)
      activeMs += performance.eventLoopUtilization(from).active
      tables.set(calls++, `${event.rawPath.split(/[:/]/).at(-1) ?? ''} ${counts[0] ?? 0}+${counts[1] ?? 0}`)
      return read(answered, 200)
    }
    const ratios: number[] = []
    const [ours, bares]: [number[], number[]] = [[], []]
    let lastCalls = ''
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      activeMs = 0
      for (let at = 0; at < SESSIONS; at++) {
        calls = 0
        await session(endpoint, send)
      }
      lastCalls = [...tables.values()].join(', ')
      const bare = bareSession(endpoint, endpoint.sessionEvent('finalize', {}), calls)
      const from = performance.now()
      for (let at = 0; at < SESSIONS; at++) bare()
      const bareMs = performance.now() - from
      if (round < 0) continue
      ratios.push(bareMs / activeMs)
      ours.push(activeMs / SESSIONS)
      bares.push(bareMs / SESSIONS)
    }
    const note = `${medianOf(ours).toFixed(2)} against ${medianOf(bares).toFixed(2)} ms; reads+writes of the table: ${lastCalls}`
    return [
      { name: 'ekm session with a wrap: rate / bare', measured: spreadOf(ratios), promise: { atLeast: 0.4 }, note },
    ]
  } finally {
    await counter.terminate()
    await endpoint.stop()
    await deployment.stop()
  }
}
