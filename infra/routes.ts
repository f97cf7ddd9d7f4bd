import type { Route } from '../shared/http/operation.ts'
import { FUNCTIONS, type FunctionRow } from './functions.ts'

export interface RouteRow extends Route {
  readonly group: string
}

interface Served {
  readonly routes?: readonly Route[]
}

export const BUNDLED_ONLY: readonly string[] = ['guide', 'pages']

/** The module with a function's list of routes. */
async function servedBy({ name, entry, slice }: FunctionRow): Promise<Served> {
  if (slice?.room === 'clouds') return (await import(`../shared/clouds/${slice.name}/operations.ts`)) as Served
  if (slice?.room === 'endpoints') return (await import(`../shared/endpoints/${slice.name}/operations.ts`)) as Served
  // These exist in a bundle only, and a data plane has no routes.
  return BUNDLED_ONLY.includes(name) || entry !== undefined
    ? {}
    : ((await import(`../functions/${name}/handler.ts`)) as Served)
}

async function routesOf(row: FunctionRow): Promise<RouteRow[]> {
  const { routes = [] } = await servedBy(row)
  return routes.map((route) => ({ ...route, group: row.name }))
}

/**
 * The contents page: every route of the service, its group and, in its declaration, who may call. Derived from the lists of
 * operations, which are the only source; `npm run routes` prints it.
 */
export const ROUTES: readonly RouteRow[] = (await Promise.all(FUNCTIONS.map(routesOf))).flat()
