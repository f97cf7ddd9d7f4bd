import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import type { Answer, HttpEvent } from '../../shared/http/call.ts'
import { pathNotFound, stack } from '../../shared/http/stack.ts'
import { withStrayCalls } from '../../shared/serving/stray-calls.ts'

const CONSOLE = '/console/'

/** Whether a browser requests the bare host. */
const opensHost = ({ headers, requestContext: { http } }: HttpEvent): boolean =>
  http.path === '/' && http.method === 'GET' && (headers.accept ?? '').includes('text/html')

const toConsole: Answer = { statusCode: 302, headers: { location: CONSOLE, vary: 'accept' }, body: '' }

/**
 * Answers every path without a function: 404 in the service's own form, or in that of a protocol. A browser at `/` is
 * redirected to the console.
 */
export const handler = withStrayCalls(
  PROTOCOLS,
  stack((event) => (opensHost(event) ? Promise.resolve({ ...toConsole }) : Promise.reject(pathNotFound()))),
)
