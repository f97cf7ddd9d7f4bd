import { bodyOf, jsonHeaders, readFields } from '../../serving/json-body.ts'
import { after, type MaybePromise } from '../../serving/maybe-promise.ts'
import { serve } from '../../serving/pipeline.ts'
import { EKM_ACCESS_LOG } from './access-log.ts'
import { parsePath, type KeyVerb } from './data/address.ts'
import { authenticate, enabledEndpoint, type EkmRequest } from './data/admit.ts'
import { EkmRefusal, errors } from './data/errors.ts'
import { invalid } from './data/message.ts'
import { assertAllowed } from './data/policy.ts'
import { readContext } from './data/request-context.ts'
import { VERBS, type EkmCall, type EkmVerb } from './data/verbs.ts'

const BODY_BYTES = 1_048_576

/** Reads the message and its context, and adds both to the record. */
function readCall(
  { event, address, now, record }: EkmRequest,
  { identity, endpoint }: Pick<EkmCall, 'identity' | 'endpoint'>,
): EkmCall {
  const { headers, requestContext } = event
  const fields = readFields(headers['content-type'] ?? 'application/json', bodyOf(event).toString(), BODY_BYTES)
  if (typeof fields === 'string') throw invalid(fields)
  const context = readContext(fields)
  record.reason = context.reason
  record.resource = context.resourceName || undefined
  record.fullResource = context.fullResourceName || undefined
  record.healthCheck = context.isKeyHealthCheck || undefined
  const { operation, key: kekId = '' } = address
  return { identity, endpoint, operation, kekId, fields, context, record, now, requestId: requestContext.requestId }
}

/**
 * Ours: confidential machines call through sessions, which this service does not offer. So an operation reserved for
 * them is refused.
 */
function assertNotConfidential({ endpoint, record }: EkmCall, { confidential }: EkmVerb): void {
  if (confidential === undefined || !endpoint.confidential[confidential]) return
  record.rule = `cvm_required_for_${confidential}`
  throw new EkmRefusal('PERMISSION_DENIED')
}

/** Checks the settings of the endpoint, then its policy, then the kind of its key. */
function permit(call: EkmCall, verb: EkmVerb): MaybePromise<void> {
  assertNotConfidential(call, verb)
  return after(assertAllowed(call), () => {
    if (verb.keyType !== call.endpoint.keyType) throw new EkmRefusal('FAILED_PRECONDITION')
  })
}

/** The data plane of EKM endpoints: POST {keyURI}:<verb>, with an identity token of the cloud. */
export const handler = serve({
  accessLog: EKM_ACCESS_LOG,
  errors,
  answerWithinMs: 2_000, // Ours: the cloud waits considerably longer; a key set may have to be read.
  headers: jsonHeaders,
  parsePath,
  authenticate,
  resource: enabledEndpoint,
  verb: ({ verb }) => VERBS[verb as KeyVerb], // enabledEndpoint refuses addresses without a verb
  read: readCall,
  permit,
})
