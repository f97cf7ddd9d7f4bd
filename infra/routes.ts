import type { Route } from '../shared/http/operation.ts'
import { FUNCTIONS, type FunctionRow } from './functions.ts'

export interface RouteRow extends Route {
  readonly group: string
}

interface Served {
  readonly routes?: readonly Route[]
}

/** Functions whose modules exist only in a bundle. */
export const BUNDLED_ONLY: readonly string[] = ['guide', 'pages']

/** A data plane has no routes: it parses its paths itself. */
const hasRoutes = ({ name, budgetMs }: FunctionRow): boolean => budgetMs === undefined && !BUNDLED_ONLY.includes(name)

async function routesOf({ name }: FunctionRow): Promise<RouteRow[]> {
  const { routes = [] } = (await import(`../functions/${name}/handler.ts`)) as Served
  return routes.map((route) => ({ ...route, group: name }))
}

/**
 * Every route of the service with its group and, in its declaration, its permission. Derived from the lists of
 * operations, which are the only source; `npm run routes` prints it.
 */
export const ROUTES: readonly RouteRow[] = (await Promise.all(FUNCTIONS.filter(hasRoutes).map(routesOf))).flat()
