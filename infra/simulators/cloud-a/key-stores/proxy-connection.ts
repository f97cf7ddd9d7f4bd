import * as https from 'node:https'
import type { IncomingMessage } from 'node:http'
import { codeOf } from '../../toolkit/error-code.ts'
import type { Resolve } from '../../toolkit/simulator.ts'
import type { ClientAuthority } from './client-authority.ts'
import type { ProxyConfiguration } from './key-stores.ts'
import { PROXY_ERRORS, ProxyFault, type ProxyProblem } from './proxy-faults.ts'
import { signatureHeaders } from '../../toolkit/aws/sigv4.ts'

/** One request of the protocol. */
export interface ProxyRequest {
  readonly proxy: ProxyConfiguration
  /** Region of the key store. */
  readonly region: string
  /** Path after the proxy's own: `/health`, or `/keys/<id>/<operation>`. */
  readonly path: string
  readonly body: object
}

export interface ProxyConnections {
  /** @returns the body of an answer with status 200. @throws ProxyFault */
  readonly send: (request: ProxyRequest) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => void
}

/** Time limit of the cloud for a request. */
const STANDARD_TIMEOUT_MS = 250
/** Far above the largest answer of the protocol. */
const MAX_ANSWER_BYTES = 65_536
/** Cipher suites; a proxy must offer one of them. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
].join(':')

/** Errors of an untrusted connection, in addition to those of OpenSSL (`ERR_SSL_…`). */
const TLS_CODES = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'EPROTO',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/**
 * The cloud's connections to the proxies of external key stores: HTTPS, kept open, each request signed with the store's
 * credential. A request without an answer in time is sent once more.
 * @param options.now in milliseconds, by which requests are signed
 * @param options.timeoutMs default: 250, as in the real cloud
 */
export function openProxyConnections(options: {
  resolve: Resolve
  authority: ClientAuthority
  now: () => number
  timeoutMs?: number
}): ProxyConnections {
  const agent = new https.Agent({ keepAlive: true })
  const timeoutMs = options.timeoutMs ?? STANDARD_TIMEOUT_MS
  const once = async (request: ProxyRequest) => {
    const host = request.proxy.endpoint.replace('https://', '')
    const place = options.resolve(host.toLowerCase())
    if (place === undefined) throw new ProxyFault('unknown-host')
    const body = Buffer.from(JSON.stringify(request.body))
    const { accessKeyId, secretAccessKey, path } = request.proxy
    const signed = { method: 'POST', url: `${path}${request.path}`, headers: { host }, body }
    const signer = { accessKeyId, secretAccessKey, region: request.region, service: 'kms-xks-proxy' }
    return exchange(body, {
      ...{ agent, method: 'POST', host: place.address, port: place.port, path: signed.url },
      headers: {
        ...{ host, 'content-type': 'application/json', 'content-length': body.length },
        ...signatureHeaders(signed, signer, new Date(options.now())),
      },
      ...{
        servername: host,
        minVersion: 'TLSv1.2',
        ciphers: CIPHERS,
        ...options.authority.certificateFor(request.region),
      },
      ...(place.ca !== undefined && { ca: place.ca }),
      signal: AbortSignal.timeout(timeoutMs),
    })
  }
  const patient = async (request: ProxyRequest) => {
    try {
      return await once(request)
    } catch (error) {
      if (error instanceof ProxyFault && error.problem === 'timed-out') return once(request)
      throw error
    }
  }
  return {
    send: async (request) => {
      const answer = await patient(request)
      if (answer.status !== 200) throw new ProxyFault(refusalIn(answer))
      return bodyOf(answer)
    },
    close: () => agent.destroy(),
  }
}

interface ProxyAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
}

async function exchange(body: Buffer, options: https.RequestOptions): Promise<ProxyAnswer> {
  try {
    const response = await respond(body, options)
    return {
      status: response.statusCode ?? 0,
      type: response.headers['content-type'] ?? '',
      text: await textOf(response),
    }
  } catch (error) {
    if (error instanceof ProxyFault) throw error
    throw new ProxyFault(problemOf(error), { cause: error })
  }
}

/** Retries on a new connection when the proxy has closed a kept one. */
function respond(body: Buffer, options: https.RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = https.request(options, resolve)
    request.on('error', (error) => {
      if (request.reusedSocket && codeOf(error) === 'ECONNRESET') respond(body, options).then(resolve, reject)
      else reject(error)
    })
    request.end(body)
  })
}

async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new ProxyFault('malformed')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function problemOf(error: unknown): ProxyProblem {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) return 'timed-out'
  const code = codeOf(error)
  return code.startsWith('ERR_SSL_') || TLS_CODES.has(code) ? 'bad-tls' : 'not-reachable'
}

function bodyOf({ type, text }: ProxyAnswer): Readonly<Record<string, unknown>> {
  if (!/^application\/json\b/i.test(type)) throw new ProxyFault('malformed')
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // thrown below
  }
  throw new ProxyFault('malformed')
}

const isErrorName = (name: unknown): name is keyof typeof PROXY_ERRORS =>
  typeof name === 'string' && Object.hasOwn(PROXY_ERRORS, name)

function refusalIn(answer: ProxyAnswer): ProxyProblem {
  const { errorName } = bodyOf(answer)
  return isErrorName(errorName) && PROXY_ERRORS[errorName] === answer.status ? errorName : 'malformed'
}
