import { randomUUID } from 'node:crypto'
import { log } from '../base/log.ts'
import { ANONYMOUS, type Answer, type Call, type HttpEvent, type Step } from './call.ts'

/** Gives each request its id and its time, and writes the one log line it leaves behind. */
export const trace = () => ({
  before: function traceBefore({ event }: Step): void {
    const { requestId, timeEpoch, http } = event.requestContext
    const call: Call = {
      traceId: requestId || randomUUID(),
      now: new Date(timeEpoch),
      clientIp: http.sourceIp,
      startedAt: performance.now(),
      caller: ANONYMOUS,
      path: {},
      query: {},
      body: undefined,
      subject: undefined,
      actor: undefined,
      done: new Map(),
    }
    event.call = call
    // The gateway's one `{proxy+}` is not a parameter of ours; the router finds those of the route.
    delete event.pathParameters
  },
  after: function traceAfter({ event, response }: Step): void {
    if (response) logRequest(event, response)
  },
})

/** The last thing done for a request, whether it succeeded or not. */
export function logRequest({ call, requestContext, routeKey }: HttpEvent, answer: Answer): void {
  answer.headers['x-request-id'] = call.traceId
  log('info', 'request', {
    traceId: call.traceId,
    method: requestContext.http.method,
    route: routeKey,
    status: answer.statusCode,
    ms: Math.round((performance.now() - call.startedAt) * 10) / 10,
    domain: call.caller.domain.id,
    sub: call.caller.sub,
  })
}
