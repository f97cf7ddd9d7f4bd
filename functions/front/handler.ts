import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { json, type Answer, type HttpEvent } from '../../shared/http/request/call.ts'
import { pathNotFound, stack } from '../../shared/http/request/stack.ts'
import { withStrayCalls } from '../../shared/serving/stray-calls.ts'

const CONSOLE = '/console/'

/** Whether a browser requests the bare host. */
const opensHost = ({ headers, requestContext: { http } }: HttpEvent): boolean =>
  http.path === '/' && http.method === 'GET' && (headers.accept ?? '').includes('text/html')

const toConsole: Answer = { statusCode: 302, headers: { location: CONSOLE, vary: 'accept' }, body: '' }

const isHealthCheck = ({ requestContext: { http } }: HttpEvent): boolean =>
  http.path === '/health' && http.method === 'GET'

/**
 * Answers every path without a function: 404 in the service's own form, or in that of a protocol. A browser at `/` is
 * redirected to the console. `GET /health` answers without a token.
 *
 * Ours: a health check reads no table. Load balancers ask often, and no restart mends an outage of the table.
 */
function answer(event: HttpEvent): Promise<Answer> {
  if (isHealthCheck(event)) return Promise.resolve(json(200, { status: 'ok' }))
  return opensHost(event) ? Promise.resolve({ ...toConsole }) : Promise.reject(pathNotFound())
}

export const handler = withStrayCalls(PROTOCOLS, stack(answer))
