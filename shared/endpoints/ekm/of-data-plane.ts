import type { HttpHandler } from '../../http/request/call.ts'
import { isSpacePath } from './spaces/address.ts'
import { handler as answerSpaceCall } from './spaces/serve.ts'

/** An address of the data plane or similar: the address of a key, a colon, and any text. */
const KEY_VERB = /\/[0-9a-f]{64}:[^/]*\/?$/

/** The error format of the data plane. @see protocol of the EKM data plane, "Errors" */
const BESIDE = {
  POST: { code: 404, message: 'There is nothing at this address.', status: 'NOT_FOUND' },
  other: { code: 405, message: 'Only POST is answered here.', status: 'INVALID_ARGUMENT' },
} as const

/**
 * Only POST to `<id>:<verb>` reaches the data plane, because a front door can distinguish it from `<id>` only by the
 * method. So requests with another method, or with a trailing slash, are answered here, and so are calls on crypto
 * spaces, which write.
 */
export const ofDataPlane =
  (handler: HttpHandler): HttpHandler =>
  (event, context) => {
    if (isSpacePath(event.rawPath)) return answerSpaceCall(event)
    if (!KEY_VERB.test(event.rawPath)) return handler(event, context)
    const { http, requestId } = event.requestContext
    const error = http.method === 'POST' ? BESIDE.POST : BESIDE.other
    return Promise.resolve({
      statusCode: error.code,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-request-id': requestId,
        ...(error === BESIDE.other && { allow: 'POST' }),
      },
      body: JSON.stringify({ error }),
    })
  }
