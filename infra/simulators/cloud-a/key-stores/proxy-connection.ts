import { codeOf } from '../../toolkit/error-code.ts'
import { openOutbound, OutboundFault, type OutboundAnswer } from '../../toolkit/outbound.ts'
import type { Resolve } from '../../toolkit/simulator.ts'
import { signatureHeaders } from '../../toolkit/aws/sigv4.ts'
import type { ClientAuthority } from './client-authority.ts'
import type { ProxyConfiguration } from './key-stores.ts'
import { PROXY_ERRORS, ProxyFault, type ProxyProblem } from './proxy-faults.ts'

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
  const outbound = openOutbound(options.resolve)
  const timeoutMs = options.timeoutMs ?? STANDARD_TIMEOUT_MS
  const once = async (request: ProxyRequest): Promise<OutboundAnswer> => {
    const { accessKeyId, secretAccessKey, endpoint, path } = request.proxy
    const host = endpoint.replace('https://', '')
    const body = JSON.stringify(request.body)
    const signed = { method: 'POST', url: `${path}${request.path}`, headers: { host }, body: Buffer.from(body) }
    const signer = { accessKeyId, secretAccessKey, region: request.region, service: 'kms-xks-proxy' }
    const headers = { host, 'content-type': 'application/json' }
    return outbound
      .send({
        method: 'POST',
        url: `${endpoint}${signed.url}`,
        headers: { ...headers, ...signatureHeaders(signed, signer, new Date(options.now())) },
        body,
        timeoutMs,
        client: options.authority.certificateFor(request.region),
        tls: { minVersion: 'TLSv1.2', ciphers: CIPHERS },
        answerBytes: MAX_ANSWER_BYTES,
      })
      .catch((error: unknown) => {
        throw error instanceof OutboundFault ? new ProxyFault(problemOf(error), { cause: error }) : error
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
    close: outbound.close,
  }
}

function problemOf({ problem, cause }: OutboundFault): ProxyProblem {
  if (problem === 'too-long') return 'malformed'
  const code = codeOf(cause)
  return problem === 'not-reachable' && (code.startsWith('ERR_SSL_') || TLS_CODES.has(code)) ? 'bad-tls' : problem
}

function bodyOf({ headers, text }: OutboundAnswer): Readonly<Record<string, unknown>> {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) throw new ProxyFault('malformed')
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

function refusalIn(answer: OutboundAnswer): ProxyProblem {
  const { errorName } = bodyOf(answer)
  return isErrorName(errorName) && PROXY_ERRORS[errorName] === answer.status ? errorName : 'malformed'
}
