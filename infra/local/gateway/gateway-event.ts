import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { LOCAL_ACCOUNT } from '../stand-ins/account.ts'
import type { Route } from './routing.ts'

/** Payload format 2.0, with the client certificate that an HTTP API with mutual TLS adds. */
export type HttpEvent = APIGatewayProxyEventV2

type ClientCertificate = NonNullable<HttpEvent['requestContext']['authentication']>['clientCert']

/** Content types whose body arrives as text. Other types, or none, arrive as base64. Observed, not documented. */
const TEXT_TYPES = /^(?:text\/.+|application\/(?:json|xml|javascript))$/
const API_ID = 'local'

/** A request target, split and decoded as the HTTP API does. */
interface Target {
  /** Percent-decoded, and cut at a `?` that appears only after decoding. */
  readonly path: string
  /** As sent. */
  readonly query: string
}

/** @returns `undefined` if the target is not a path or its percent-encoding is broken */
export function parseTarget(target: string): Target | undefined {
  const relative = target.replace(/^https?:\/\/[^/?]*/i, '') // absolute form, RFC 9112 section 3.2.2
  const at = relative.indexOf('?')
  const rawPath = at === -1 ? relative : relative.slice(0, at)
  try {
    const decoded = decodeURIComponent(rawPath === '' && relative !== target ? '/' : rawPath)
    if (!decoded.startsWith('/')) return undefined
    return { path: decoded.split('?', 1)[0] ?? '/', query: at === -1 ? '' : relative.slice(at + 1) }
  } catch {
    return undefined
  }
}

/** @param now the deployment's clock */
export function toEvent(request: IncomingMessage, target: Target, route: Route, body: Buffer, now: Date): HttpEvent {
  const { headers, cookies } = headersOf(request)
  const text = TEXT_TYPES.test((headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')
  const encoded = body.length > 0 && (!text || headers['content-encoding'] !== undefined)
  const query = queryOf(target.query)
  const domainName = (headers.host ?? 'localhost').replace(/:\d+$/, '')
  const clientCert = clientCertificateOf(request)
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath: target.path,
    rawQueryString: target.query,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(query && { queryStringParameters: query }),
    requestContext: {
      accountId: LOCAL_ACCOUNT.id,
      apiId: API_ID,
      ...(clientCert && { authentication: { clientCert } }),
      domainName,
      domainPrefix: domainName.split('.', 1)[0] ?? domainName,
      http: {
        method: request.method ?? 'GET',
        path: target.path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: route.key,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(route.pathParameters && { pathParameters: { ...route.pathParameters } }),
    ...(body.length > 0 && { body: body.toString(encoded ? 'base64' : 'utf8') }),
    isBase64Encoded: encoded,
  }
}

/** Hop-by-hop headers, which a front door removes. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
])

/** Headers by lower-case name, repeated ones joined by commas, without cookies, plus those that a front door adds. */
function headersOf(request: IncomingMessage): { headers: Record<string, string>; cookies: string[] } {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  const cookies: string[] = []
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = String(request.rawHeaders[i]).toLowerCase()
    const value = String(request.rawHeaders[i + 1])
    if (name === 'cookie') cookies.push(...value.split(/; */).filter((cookie) => cookie !== ''))
    else if (!OF_THE_CONNECTION.has(name))
      headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  const client = request.socket.remoteAddress ?? '127.0.0.1'
  headers['x-forwarded-for'] =
    headers['x-forwarded-for'] === undefined ? client : `${headers['x-forwarded-for']}, ${client}`
  headers['x-forwarded-port'] = String(request.socket.localPort ?? '')
  headers['x-forwarded-proto'] = request.socket instanceof TLSSocket ? 'https' : 'http'
  headers['x-amzn-trace-id'] ??= newTraceId()
  return { headers: { ...headers }, cookies }
}

/** Root=1-<8 hex>-<24 hex>, the form of the platform's tracing. */
function newTraceId(): string {
  const hex = randomUUID().replaceAll('-', '')
  return `Root=1-${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Decoded, repeated names joined by commas; `undefined` without a query. */
function queryOf(query: string): Record<string, string> | undefined {
  if (query === '') return undefined
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const earlier = values.get(name)
    values.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  return Object.fromEntries(values)
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `20/Nov/2026:11:44:37 +0000` */
function commonLogTime(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, '0')
  const time = date.toISOString().slice(11, 19)
  return `${day}/${String(MONTHS[date.getUTCMonth()])}/${date.getUTCFullYear()}:${time} +0000`
}

/** The client certificate of the TLS handshake, from any issuer. The function decides whether to trust it. */
function clientCertificateOf({ socket }: IncomingMessage): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return undefined
  return {
    clientCertPem: certificate.toString(),
    subjectDN: distinguishedName(certificate.subject),
    issuerDN: distinguishedName(certificate.issuer),
    serialNumber: certificate.serialNumber.toLowerCase().replace(/(..)(?=.)/g, '$1:'),
    validity: { notBefore: certificate.validFrom, notAfter: certificate.validTo },
  }
}

/** Node prints one attribute per line, most significant first; RFC 4514 has the reverse order, with commas. */
const distinguishedName = (lines: string | undefined): string => (lines ?? '').split('\n').reverse().join(',')
