import { timingSafeEqual } from 'node:crypto'
import { canonicalQuery, sha256, signatureIn, timeOf } from '../../simulators/toolkit/aws/sigv4.ts'
import { LOCAL_ACCOUNT } from './account.ts'

/** Refusal of a signed address, with the code and message of the real service. */
export interface AddressRefusal {
  readonly code: 'AccessDenied' | 'AuthorizationQueryParametersError' | 'SignatureDoesNotMatch'
  readonly message: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** One week, the service's limit. */
const SECONDS_MOST = 604_800

/** Whether the query of an address claims to be signed. */
export const isSigned = (query: URLSearchParams): boolean => query.has('X-Amz-Signature')

/**
 * Checks a signed address: it must be signed with the credentials of this machine's account, for this method, host,
 * path and query, and must not have expired.
 * @param url path and query as sent
 * @returns `undefined` when it is valid
 * @see the cloud's documentation of Signature Version 4, "Authenticating requests: using query parameters"
 */
export function refusalOfAddress(method: string, url: string, host: string, now: Date): AddressRefusal | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://host')
  const given = (name: string): string => query.get(`X-Amz-${name}`) ?? ''
  const signedAt = timeOf(given('Date'))
  const seconds = Number(given('Expires'))
  const isComplete = given('Algorithm') === ALGORITHM && seconds >= 1 && seconds <= SECONDS_MOST
  if (signedAt === undefined || !isComplete)
    return { code: 'AuthorizationQueryParametersError', message: 'The signed query is not complete.' }
  const [accessKeyId, ...scope] = given('Credential').split('/')
  const signedHeaders = given('SignedHeaders')
  const rest = [...query].filter(([name]) => name !== 'X-Amz-Signature')
  const canonical = [method, pathname, canonicalQuery(rest), `host:${host}`, '', signedHeaders, 'UNSIGNED-PAYLOAD']
  const toSign = [ALGORITHM, given('Date'), scope.join('/'), sha256(canonical.join('\n'))].join('\n')
  const { credentials } = LOCAL_ACCOUNT
  const expected = signatureIn(scope, credentials.secretAccessKey, toSign)
  const signature = Buffer.from(given('Signature'), 'hex')
  const isGenuine =
    accessKeyId === credentials.accessKeyId &&
    signedHeaders === 'host' &&
    signature.length === expected.length &&
    timingSafeEqual(signature, expected)
  if (!isGenuine)
    return { code: 'SignatureDoesNotMatch', message: 'The signature does not match the one that was calculated.' }
  if (now.getTime() > signedAt.getTime() + seconds * 1_000)
    return { code: 'AccessDenied', message: 'Request has expired' }
  return undefined
}
