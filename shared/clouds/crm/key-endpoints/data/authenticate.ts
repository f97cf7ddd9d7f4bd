import { hash } from 'node:crypto'
import { shortText } from '../../../../base/short-text.ts'
import type { Moment } from '../../../../base/moment.ts'
import { constantTimeEqual } from '../../../../crypto/constant-time.ts'
import { fewAtATime } from '../../../../crypto/few-at-a-time.ts'
import { verifyAgainstDummy, verifyPassword } from '../../../../crypto/passwords.ts'
import type { DataRequest } from '../../../../serving/pipeline.ts'
import type { CrmIssuer } from '../../issuers/model.ts'
import type { CRM_ACCESS_LOG } from '../access-log.ts'
import type { CrmAddress } from './address.ts'
import { CrmRefusal } from './errors.ts'
import { servedEndpoint, type ServedEndpoint } from './served.ts'
import { subjectOf } from './token.ts'

export type CrmRequest = DataRequest<CrmAddress, typeof CRM_ACCESS_LOG.fields>

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i
const BEARER = /^bearer +([A-Za-z0-9_.-]+)$/i
/** Base64 of the longest name and password of an endpoint: 255 and 1,024 characters of at most 3 bytes, and a colon. */
const BASIC_CHARACTERS = 5_120
const CALLER_CHARACTERS = 255

interface Pair {
  readonly username: string
  readonly password: string
}

/** The credentials of a request: at most one of the two. */
interface Credentials {
  readonly pair: Pair | undefined
  readonly token: string | undefined
}

/** The pair of a header, in UTF-8; a password may contain colons. @see RFC 7617 §2 */
function pairIn(authorization: string): Pair | undefined {
  const [, encoded] = BASIC.exec(authorization) ?? []
  if (encoded === undefined || encoded.length > BASIC_CHARACTERS) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const at = text.indexOf(':')
  return at < 0 ? undefined : { username: text.slice(0, at), password: text.slice(at + 1) }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Whether the pair is the endpoint's. An endpoint without a password, and an unknown one, cost the same time. */
const isPairOf = (endpoint: ServedEndpoint | undefined, { username, password }: Pair): Promise<boolean> =>
  fewAtATime(async () => {
    const own = endpoint?.password
    if (own === undefined) return verifyAgainstDummy(password)
    const isUser = constantTimeEqual(digest(own.username), digest(username))
    return (await verifyPassword(own.hash, password)) && isUser
  })

/**
 * The subject of a token of the endpoint's issuer. Ours: a refused token costs the hash work of a wrong password, so
 * that the time of a refusal shows neither whether the endpoint exists nor which credentials it expects.
 * @throws as `subjectOf`
 */
async function subjectIn(issuer: CrmIssuer | undefined, token: string, now: Moment): Promise<string> {
  try {
    if (issuer !== undefined) return await subjectOf(issuer, token, now)
  } catch (error) {
    if (!(error instanceof CrmRefusal && error.errorName === 'UNAUTHENTICATED')) throw error
  }
  await fewAtATime(() => verifyAgainstDummy(token))
  throw new CrmRefusal('UNAUTHENTICATED')
}

const credentialsIn = (authorization: string): Credentials => ({
  pair: pairIn(authorization),
  token: BEARER.exec(authorization)?.[1],
})

/** The caller of an endpoint. @throws CrmRefusal UNAUTHENTICATED, FORBIDDEN; Refusal UNAVAILABLE, TOO_MANY_REQUESTS */
async function callerOf(
  endpoint: ServedEndpoint | undefined,
  { pair, token }: Credentials,
  now: Moment,
): Promise<string> {
  if (pair !== undefined && (await isPairOf(endpoint, pair))) return pair.username
  if (token !== undefined) return subjectIn(endpoint?.served_issuer, token, now)
  throw new CrmRefusal('UNAUTHENTICATED')
}

/**
 * The endpoint of the address, for a caller with its credentials. Ours: an unknown endpoint is answered like
 * wrong credentials of the same kind, after the same reads and the same work.
 * @throws as `callerOf`
 */
export async function authenticate({ event, address, now, record }: CrmRequest): Promise<ServedEndpoint> {
  const credentials = credentialsIn(event.headers.authorization ?? '')
  const endpoint = await servedEndpoint(address.endpoint, credentials.token !== undefined, now)
  if (endpoint !== undefined) Object.assign(record, { domain: endpoint.domain, endpoint: endpoint.id })
  const caller = await callerOf(endpoint, credentials, now)
  if (endpoint === undefined) throw new CrmRefusal('UNAUTHENTICATED')
  record.caller = shortText(caller, CALLER_CHARACTERS)
  record.audit = true // ours: each fetch is recorded, since the cloud makes a few a day
  return endpoint
}
