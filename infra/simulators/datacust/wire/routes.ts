import { groupRoutes } from '../groups/operations.ts'
import { keyRoutes } from '../keys/operations.ts'
import { referenceRoutes } from '../references/operations.ts'
import type { Route } from './call.ts'

const ROUTES = [...groupRoutes, ...keyRoutes, ...referenceRoutes].map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

export interface FoundRoute {
  readonly route: Route
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>
}

/** Literal segments take precedence: `/keys/restore` is not a key. @param path below the base */
export function routeOf(method: string, path: string): FoundRoute | undefined {
  const found = ROUTES.filter((each) => each.method === method && each.pattern.test(path))
  const route = found.find((each) => !each.path.includes('{')) ?? found[0]
  return route && { route, params: { ...route.pattern.exec(path)?.groups } }
}

/** Whether the path has a route for another method. */
export const isServed = (path: string): boolean => ROUTES.some(({ pattern }) => pattern.test(path))
