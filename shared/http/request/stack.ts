import middy, { type MiddlewareObj } from '@middy/core'
import type { Context as LambdaContext } from 'aws-lambda'
import { Refusal } from '../../base/errors.ts'
import type { Answer, HttpEvent, HttpHandler } from './call.ts'
import { compress } from '../answer/compress.ts'
import { problem } from '../answer/problem.ts'
import { sendingSpans } from './send-spans.ts'
import { trace } from './trace.ts'

/** The middleware stack. The function `front` loads nothing else: neither store nor SDK. */
export function stack(answering: (event: HttpEvent, context: LambdaContext) => Promise<Answer>): HttpHandler {
  // middy's types assume handlers that do not extend their event; these add the call
  const handler = middy<HttpEvent, Answer>()
    .use(trace() as MiddlewareObj<HttpEvent, Answer>)
    .use(compress() as MiddlewareObj<HttpEvent, Answer>)
    .use(problem() as MiddlewareObj<HttpEvent, Answer>)
    .handler(answering) as unknown as HttpHandler
  return sendingSpans(handler)
}

/** The answer to an unknown path. @param near the probably intended address */
export const pathNotFound = (near?: string): Refusal =>
  new Refusal(
    'NOT_FOUND',
    `There is nothing at this address${near === undefined ? '' : ` (did you mean ${near}?)`}. GET /api/v1/openapi.json describes every call.`,
  )
