import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as https from 'node:https'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { startDeployment } from '../infra/local/deployment.ts'
import { authority } from '../test/support/certificates.ts'
import { stampOf } from '../test/support/xks-signing.ts'
import { answerParent, apart } from './apart.ts'
import { bareProxy } from './bare-proxy.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { REGION, seedKeyStore, STORE_ENVIRONMENT } from './key-store.ts'
import { milliseconds } from './rounds.ts'
import { BUNDLES, PASSWORD } from './service.ts'
import { scaled } from './scale.ts'

const CONNECTIONS = 16
const CALLS = scaled(3_000, 300)
const ROUNDS = scaled(9, 2)

interface Target {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}
interface Served {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}
interface BareSettings {
  readonly secret: string
  readonly day: string
  readonly cert: string
  readonly key: string
}

/** Many parallel connections, each with one request after another. */
async function load({ port, path, headers, body }: Target): Promise<Served> {
  const agent = new https.Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false })
  const times: number[] = []
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const from = performance.now()
      const options = { agent, port, path, method: 'POST', servername: 'localhost' }
      const request = https.request({ ...options, headers: { ...headers, 'content-length': body.length } }, (reply) => {
        reply.resume().on('end', () => {
          times.push(performance.now() - from)
          if (reply.statusCode === 200) resolve()
          else reject(new Error(`Answered ${String(reply.statusCode)}`))
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  let left = CALLS
  const from = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await one()
    }),
  )
  const perSecond = times.length / ((performance.now() - from) / 1_000)
  agent.destroy()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** A bare server that does the same cryptography for every request, in a process of its own. */
async function serveBare({ secret, day, cert, key }: BareSettings): Promise<number> {
  const bare = bareProxy(secret, REGION, day, randomBytes(32))
  const server = https.createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      const answer = bare.encrypt({ rawPath: request.url ?? '', headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
      response.end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Encrypt through the local HTTPS front door with 16 connections, against a bare server with the same cryptography. */
export async function measure(): Promise<Figure[]> {
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    tlsPort: 'any',
    environment: STORE_ENVIRONMENT,
  })
  const side = (): ChildProcess => fork(import.meta.filename, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [bareChild, loadChild] = [side(), side()]
  const [bare, loader] = [apart(bareChild), apart(loadChild)]
  try {
    const store = await seedKeyStore(deployment, 1)
    const fields = {
      plaintext: randomBytes(76).toString('base64'),
      encryptionAlgorithm: 'AES_GCM',
      additionalAuthenticatedData: randomBytes(60).toString('base64'),
      ciphertextDataIntegrityValueAlgorithm: 'SHA_256',
    }
    const day = stampOf(deployment.clock.now()).slice(0, 8)
    const settings: BareSettings = { secret: store.credential.secret, day, ...authority('bench').issue('localhost') }
    const barePort = (await bare.ask({ serve: settings })) as number
    const port = Number(new URL(deployment.tlsBaseUrl ?? '').port)
    const run = async (at: number): Promise<Served> => {
      const { rawPath: path, headers, body = '' } = store.event('encrypt', store.keyIds[0] ?? '', fields)
      return (await loader.ask({ load: { port: at, path, headers, body } satisfies Target })) as Served
    }
    const [ours, theirs]: [Served[], Served[]] = [[], []]
    for (let round = -1; round < ROUNDS; round++) {
      const [a, b] = [await run(port), await run(barePort)]
      if (round < 0) continue
      ours.push(a)
      theirs.push(b)
    }
    const noteOf = (served: readonly Served[]): string =>
      `${medianOf(served.map(({ perSecond }) => perSecond)).toFixed(0)}/s, ` +
      `p50 ${milliseconds(medianOf(served.map(({ p50Ms }) => p50Ms)))}, ` +
      `p99 ${milliseconds(medianOf(served.map(({ p99Ms }) => p99Ms)))}`
    return [
      {
        name: 'xks encrypt over HTTPS: rate / bare server',
        measured: spreadOf(ours.map(({ perSecond }, at) => perSecond / (theirs[at]?.perSecond ?? Number.NaN))),
        promise: { atLeast: 0.5 },
        note: `${noteOf(ours)}; bare ${noteOf(theirs)}`,
      },
    ]
  } finally {
    await Promise.all([bare.stop(), loader.stop()])
    await deployment.stop()
  }
}

if (import.meta.main)
  answerParent(async (question) => {
    const { serve, load: target } = question as { serve?: BareSettings; load?: Target }
    return serve ? serveBare(serve) : target && load(target)
  })
