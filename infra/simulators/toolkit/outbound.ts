import * as http from 'node:http'
import * as https from 'node:https'
import { codeOf } from './error-code.ts'
import type { Resolve } from './simulator.ts'
import type { Issued } from './x509.ts'

/** One call of a simulated platform to a server of its customer. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  /** The client certificate; default: none. */
  readonly client?: Pick<Issued, 'key' | 'cert'> | undefined
  /** Requirements of the platform for a TLS connection; default: those of Node. */
  readonly tls?: Pick<https.RequestOptions, 'minVersion' | 'ciphers'>
  /** Longest answer; default: 1 MiB. */
  readonly answerBytes?: number
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/**
 * `unknown-host`: no address, or `http` to another machine; `timed-out`: no whole answer in time; `too-long`: an answer
 * far above any that the platforms expect; `not-reachable`: no connection, or an untrusted one
 */
export class OutboundFault extends Error {
  override readonly name = 'OutboundFault'
  readonly problem: 'unknown-host' | 'timed-out' | 'too-long' | 'not-reachable'
  constructor(problem: OutboundFault['problem'], options?: ErrorOptions) {
    super(`The call failed: ${problem}`, options)
    this.problem = problem
  }
}

/** Connections of a simulated platform to servers of its customers. Redirects are answers like any other. */
export interface Outbound {
  /** @throws OutboundFault */
  readonly send: (request: OutboundRequest) => Promise<OutboundAnswer>
  readonly close: () => void
}

const ANSWER_BYTES = 1_048_576
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Platforms call `https` only. Ours: servers on loopback may also have `http`. */
export function openOutbound(resolve: Resolve): Outbound {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) }
  return {
    send: async ({ method, url: address, headers, body, timeoutMs, client, tls, answerBytes = ANSWER_BYTES }) => {
      const url = new URL(address)
      const place = resolve(url.hostname)
      const isLoopback = LOOPBACK.has(url.hostname)
      const isPlain = url.protocol === 'http:'
      if (isPlain ? !isLoopback : place === undefined && !isLoopback) throw new OutboundFault('unknown-host')
      const options: https.RequestOptions = {
        ...{ method, path: `${url.pathname}${url.search}`, agent: agents[isPlain ? 'http:' : 'https:'] },
        ...{ host: place?.address ?? url.hostname, port: place?.port ?? url.port, servername: url.hostname },
        ...(place?.ca !== undefined && { ca: place.ca }),
        ...client,
        ...tls,
        headers: {
          host: url.host,
          ...headers,
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
        signal: AbortSignal.timeout(timeoutMs),
      }
      return exchange(isPlain ? http : https, options, body, answerBytes)
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function exchange(
  module: typeof http | typeof https,
  options: https.RequestOptions,
  body: string | undefined,
  answerBytes: number,
): Promise<OutboundAnswer> {
  try {
    const response = await respond(module, options, body)
    return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response, answerBytes) }
  } catch (error) {
    if (error instanceof OutboundFault) throw error
    const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
    throw new OutboundFault(isLate ? 'timed-out' : 'not-reachable', { cause: error })
  }
}

/** Retries on a new connection when the server has closed a kept one. */
function respond(
  module: typeof http | typeof https,
  options: https.RequestOptions,
  body: string | undefined,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = module.request(options, resolve)
    request.on('error', (error) => {
      if (request.reusedSocket && codeOf(error) === 'ECONNRESET') respond(module, options, body).then(resolve, reject)
      else reject(error)
    })
    request.end(body)
  })
}

async function textOf(response: AsyncIterable<Buffer>, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > most) throw new OutboundFault('too-long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
