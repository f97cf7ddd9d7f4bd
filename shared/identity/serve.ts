import type { Route } from '../http/operation.ts'
import { keepingFigures } from '../http/figures/keep.ts'
import { serveWith, type Authenticate } from '../http/serve.ts'
import type { HttpHandler } from '../http/request/call.ts'
import { admit } from './policies/admit.ts'
import { authenticate } from './tokens/bearer.ts'

/** The Lambda handler of an endpoint group whose callers have tokens of this service. */
export const serve = (
  routes: readonly Route[],
  /** accepts further callers */
  alsoBy: (others: Authenticate) => Authenticate = (others) => others,
): HttpHandler => keepingFigures(serveWith({ authenticate: alsoBy(authenticate), admit }, routes))
