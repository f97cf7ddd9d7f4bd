import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../loopback.ts'
import { ServiceError } from '../service-error.ts'

/** The parts of the `Authorization` header of Signature Version 4. */
export interface Authorization {
  readonly algorithm: string
  /** For a signature by a certificate's key, the serial number of the certificate. */
  readonly accessKeyId: string
  /** Credential scope: `yyyymmdd`, region and signing name of the service. */
  readonly date: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
  /** In hex. */
  readonly signature: string
  /** `x-amz-date`: the client's signing time. */
  readonly signedAt: Date
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** Signing name of the object store. */
const S3 = 's3'
/** Values instead of a body's hash, for a body that is unsigned or in chunks. */
const NO_HASH = /^(?:UNSIGNED-PAYLOAD|STREAMING-[A-Z0-9-]+)$/
const FORM =
  /^(AWS4-[A-Z0-9-]+) Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=((?:[0-9a-f]{2})+)$/
const DATE_FORM = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

const invalid = (message: string) => new ServiceError('InvalidSignatureException', message)

/**
 * @param algorithms that the service accepts
 * @throws ServiceError MissingAuthenticationTokenException, IncompleteSignatureException, InvalidSignatureException
 */
export function readAuthorization(
  headers: IncomingHttpHeaders,
  algorithms: readonly string[] = [ALGORITHM],
): Authorization {
  const header = headers.authorization
  if (header === undefined) {
    throw new ServiceError('MissingAuthenticationTokenException', 'Missing Authentication Token')
  }
  const found = FORM.exec(header)
  const [, algorithm = '', accessKeyId, date, region, service, signedHeaders, signature] = found ?? []
  const signedAt = timeOf(String(headers['x-amz-date']))
  const isWhole = signature !== undefined && accessKeyId !== undefined && region !== undefined
  if (!isWhole || signedAt === undefined || !algorithms.includes(algorithm)) {
    throw new ServiceError('IncompleteSignatureException', 'The authorization header or x-amz-date is not complete.')
  }
  if (date !== String(headers['x-amz-date']).slice(0, 8)) {
    throw invalid('Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP')
  }
  return {
    algorithm,
    accessKeyId,
    date,
    region,
    service: String(service),
    signedHeaders: String(signedHeaders).split(';'),
    signature,
    signedAt,
  }
}

/** Requires that host, date and every `x-amz-` header are signed. @throws ServiceError InvalidSignatureException */
export function requireSigned(request: HttpRequest, authorization: Authorization): void {
  const unsigned = Object.keys(request.headers).find(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !authorization.signedHeaders.includes(name),
  )
  if (unsigned !== undefined) throw invalid(`'${unsigned}' must be a 'SignedHeader' in the AWS Authorization.`)
}

/**
 * Recomputes the signature from the received request.
 * @throws ServiceError InvalidSignatureException, the same for a wrong secret and for an altered request
 */
export function verifySignature(request: HttpRequest, authorization: Authorization, secretAccessKey: string): void {
  requireSigned(request, authorization)
  const expected = Buffer.from(signatureOf(request, authorization, secretAccessKey), 'hex')
  const said = String(request.headers['x-amz-content-sha256'] ?? sha256(request.body))
  const bodyHash = authorization.service === S3 && NO_HASH.test(said) ? sha256(request.body) : said
  const given = Buffer.from(authorization.signature, 'hex')
  const same = given.length === expected.length && timingSafeEqual(expected, given)
  if (same && bodyHash === sha256(request.body)) return
  throw invalid(
    'The request signature we calculated does not match the signature you provided. ' +
      'Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  )
}

/** Credentials and scope of a signature. */
export interface Signer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly service: string
}

/** The headers that sign a request from the cloud: `authorization` and `x-amz-date`, which cover date and host. */
export function signatureHeaders(request: HttpRequest, signer: Signer, at: Date): Readonly<Record<string, string>> {
  const { accessKeyId, secretAccessKey, region, service } = signer
  const stamp = at.toISOString().replace(/[-:]|\.\d+/g, '')
  const date = stamp.slice(0, 8)
  const signed = { ...request, headers: { ...request.headers, 'x-amz-date': stamp } }
  const signedHeaders = ['host', 'x-amz-date']
  const signature = signatureOf(signed, { algorithm: ALGORITHM, date, region, service, signedHeaders }, secretAccessKey)
  const credential = `${accessKeyId}/${date}/${region}/${service}/aws4_request`
  return {
    'x-amz-date': stamp,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`,
  }
}

export const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Signature (32 bytes) of the string to sign. @param scope date, region, service, `aws4_request` */
export function signatureIn(scope: readonly string[], secretAccessKey: string, toSign: string): Buffer {
  return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`), toSign)
}

/** Time of a signature. @returns `undefined` if the text is not of the form `yyyymmddThhmmssZ` */
export function timeOf(text: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = DATE_FORM.exec(text) ?? []
  if (second === undefined) return undefined
  return new Date(`${String(year)}-${String(month)}-${String(day)}T${String(hour)}:${String(minute)}:${second}Z`)
}

/** Query of a canonical request. */
export const canonicalQuery = (query: Iterable<readonly [string, string]>): string =>
  [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')

type Signed = Pick<Authorization, 'algorithm' | 'date' | 'region' | 'service' | 'signedHeaders'>

/** The string to sign: algorithm, date, scope and the hash of the canonical request. */
export function stringToSign(
  request: HttpRequest,
  { algorithm, date, region, service, signedHeaders }: Signed,
): string {
  const scope = `${date}/${region}/${service}/aws4_request`
  const canonical = canonicalRequest(request, service, signedHeaders)
  return [algorithm, String(request.headers['x-amz-date']), scope, sha256(canonical)].join('\n')
}

function signatureOf(request: HttpRequest, signed: Signed, secretAccessKey: string): string {
  const { date, region, service } = signed
  const scope = [date, region, service, 'aws4_request']
  return signatureIn(scope, secretAccessKey, stringToSign(request, signed)).toString('hex')
}

/**
 * Every service but S3 encodes the path a second time, and signs the hash of the body. S3 signs the header's value for
 * the body, which need not be its hash.
 */
function canonicalRequest(
  { method, url, headers, body }: HttpRequest,
  service: string,
  signedHeaders: readonly string[],
) {
  const { pathname, searchParams } = new URL(url, 'http://host')
  const isS3 = service === S3
  const lines = signedHeaders.map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/\s+/g, ' ')}\n`,
  )
  return [
    method,
    isS3 ? pathname : pathname.split('/').map(encoded).join('/'),
    canonicalQuery(searchParams),
    lines.join(''),
    signedHeaders.join(';'),
    isS3 ? String(headers['x-amz-content-sha256']) : sha256(body),
  ].join('\n')
}

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
