import type { HttpHandler } from '../http/request/call.ts'

/** How a protocol answers requests to unknown paths under its prefix. */
export interface StrayCalls {
  /** matches the ends of the paths of its calls */
  readonly path: RegExp
  readonly status: number
  readonly body: object
}

/**
 * Answers calls of a protocol in its own format when the front door routes them to another function, because their
 * callers cannot parse any other.
 */
export const withStrayCalls = (
  protocols: readonly { readonly strayCalls?: StrayCalls }[],
  handler: HttpHandler,
): HttpHandler => {
  const strays = protocols.flatMap(({ strayCalls }) => strayCalls ?? [])
  return (event, context) => {
    const stray = strays.find(({ path }) => path.test(event.rawPath))
    if (stray === undefined) return handler(event, context)
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    return Promise.resolve({ statusCode: stray.status, headers, body: JSON.stringify(stray.body) })
  }
}
