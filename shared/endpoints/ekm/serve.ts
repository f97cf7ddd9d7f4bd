import { bodyOf, jsonHeaders, readFields } from '../../serving/json-body.ts'
import { serve } from '../../serving/pipeline.ts'
import { EKM_ACCESS_LOG } from './access-log.ts'
import { isSessionPath, parsePath } from './data/address.ts'
import { authenticate, enabledEndpoint, type EkmRequest } from './data/admit.ts'
import { CONFIDENTIAL } from './data/confidential.ts'
import { EKM_CLOUDS } from './identifiers.ts'
import { errors } from './data/errors.ts'
import { invalid } from './data/message.ts'
import { permit } from './data/policy.ts'
import { readContext, recordContext } from './data/request-context.ts'
import { answerSession } from './data/sessions/plane.ts'
import { VERBS, type EkmCall } from './data/verbs.ts'

const BODY_BYTES = 1_048_576
const ALL_VERBS = { ...VERBS, ...CONFIDENTIAL }

/** Reads the message and its context, and adds both to the record. */
function readCall(
  { event, address, now, record }: EkmRequest,
  { identity, endpoint }: Pick<EkmCall, 'identity' | 'endpoint'>,
): EkmCall {
  const { headers, requestContext } = event
  const fields = readFields(headers['content-type'] ?? 'application/json', bodyOf(event).toString(), BODY_BYTES)
  if (typeof fields === 'string') throw invalid(fields)
  const context = readContext(fields)
  recordContext(record, context)
  const { operation, key: kekId = '' } = address
  const { requestId } = requestContext
  return { identity, endpoint, host: endpoint.host, operation, kekId, fields, context, record, now, requestId }
}

/** Calls with keys: POST {keyURI}:<verb>, with an identity token of the cloud. */
const answerKeyCall = serve({
  accessLog: EKM_ACCESS_LOG,
  errors,
  answerWithinMs: 2_000, // Ours: the cloud waits considerably longer; a key set may have to be read.
  headers: jsonHeaders,
  parsePath,
  authenticate,
  resource: enabledEndpoint,
  clouds: EKM_CLOUDS,
  blockedBy: ({ endpoint: { id, space } }) => [id, space],
  verb: ({ verb }) => ALL_VERBS[verb as keyof typeof ALL_VERBS], // enabledEndpoint refuses addresses without a verb
  read: readCall,
  permit: (call, verb) => (verb.isWithinSession ? undefined : permit(call, verb)),
})

/** The data plane of EKM endpoints: their verbs, and the calls of attested sessions. */
export const handler: typeof answerKeyCall = (event) =>
  isSessionPath(event.rawPath) ? answerSession(event) : answerKeyCall(event)
