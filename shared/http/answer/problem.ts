import { REFUSALS, Refusal, type BrokenField, type Reason } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { ANONYMOUS, json, type Answer, type HttpEvent, type Step } from '../request/call.ts'
import { logRequest } from '../request/trace.ts'

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/**
 * The only error body: problem details with keymgr's own `code` and `codeDesc`.
 * @see RFC 9457 §3
 */
export function problemOf(
  reason: Reason,
  detail: string,
  traceId: string,
  errors: readonly BrokenField[] = [],
): Answer {
  const { status, code, name } = REFUSALS[reason]
  const body = {
    type: `urn:keymgr:problem:${reason.toLowerCase().replaceAll('_', '-')}`,
    title: TITLES[status] ?? 'Error',
    status,
    detail,
    traceId,
    code,
    codeDesc: `${name}: ${detail}`,
    ...(errors.length > 0 && { errors }),
  }
  return json(status, body, {
    'content-type': 'application/problem+json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...((status === 429 || status === 503) && { 'retry-after': '1' }),
  })
}

/** Ours: callers without a token see nothing of a damaged record, not even its existence. */
const isUndisclosed = ({ reason }: Refusal, { call }: HttpEvent): boolean =>
  reason === 'DAMAGED' && call.caller.sub === ANONYMOUS.sub

/** Turns any error into its answer. A refusal states its reason; a fault shows only the request id. */
export const problem = () => ({
  onError: function problemOnError({ event, error }: Step): Answer {
    const { traceId } = event.call
    const answer =
      error instanceof Refusal && !isUndisclosed(error, event)
        ? problemOf(error.reason, error.message, traceId, error.errors)
        : problemOf('FAULT', 'Something went wrong on our side; quote the trace id to support.', traceId)
    if (answer.statusCode >= 500) log('error', 'fault', { traceId, ...errorFields(error) })
    if (error instanceof MethodRefusal) answer.headers.allow = error.allow.join(', ')
    logRequest(event, answer)
    return answer
  },
})

/** 405, with the methods that the path allows. */
export class MethodRefusal extends Refusal {
  readonly allow: readonly string[]

  constructor(method: string, allow: readonly string[]) {
    super('METHOD_NOT_ALLOWED', `${method} is not allowed here; allowed: ${allow.join(', ')}.`)
    this.allow = allow
  }
}
