import middy, { type MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda'
import { Refusal } from '../base/errors.ts'
import type { Answer, HttpEvent } from './call.ts'
import { compress } from './compress.ts'
import { problem } from './problem.ts'
import { trace } from './trace.ts'

export type HttpHandler = (event: APIGatewayProxyEventV2, context: LambdaContext) => Promise<Answer>

/** The one middleware stack, around whatever answers. What it imports is all that `front` carries: no store, no SDK. */
export function stack(answering: (event: HttpEvent, context: LambdaContext) => Promise<Answer>): HttpHandler {
  // middy and its router are typed for handlers that add nothing to their event; ours carry the call with them.
  return middy<HttpEvent, Answer>()
    .use(trace() as MiddlewareObj<HttpEvent, Answer>)
    .use(compress() as MiddlewareObj<HttpEvent, Answer>)
    .use(problem() as MiddlewareObj<HttpEvent, Answer>)
    .handler(answering) as unknown as HttpHandler
}

/** A group answers this to paths that are none of its own, `front` to those of nobody. */
export const pathNotFound = (): Refusal => new Refusal('NOT_FOUND', 'There is nothing at this address.')
