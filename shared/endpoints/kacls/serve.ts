import { after, type MaybePromise } from '../../serving/maybe-promise.ts'
import { jsonHeaders } from '../../serving/json-body.ts'
import { serve } from '../../serving/pipeline.ts'
import type { Moment } from '../../base/moment.ts'
import { KACLS_ACCESS_LOG } from './access-log.ts'
import type { CallName } from './calls.ts'
import { parsePath, type KaclsAddress } from './data/address.ts'
import { authenticate, enabledEndpoint } from './data/admit.ts'
import { assertAuthorized } from './data/authorize.ts'
import type { KaclsCaller, KaclsRequest, KaclsVerb } from './data/call.ts'
import { errors } from './data/errors.ts'
import { kaclsServed } from './data/served-endpoint.ts'
import { delegate } from './data/verbs/delegate.ts'
import { privateKeyDecrypt, privateKeySign, privilegedPrivateKeyDecrypt } from './data/verbs/private-keys.ts'
import { certs, status } from './data/verbs/public.ts'
import { rewrap } from './data/verbs/rewrap.ts'
import { SUITE_ORIGIN } from './suite-origin.ts'
import { digest, privilegedUnwrap, privilegedWrap, unwrap, wrap } from './data/verbs/wrap.ts'

const VERBS: Readonly<Record<CallName, KaclsVerb>> = {
  status,
  certs,
  wrap,
  unwrap,
  privilegedwrap: privilegedWrap,
  privilegedunwrap: privilegedUnwrap,
  digest,
  rewrap,
  delegate,
  privatekeysign: privateKeySign,
  privatekeydecrypt: privateKeyDecrypt,
  privilegedprivatekeydecrypt: privilegedPrivateKeyDecrypt,
}

const verbAt = ({ operation }: KaclsAddress): KaclsVerb => VERBS[operation]

/** Pages of the suite may call every address; origins in an endpoint's `cors` may call its own. */
const allowsOrigin = (origin: string, address: KaclsAddress | undefined, now: Moment): MaybePromise<boolean> =>
  origin === SUITE_ORIGIN ||
  (address !== undefined &&
    after(kaclsServed.get(address.endpoint, now), (endpoint) => endpoint?.origins.has(origin) ?? false))

/** The data plane of KACLS endpoints: {endpoint_url}/<call>, with the tokens of a user and of the suite in the body. */
export const handler = serve({
  accessLog: KACLS_ACCESS_LOG,
  errors,
  answerWithinMs: 3_000, // Ours: a person waits for a document; keys of an issuer may have to be read.
  headers: jsonHeaders,
  parsePath,
  allowsOrigin,
  authenticate: (request: KaclsRequest) => authenticate(request, verbAt(request.address)),
  resource: enabledEndpoint,
  clouds: ['kacls'],
  blockedBy: ({ endpoint }, { method }) => (method === 'GET' ? undefined : [endpoint.id]),
  verb: verbAt,
  read: ({ address, event, now, record }, caller: KaclsCaller) => {
    if (address.method === 'POST') record.audit = true
    return { ...caller, operation: address.operation, record, now, requestId: event.requestContext.requestId }
  },
  permit: (call, { tokens }) => assertAuthorized(call, tokens),
})
