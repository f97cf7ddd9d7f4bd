import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { LOCAL_ACCOUNT } from './account.ts'

/** Refusal of a signed address, in the code and words of the real service. */
export interface AddressRefusal {
  readonly code: 'AccessDenied' | 'AuthorizationQueryParametersError' | 'SignatureDoesNotMatch'
  readonly message: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
const DATE_FORM = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/
/** A week, the service's own limit. */
const SECONDS_MOST = 604_800

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Percent-encoding of signed queries: RFC 3986 has fewer unreserved characters than URLs. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** Whether the query of an address claims to be signed. */
export const isSigned = (query: URLSearchParams): boolean => query.has('X-Amz-Signature')

/**
 * The rule of a signed address: made with the credentials of this machine's account, for this method, host, path and
 * query, and not older than it says it may get.
 * @param url path and query as sent
 * @returns `undefined` when it holds
 * @see the cloud's documentation of Signature Version 4, "Authenticating requests: using query parameters"
 */
export function refusalOfAddress(method: string, url: string, host: string, now: Date): AddressRefusal | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://host')
  const given = (name: string): string => query.get(`X-Amz-${name}`) ?? ''
  const [, year, month, day, hour, minute, second] = DATE_FORM.exec(given('Date')) ?? []
  const seconds = Number(given('Expires'))
  const isComplete = given('Algorithm') === ALGORITHM && second !== undefined && seconds >= 1 && seconds <= SECONDS_MOST
  if (!isComplete) return { code: 'AuthorizationQueryParametersError', message: 'The signed query is not complete.' }
  const [accessKeyId, ...scope] = given('Credential').split('/')
  const signedHeaders = given('SignedHeaders')
  const rest = [...query].filter(([name]) => name !== 'X-Amz-Signature')
  const canonicalQuery = rest.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort()
  const canonical = [method, pathname, canonicalQuery.join('&'), `host:${host}`, '', signedHeaders, 'UNSIGNED-PAYLOAD']
  const toSign = [ALGORITHM, given('Date'), scope.join('/'), sha256(canonical.join('\n'))].join('\n')
  const { credentials } = LOCAL_ACCOUNT
  const key = scope.reduce<string | Buffer>((by, part) => hmac(by, part), `AWS4${credentials.secretAccessKey}`)
  const expected = hmac(key, toSign)
  const signature = Buffer.from(given('Signature'), 'hex')
  const isGenuine =
    accessKeyId === credentials.accessKeyId &&
    signedHeaders === 'host' &&
    signature.length === expected.length &&
    timingSafeEqual(signature, expected)
  if (!isGenuine)
    return { code: 'SignatureDoesNotMatch', message: 'The signature does not match the one that was calculated.' }
  const signedAt = Date.parse(
    `${String(year)}-${String(month)}-${String(day)}T${String(hour)}:${String(minute)}:${second}Z`,
  )
  if (now.getTime() > signedAt + seconds * 1_000) return { code: 'AccessDenied', message: 'Request has expired' }
  return undefined
}
