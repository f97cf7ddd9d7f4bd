import type { Route } from '../shared/http/operation.ts'
import { FUNCTIONS } from './functions.ts'

export interface RouteRow extends Route {
  readonly group: string
}

/** The routes that the handler of a group serves; `guide` exists in a bundle only, and data planes have none. */
async function routesOf(group: string): Promise<RouteRow[]> {
  if (group === 'guide') return []
  const { routes = [] } = (await import(`../functions/${group}/handler.ts`)) as { routes?: readonly Route[] }
  return routes.map((route) => ({ ...route, group }))
}

/**
 * The contents page: every route of the service, its group and, in its declaration, who may call. Derived from the handlers'
 * lists, which are the only source; `npm run routes` prints it.
 */
export const ROUTES: readonly RouteRow[] = (await Promise.all(FUNCTIONS.map(({ name }) => routesOf(name)))).flat()
