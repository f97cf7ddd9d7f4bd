import { certificateRoutes } from '../certificates/certificates.ts'
import { eventLogRoutes } from '../events/event-log.ts'
import { queryRoutes } from '../query/operations.ts'
import { createSecret } from '../secrets/create.ts'
import { updateSecret } from '../secrets/update.ts'
import type { Route } from './call.ts'

const ROUTES = (
  [
    { operation: 'CreateTenantSecret', method: 'POST', path: '/sobjects/TenantSecret/?', run: createSecret },
    { operation: 'UpdateTenantSecret', method: 'PATCH', path: '/sobjects/TenantSecret/{id}', run: updateSecret },
    ...eventLogRoutes,
    ...certificateRoutes,
    ...queryRoutes,
  ] satisfies Route[]
).map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`, 'i'),
}))

export interface FoundRoute {
  readonly route: Route
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>
}

/** @param path below the version */
export function routeOf(method: string, path: string): FoundRoute | undefined {
  const route = ROUTES.find((each) => each.method === method && each.pattern.test(path))
  return route && { route, params: { ...route.pattern.exec(path)?.groups } }
}

/** Whether the path has a route for another method. */
export const isServed = (path: string): boolean => ROUTES.some(({ pattern }) => pattern.test(path))
