import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { after, type MaybePromise } from './maybe-promise.ts'

/* Calls from pages of other origins, as browsers send them. @see Fetch standard, "CORS protocol" */

type Headers = Readonly<Record<string, string>>

/** Whether pages of an origin may call an address and read its answers. */
export type AllowsOrigin = (origin: string) => MaybePromise<boolean>

const ALLOW_ORIGIN = 'access-control-allow-origin'
/** Ours: seconds for which a browser may cache a preflight answer. */
const MAX_AGE = '3600'
/** Ours: request headers that pages may set. None of them authenticates the caller. */
const REQUEST_HEADERS = ['content-type', 'accept', 'accept-language', 'content-language', 'x-requested-with']

const varied: Headers = { vary: 'Origin' }
const named = (origin: string): Headers => ({ ...varied, [ALLOW_ORIGIN]: origin })

/**
 * Headers that let the calling page read the answer, if it may. An origin that cannot be checked now is not allowed:
 * the answer reports the failure.
 */
export function crossOriginHeaders({ headers }: APIGatewayProxyEventV2, allows: AllowsOrigin): MaybePromise<Headers> {
  const { origin } = headers
  if (origin === undefined) return varied
  const judged = allows(origin)
  const answer = (isAllowed: boolean): Headers => (isAllowed ? named(origin) : varied)
  return judged instanceof Promise ? judged.then(answer, () => varied) : answer(judged)
}

export const isPreflight = ({ requestContext }: APIGatewayProxyEventV2): boolean =>
  requestContext.http.method === 'OPTIONS'

/** Headers of the answer to a preflight request; without permission if the page may not call. */
export function preflightHeaders(event: APIGatewayProxyEventV2, allows: AllowsOrigin): MaybePromise<Headers> {
  const asked = (event.headers['access-control-request-headers'] ?? '').toLowerCase().split(/ *, */)
  const allowed = REQUEST_HEADERS.filter((name) => name === 'content-type' || asked.includes(name))
  return after(crossOriginHeaders(event, allows), (common) =>
    ALLOW_ORIGIN in common
      ? {
          ...common,
          'access-control-allow-methods': 'GET, POST, OPTIONS',
          'access-control-allow-headers': allowed.join(', '),
          'access-control-max-age': MAX_AGE,
        }
      : common,
  )
}
