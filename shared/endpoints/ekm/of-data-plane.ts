import type { HttpHandler } from '../../http/stack.ts'

/** An address of the data plane, or one beside it: a key's, with something behind a colon. */
const KEY_VERB = /\/[0-9a-f]{64}:[^/]*\/?$/

/** In the form that whoever calls the data plane knows. @see protocol of the EKM data plane, "Errors" */
const BESIDE = {
  POST: { code: 404, message: 'There is nothing at this address.', status: 'NOT_FOUND' },
  other: { code: 405, message: 'Only POST is answered here.', status: 'INVALID_ARGUMENT' },
} as const

/**
 * Only what is posted to `<id>:<verb>` reaches the data plane: a front door cannot tell it from `<id>` in any other way than
 * by the method. So what comes with another method, or a slash behind it, is answered here.
 */
export const ofDataPlane =
  (handler: HttpHandler): HttpHandler =>
  (event, context) => {
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
