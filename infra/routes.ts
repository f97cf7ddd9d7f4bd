import { routes as audit } from '../shared/audit/operations.ts'
import { routes as auth } from '../shared/identity/tokens/operations.ts'
import { routes as cloudA } from '../shared/clouds/cloud-a/operations.ts'
import { routes as cloudC } from '../shared/clouds/cloud-c/operations.ts'
import { routes as connections } from '../shared/cloud/connections/operations.ts'
import { routes as ekm } from '../shared/endpoints/ekm/operations.ts'
import { routes as reports } from '../shared/work/report/operations.ts'
import { routes as scheduler } from '../shared/work/schedule/operations.ts'
import { routes as users } from '../shared/identity/operations.ts'
import { routes as vault } from '../shared/vault/keys/operations.ts'
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
