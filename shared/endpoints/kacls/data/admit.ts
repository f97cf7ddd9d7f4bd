import { shortText } from '../../../base/short-text.ts'
import type { Fields } from '../../../base/json.ts'
import { bodyOf, readFields } from '../../../serving/json-body.ts'
import { Quota } from '../../../serving/key-use/quota.ts'
import { after, afterBoth, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { authenticationOf, type Authentication } from './authentication.ts'
import { authorizationOf, type Authorization } from './authorization.ts'
import type { KaclsCaller, KaclsRecord, KaclsRequest, KaclsVerb } from './call.ts'
import { badRequest, forbidden, KaclsRefusal } from './errors.ts'
import { reasonIn, textIn, TOKEN_BYTES } from './message.ts'
import { kaclsServed, type ServedEndpoint } from './served-endpoint.ts'

const BODY_BYTES = 65_536

/** Ours: calls per second of one user, one application, or one address without a token, to one endpoint. */
const CALLS_PER_SECOND = 200
const quota = new Quota('KEYMGR_KACLS_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** Ours: claims are logged to this length. */
const CLAIM_CHARACTERS = 512
const logged = (claim: string | undefined): string | undefined => claim && shortText(claim, CLAIM_CHARACTERS)

function found(record: KaclsRecord, endpoint: ServedEndpoint | undefined): ServedEndpoint {
  if (endpoint === undefined) throw new KaclsRefusal('NOT_FOUND')
  record.domain = endpoint.domain
  record.endpoint = endpoint.id
  return endpoint
}

/** @throws KaclsRefusal TOO_LARGE, BAD_REQUEST */
function fieldsIn({ event, address }: KaclsRequest): Fields {
  if (address.method === 'GET') return {}
  const body = bodyOf(event).toString()
  if (Buffer.byteLength(body) > BODY_BYTES) throw new KaclsRefusal('TOO_LARGE')
  // Ours: browsers send a text type to avoid preflight requests, so the type is ignored.
  const fields = readFields('application/json', body)
  if (typeof fields === 'string') throw badRequest(fields)
  return fields
}

function recordAuthentication(record: KaclsRecord, authentication: Authentication | undefined): void {
  if (authentication?.kind === 'service') record.peer = logged(authentication.url)
  if (authentication?.kind !== 'user') return
  record.issuer = logged(String(authentication.claims.iss))
  record.email = logged(authentication.email)
  record.workspaceEmail = logged(authentication.workspaceEmail)
}

function recordAuthorization(record: KaclsRecord, authorization: Authorization | undefined): void {
  if (authorization === undefined) return
  record.authorizationIssuer = logged(authorization.issuer)
  record.authorizationEmail = logged(authorization.email)
  record.role = logged(authorization.role)
  record.emailType = logged(authorization.emailType)
  record.delegatedTo = logged(authorization.delegatedTo)
  record.ownerDomain = logged(authorization.ownerDomain)
  record.resource = logged(authorization.resourceName)
  record.perimeter = logged(authorization.perimeterId || undefined)
  record.messageId = logged(authorization.messageId)
}

/** Verifies both tokens of a body, each by its own rules. */
function tokensOf(
  { record, now }: KaclsRequest,
  endpoint: ServedEndpoint,
  { tokens }: KaclsVerb,
  texts: { readonly authentication: string; readonly authorization: string },
): MaybePromise<Pick<KaclsCaller, 'authentication' | 'authorization'>> {
  const authentication =
    tokens.authentication && authenticationOf(endpoint, texts.authentication, tokens.authentication, record, now)
  const authorization = () =>
    tokens.authorization && authorizationOf(endpoint, texts.authorization, tokens.authorization, now)
  return afterBoth(authentication, authorization, (who, what) => {
    recordAuthentication(record, who)
    recordAuthorization(record, what)
    return { authentication: who, authorization: what }
  })
}

/**
 * Ours: `certs` shows a new key at once. Another instance may already sign with it, and a service that does not find it
 * waits a minute.
 */
const endpointAt = ({
  address: { endpoint, operation },
  now,
}: KaclsRequest): MaybePromise<ServedEndpoint | undefined> =>
  operation === 'certs' ? kaclsServed.now(endpoint, now) : kaclsServed.get(endpoint, now)

/**
 * The endpoint of the address, and the caller named in the tokens of the body. The form of a body is checked first,
 * since its refusal reveals nothing about the endpoint.
 * @throws KaclsRefusal NOT_FOUND, TOO_LARGE, BAD_REQUEST, UNAUTHENTICATED, FORBIDDEN; Refusal UNAVAILABLE
 */
export function authenticate(request: KaclsRequest, verb: KaclsVerb): MaybePromise<KaclsCaller> {
  const { record } = request
  return after(endpointAt(request), (known) => {
    const endpoint = found(record, known)
    const fields = fieldsIn(request)
    const { tokens } = verb
    // A missing token is refused like an invalid one, not like a malformed body.
    const texts = {
      authentication: tokens.authentication ? textIn(fields, 'authentication', TOKEN_BYTES) : '',
      authorization: tokens.authorization ? textIn(fields, 'authorization', TOKEN_BYTES) : '',
    }
    record.reason = reasonIn(fields) || undefined
    const message = verb.message(fields)
    return after(tokensOf(request, endpoint, verb, texts), (caller) => ({ endpoint, message, ...caller }))
  })
}

/** Reads a disabled endpoint again, so that enabling takes effect at once. */
async function enabledNow({ address, now, record }: KaclsRequest): Promise<ServedEndpoint> {
  const fresh = found(record, await kaclsServed.now(address.endpoint, now))
  if (fresh.isEnabled) return fresh
  throw forbidden(record, 'status')
}

/** Key of a caller in the quota, at most as long as in the log. `undefined` for a call without a token. */
const callerOf = ({ authentication, authorization }: KaclsCaller): string | undefined =>
  authentication === undefined
    ? authorization?.issuer
    : logged(authentication.kind === 'user' ? authentication.email : authentication.url)

/**
 * The endpoint, if it serves the caller now. Ours: status and keys of an endpoint are public even while it is disabled.
 * @throws KaclsRefusal FORBIDDEN; Refusal TOO_MANY_REQUESTS, UNAVAILABLE
 */
export function enabledEndpoint(request: KaclsRequest, caller: KaclsCaller): MaybePromise<KaclsCaller> {
  const { address, event, now } = request
  const { endpoint } = caller
  quota.count(`${endpoint.id} ${callerOf(caller) ?? event.requestContext.http.sourceIp}`, now)
  if (endpoint.isEnabled || address.method === 'GET') return caller
  return enabledNow(request).then((fresh) => ({ ...caller, endpoint: fresh }))
}
