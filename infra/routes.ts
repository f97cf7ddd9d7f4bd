import { routes as audit } from '../functions/audit/handler.ts'
import { routes as auth } from '../functions/auth/handler.ts'
import { routes as cloudA } from '../functions/cloud-a/handler.ts'
import { routes as cloudC } from '../functions/cloud-c/handler.ts'
import { routes as connections } from '../functions/connections/handler.ts'
import { routes as ekm } from '../functions/ekm/handler.ts'
import { routes as reports } from '../functions/reports/handler.ts'
import { routes as scheduler } from '../functions/scheduler/handler.ts'
import { routes as users } from '../functions/users/handler.ts'
import { routes as vault } from '../functions/vault/handler.ts'
import type { Route } from '../shared/http/operation.ts'

export interface RouteRow extends Route {
  readonly group: string
}

const inGroup = (group: string, routes: readonly Route[]): RouteRow[] => routes.map((route) => ({ ...route, group }))

/**
 * The contents page: every route of the service, its group and, in its declaration, who may call. Derived from the
 * handlers' lists, which are the only source; `npm run routes` prints it.
 */
export const ROUTES: readonly RouteRow[] = [
  ...inGroup('auth', auth),
  ...inGroup('users', users),
  ...inGroup('vault', vault),
  ...inGroup('audit', audit),
  ...inGroup('connections', connections),
  ...inGroup('cloud-a', cloudA),
  ...inGroup('ekm', ekm),
  ...inGroup('cloud-c', cloudC),
  ...inGroup('scheduler', scheduler),
  ...inGroup('reports', reports),
]
