import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { ServedEndpoint } from './served-endpoint.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Moment } from '../../../base/moment.ts'
import { parseAddress } from './address.ts'
import { admitToHost, admitToKey } from './admit.ts'
import type { EkmVerb } from './call.ts'
import { EKM_ERRORS, EkmRefusal, errorBody, nameOf, type EkmErrorName } from './errors.ts'
import { readMessage } from './message.ts'
import { assertAllowed } from './policy.ts'
import { readContext } from './request-context.ts'
import { leave, type Trail } from './trail.ts'
import { VERBS } from './verbs.ts'

/** Ours: the cloud warns of what takes longer than 150 ms and waits a good while longer; a key set may have to be fetched. */
const ANSWER_WITHIN_MS = 2_000

interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function answered(event: APIGatewayProxyEventV2, statusCode: number, body: object, more: object = {}): Answer {
  return {
    statusCode,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': event.requestContext.requestId,
      ...more,
    },
    body: JSON.stringify(body),
  }
}

/** The cloud's confidential machines come through sessions, which are not built: nobody may do then what takes one. */
function assertNotConfidential({ confidential }: EkmVerb, endpoint: ServedEndpoint, trail: Trail): void {
  if (confidential === undefined || !endpoint.confidential[confidential]) return
  trail.rule = `cvm_required_for_${confidential}`
  throw new EkmRefusal('PERMISSION_DENIED')
}

/** The token, the endpoint, the message, the policy, the verb: in the order that reveals nothing to those who may not know. */
async function perform(event: APIGatewayProxyEventV2, trail: Trail, now: Moment): Promise<object> {
  const address = parseAddress(event.rawPath)
  if (address === undefined) throw new EkmRefusal('NOT_FOUND')
  trail.address = address
  const { operation, kekId, verb: name } = address
  if (event.requestContext.http.method !== 'POST') throw new EkmRefusal('METHOD_NOT_ALLOWED')
  if (kekId === '') {
    await admitToHost(event, trail, now)
    throw new EkmRefusal('UNIMPLEMENTED')
  }
  const { identity, endpoint } = await admitToKey(event, kekId, trail, now)
  if (name === undefined) throw new EkmRefusal('UNIMPLEMENTED')
  const { headers, body = '', isBase64Encoded } = event
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body
  const fields = readMessage(headers['content-type'], text)
  const context = readContext(fields)
  trail.context = context
  const verb = VERBS[name]
  assertNotConfidential(verb, endpoint, trail)
  const asked = { operation, identity, context, epochMs: now.epochMs, seed: event.requestContext.requestId }
  const asking = assertAllowed(endpoint, asked, trail)
  if (asking !== undefined) await asking
  if (verb.keyType !== endpoint.keyType) throw new EkmRefusal('FAILED_PRECONDITION')
  return verb.answer({ endpoint, kekId, fields, trail, now })
}

const MORE_HEADERS: Partial<Record<EkmErrorName, Readonly<Record<string, string>>>> = {
  UNAUTHENTICATED: { 'www-authenticate': 'Bearer' },
  METHOD_NOT_ALLOWED: { allow: 'POST' },
}

/** The data plane of EKM endpoints: POST {keyURI}:<verb>, with an identity token of the cloud's. */
export async function handler(event: APIGatewayProxyEventV2): Promise<Answer> {
  const startedMs = performance.now()
  const trail: Trail = {}
  let failure: unknown
  let status = 200
  let outcome = 'success'
  let answer: Answer
  try {
    const { timeEpoch: epochMs } = event.requestContext
    const now = { monoMs: startedMs, epochMs, untilMs: startedMs + ANSWER_WITHIN_MS }
    answer = answered(event, 200, await perform(event, trail, now))
  } catch (error) {
    failure = error
    if (error instanceof Refusal) trail.refusal = error.reason
    outcome = nameOf(error)
    status = EKM_ERRORS[nameOf(error)].code
    const message = error instanceof EkmRefusal ? error.message : undefined
    answer = answered(event, status, errorBody(nameOf(error), message), MORE_HEADERS[nameOf(error)])
  }
  leave(event, trail, { startedMs, status, outcome }, failure)
  return answer
}
