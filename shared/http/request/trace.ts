import { randomUUID } from 'node:crypto'
import { assertTimely } from '../../base/clock.ts'
import {
  countCall,
  directiveOf,
  DURATION,
  embedded,
  ERRORS,
  errorsOf,
  functionName,
  NO_OPERATION,
  statusClass,
} from '../../base/figures.ts'
import { log } from '../../base/log.ts'
import { recordRequest, traceFrom } from '../../base/network/trace.ts'
import { ANONYMOUS, type Answer, type Call, type HttpEvent, type Step } from './call.ts'
import { OPEN } from './gate.ts'
import { traceOf } from './trace-context.ts'

/** Sets the id and the time of each request, refuses a time that is not the present, and writes the only log line. */
export const trace = () => ({
  before: function traceBefore({ event }: Step): void {
    const { requestId, timeEpoch, http, authentication } = event.requestContext
    const call: Call = {
      traceId: requestId || randomUUID(),
      now: new Date(timeEpoch),
      clientIp: http.sourceIp,
      clientCertificate: authentication?.clientCert.clientCertPem,
      startedAt: performance.now(),
      caller: ANONYMOUS,
      gate: OPEN,
      path: {},
      query: {},
      body: undefined,
      subject: undefined,
      actor: undefined,
      limits: {},
      operation: undefined,
      route: undefined,
      trace: traceFrom(traceOf(event.headers.traceparent)),
      remark: undefined,
      isDryRun: false,
      claim: undefined,
      rules: undefined,
      hasBegunEffects: false,
      done: new Map(),
    }
    event.call = call
    // removes the gateway's `{proxy+}`; the router sets the parameters of the route
    delete event.pathParameters
    assertTimely(timeEpoch)
  },
  after: function traceAfter({ event, response }: Step): void {
    if (response) logRequest(event, response)
  },
})

/** Ours: errors of an operation have no separate metric, which would double the cost; the log contains them. */
const METRICS = directiveOf(
  { dimensions: [['function'], ['function', 'operation']], metrics: [DURATION] },
  { dimensions: [['function']], metrics: [ERRORS] },
)

/** The last step of every request, successful or not. */
export function logRequest({ call, headers, requestContext, routeKey }: HttpEvent, answer: Answer): void {
  answer.headers['x-request-id'] = call.traceId
  Object.assign(answer.headers, call.limits)
  // answers may contain tokens, credentials and key material
  answer.headers['cache-control'] ??= 'no-store'
  const { operation = NO_OPERATION } = call
  const ms = Math.round((performance.now() - call.startedAt) * 10) / 10
  countCall(operation, statusClass(answer.statusCode), ms)
  if (call.trace !== undefined)
    recordRequest(call.trace, {
      ...{ method: requestContext.http.method, route: call.route, scheme: headers['x-forwarded-proto'] ?? 'https' },
      ...{ status: answer.statusCode, requestId: call.traceId, ms },
    })
  const fields = {
    traceId: call.traceId,
    trace: call.trace?.id,
    method: requestContext.http.method,
    route: routeKey,
    status: answer.statusCode,
    ms,
    domain: call.caller.domain.id,
    sub: call.caller.sub,
    function: functionName(),
    operation,
    errors: errorsOf(answer.statusCode),
  }
  log('info', 'request', fields, embedded(METRICS, requestContext.timeEpoch))
}
