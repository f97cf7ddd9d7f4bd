import type { HttpHandler } from '../http/stack.ts'

/** How a protocol answers calls of its own at addresses that are none of its data plane. */
export interface StrayCalls {
  /** ends of paths by which its calls are known */
  readonly path: RegExp
  readonly status: number
  readonly body: object
}

/**
 * Answers calls of a protocol in its own form where the front door hands them to another function: their callers can
 * read no other.
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
