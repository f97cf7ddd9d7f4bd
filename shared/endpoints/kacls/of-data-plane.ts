import type { HttpHandler } from '../../http/request/call.ts'
import { jsonHeaders } from '../../serving/json-body.ts'
import { errors } from './data/errors.ts'
import { DATA_PLANE } from './identifiers.ts'
import { SUITE_ORIGIN } from './suite-origin.ts'

const BELOW_ENDPOINT = new RegExp(`^${DATA_PLANE}[^/]+/([^/]+)/?$`)

/**
 * Calls of the suite have routes of their own. Any other word below an endpoint that is not an action of administrators
 * counts as an unknown call: it is answered in the protocol's format, so that pages of the suite can parse the answer.
 * @param paths of the management interface, below `/api`
 */
export function besideActions(paths: readonly string[]): (handler: HttpHandler) => HttpHandler {
  const actions = new Set(paths.map((path) => /\/endpoints\/\{id\}\/([^/]+)/.exec(path)?.[1]))
  return (handler) => (event, context) => {
    const [, word] = BELOW_ENDPOINT.exec(event.rawPath) ?? []
    if (word === undefined || actions.has(word)) return handler(event, context)
    const { requestId } = event.requestContext
    const { status, text } = errors.rows.NOT_FOUND
    return Promise.resolve({
      statusCode: status,
      headers: {
        ...jsonHeaders(event),
        vary: 'Origin',
        ...(event.headers.origin === SUITE_ORIGIN && { 'access-control-allow-origin': SUITE_ORIGIN }),
      },
      body: JSON.stringify(errors.body('NOT_FOUND', text, requestId)),
    })
  }
}
