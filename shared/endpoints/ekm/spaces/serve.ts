import type { DataRequest } from '../../../serving/pipeline.ts'
import { bodyOf, jsonHeaders, readFields } from '../../../serving/json-body.ts'
import { Quota } from '../../../serving/key-use/quota.ts'
import { serve } from '../../../serving/pipeline.ts'
import { EKM_ACCESS_LOG } from '../access-log.ts'
import { EKM_CLOUDS } from '../identifiers.ts'
import { hostOf } from '../data/admit.ts'
import { EkmRefusal, errors } from '../data/errors.ts'
import { foreignIdentity } from '../data/foreign-token.ts'
import { assertMadeFor, identityIn, isForeign, tokenIn, verifiedToken, type Identity } from '../data/identity.ts'
import { invalid } from '../data/message.ts'
import { readContext } from '../data/request-context.ts'
import type { Fields } from '../../../base/json.ts'
import { parseSpacePath, type SpaceAddress } from './address.ts'
import { CALLS, type CallOnSpace } from './calls.ts'
import { spaceOf, type StoredCryptoSpace } from './store.ts'

type SpaceRequest = DataRequest<SpaceAddress, typeof EKM_ACCESS_LOG.fields>

const BODY_BYTES = 65_536
/** Ours: the cloud makes a key for a version of its own, a few a day. */
const CALLS_PER_SECOND = 20
const quota = new Quota('KEYMGR_EKM_SPACE_CALLS_PER_SECOND', CALLS_PER_SECOND)

interface SpaceCaller {
  readonly identity: Identity
  readonly domain: string
  readonly space: StoredCryptoSpace
}

/**
 * The caller, by a token for the host of the space. Ours: for an unknown space, the token must be for the host of the
 * request, so that a caller without such a token learns nothing.
 * @throws EkmRefusal UNAUTHENTICATED, NOT_FOUND; Refusal UNAVAILABLE
 */
async function authenticate({ event, address, record, now }: SpaceRequest): Promise<SpaceCaller> {
  const token = tokenIn(event.headers)
  const foreign = isForeign(token) ? token : undefined
  const own = foreign ? undefined : identityIn(await verifiedToken(token, now), now)
  const found = await spaceOf(address.key)
  const identity = own ?? (found && foreign && (await foreignIdentity(foreign, found.domain, now)))
  if (identity === undefined) throw new EkmRefusal('UNAUTHENTICATED')
  assertMadeFor(identity, found?.space.item.keyURIHostname.toLowerCase() ?? hostOf(event))
  record.email = identity.email
  if (found === undefined) throw new EkmRefusal('NOT_FOUND')
  record.domain = found.domain
  return { identity, domain: found.domain, space: found.space.item }
}

/** @throws EkmRefusal PERMISSION_DENIED; Refusal TOO_MANY_REQUESTS */
function open({ record, now }: SpaceRequest, caller: SpaceCaller): SpaceCaller {
  quota.count(`${caller.space.id} ${caller.identity.email}`, now)
  if (!caller.space.blocked) return caller
  record.rule = 'blocked'
  throw new EkmRefusal('PERMISSION_DENIED')
}

/** Calls on spaces may have the context within `additionalContext` or beside it. */
const contextIn = (fields: Fields) =>
  readContext('additionalContext' in fields || 'additional_context' in fields ? fields : { additionalContext: fields })

function read({ event, record, now }: SpaceRequest, { identity, domain, space }: SpaceCaller): CallOnSpace {
  const { headers, requestContext } = event
  const fields = readFields(headers['content-type'] ?? 'application/json', bodyOf(event).toString(), BODY_BYTES)
  if (typeof fields === 'string') throw invalid(fields)
  const context = contextIn(fields)
  record.reason = context.reason
  record.resource = context.resourceName || undefined
  return {
    ...{ domain, space, fields, context, record },
    email: identity.email,
    ip: requestContext.http.sourceIp,
    now: new Date(now.epochMs),
    requestId: requestContext.requestId,
  }
}

const verbs = Object.fromEntries(
  Object.entries(CALLS).map(([name, use]) => [name, { read: () => undefined, key: () => undefined, use }]),
)
const NONE = { read: () => undefined, key: () => undefined, use: (): object => ({}) }

/**
 * The data plane of crypto spaces: POST {path}:<call>, with an identity token of the cloud. Ours: the function of the
 * management serves it, because data planes write nothing.
 */
export const handler = serve({
  accessLog: EKM_ACCESS_LOG,
  errors,
  answerWithinMs: 20_000, // Ours: an RSA key of 4096 bits takes seconds.
  headers: jsonHeaders,
  parsePath: parseSpacePath,
  authenticate,
  resource: open,
  clouds: EKM_CLOUDS,
  blockedBy: ({ space }) => [space.id],
  verb: ({ operation }) => verbs[operation] ?? NONE,
  read,
})
