import * as z from 'zod'
import httpRouter from '@middy/http-router'
import type { Context as LambdaContext } from 'aws-lambda'
import { Refusal, REFUSALS } from '../base/errors.ts'
import { within } from '../base/network/trace.ts'
import { recordRefusal } from './audit/audited.ts'
import type { Caller } from './context.ts'
import type { Answer, Call, HttpEvent, HttpHandler } from './request/call.ts'
import type { Gate } from './request/gate.ts'
import { nearestPath, synonymOf } from './answer/nearest.ts'
import { answerOf, isFromRoot, NO_PARAMETERS, type Route } from './operation.ts'
import { parse } from './request/parse.ts'
import { offersDryRun } from './dry-run.ts'
import { perform } from './perform.ts'
import { PERMISSIONS } from './permission.ts'
import { MethodRefusal } from './answer/problem.ts'
import { pathNotFound, stack } from './request/stack.ts'
import { throttle } from './request/throttle.ts'

/** The path of a route, from the host's root. */
export const fullPath = (path: string): string => (isFromRoot(path) ? path : `/api${path}`)

/** Identifies the caller of a request by its token. @throws Refusal TOKEN_INVALID */
export type Authenticate = (event: HttpEvent) => Promise<Caller>

/** Decides whether a caller may make a call, according to its route. @throws Refusal ACTION_DENIED */
export type Admit = (call: Call, route: Route) => Promise<Gate>

/** Identification and permissions of the callers of an endpoint group. */
interface Door {
  readonly authenticate: Authenticate
  /** called for every call with a token */
  readonly admit: Admit
}

/** The Lambda handler of an endpoint group: its routes behind the middleware stack. */
export function serveWith(door: Door, routes: readonly Route[]): HttpHandler {
  const router = httpRouter({
    routes: routes.map((route) => ({
      method: route.method,
      path: routedPath(route),
      handler: steps(door, route, routes),
    })),
    notFoundResponse: ({ method, path }: { method: string; path: string }) => {
      throw notServed(routes, method, path)
    },
  }) as (event: HttpEvent, context: LambdaContext) => Promise<Answer>
  return stack(router)
}

const REST = /\{([^/{}]+)\}$/
const PROXY = 'proxy'

/** The path in the form of the router, which calls the rest of a path `proxy`. */
const routedPath = ({ path, operation: { declaration } }: Route): string =>
  declaration.takesRest ? fullPath(path).replace(REST, `{${PROXY}+}`) : fullPath(path)

/** Renames the rest of a path to the parameter of its route. @throws Refusal for a path without a rest */
function nameRest(routes: readonly Route[], { method, path }: Route, event: HttpEvent): void {
  const { [PROXY]: rest = '', ...others } = event.pathParameters ?? {}
  if (rest === '') throw notServed(routes, method, event.rawPath)
  event.pathParameters = { ...others, [REST.exec(path)?.[1] ?? '']: rest }
}

/**
 * Ours: the front door cuts a path at an encoded `?`, so `POST …/keys2/%3F/destroy` arrives as `POST …/keys2/`, which
 * would create a record. Such a path has a final slash and no body, unlike any creation.
 * @throws Refusal NOT_FOUND
 */
function assertWhole({ rawPath, body = '' }: HttpEvent): void {
  if (body === '' && rawPath.endsWith('/'))
    throw new Refusal(
      'NOT_FOUND',
      'There is nothing at this address: it ends in a slash, and the call has no body. An encoded "?" in an id ends the address there: give the id of the record.',
    )
}

/** The steps of one request, in order. `problem` answers any error that they throw. */
function steps(
  { authenticate, admit }: Door,
  route: Route,
  routes: readonly Route[],
): (event: HttpEvent) => Promise<Answer> {
  const { declaration } = route.operation
  const shapes = {
    path: declaration.path ?? NO_PARAMETERS,
    query: declaration.query ?? NO_PARAMETERS,
    body: declaration.body,
    takes: declaration.takes,
    isAnonymous: !PERMISSIONS[declaration.may].token,
    offersDryRun: offersDryRun(route),
  }
  const mayBeCut =
    route.method === 'POST' &&
    routes.some(({ method, path }) => method === 'POST' && path.startsWith(`${route.path}/{`))
  const check = async (event: HttpEvent): Promise<void> => {
    event.routeKey = `${route.method} ${route.path}`
    event.call.operation = declaration.summary
    event.call.route = fullPath(route.path)
    const { token } = PERMISSIONS[declaration.may]
    if (declaration.takesRest) nameRest(routes, route, event)
    try {
      if (token) event.call.caller = await authenticate(event)
    } finally {
      throttle(event.call) // a refused token counts too, for its address
    }
    if (token) event.call.gate = await admit(event.call, route)
    if (mayBeCut) assertWhole(event)
    if (declaration.refuses) {
      shapes.path.safeParse(event.pathParameters ?? {}) // a path may have a specific refusal, which it throws
      throw declaration.refuses()
    }
    parse(event, shapes, (parameter) => listByName(routes, route.path, parameter))
  }
  return inOwnForm(route, async (event) => {
    try {
      await check(event)
    } catch (error) {
      await recordRefusal(route, event.call, error)
      throw error
    }
    return answerOf(route, await within(event.call.trace, () => perform(route, event)))
  })
}

/**
 * Answers refusals in the form of the operation, if it has one. Internal errors and overload keep the standard form.
 */
function inOwnForm(
  { operation: { declaration } }: Route,
  answer: (event: HttpEvent) => Promise<Answer>,
): (event: HttpEvent) => Promise<Answer> {
  const { refusedAs } = declaration
  if (refusedAs === undefined) return answer
  return async (event) => {
    try {
      return await answer(event)
    } catch (error) {
      if (!(error instanceof Refusal) || REFUSALS[error.reason].status >= 429) throw error
      return refusedAs.answer(error)
    }
  }
}

/** Filters of lists by the name of a record, in different resources. */
const NAMES = ['name', 'key_name', 'username', 'policy_name', 'alias']

/** States which list finds the id in a path by name, if there is one. */
function listByName(routes: readonly Route[], path: string, parameter: string): string | undefined {
  const [list = ''] = path.split(`/{${parameter}}`)
  const found = routes.find((one) => one.method === 'GET' && one.path === list)
  const query = found?.operation.declaration.query
  const name = query instanceof z.ZodObject ? NAMES.find((one) => one in query.shape) : undefined
  return name === undefined ? undefined : `GET ${fullPath(list)}?${name}=… finds it by its ${name}`
}

const segments = (path: string): string[] => path.replace(/\/$/, '').split('/')

const isAt = (path: string, { path: pattern, operation: { declaration } }: Route): boolean => {
  const given = segments(path)
  const wanted = segments(fullPath(pattern))
  return (
    (declaration.takesRest ? given.length >= wanted.length : given.length === wanted.length) &&
    wanted.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))
  )
}

/** `rotate` of the summary `Rotate Key`. */
const verbOf = ({ operation }: Route): string => operation.declaration.summary.split(' ', 1)[0]?.toLowerCase() ?? ''

/** 405 with the allowed methods, or 404. */
function notServed(routes: readonly Route[], method: string, path: string): Refusal {
  const allow = [...new Set(routes.filter((route) => isAt(path, route)).map((route) => route.method))]
  if (allow.length > 0) return new MethodRefusal(method, allow)
  const named = routes.map((route) => ({ pattern: fullPath(route.path), verb: verbOf(route) }))
  const patterns = named.map(({ pattern }) => pattern)
  return pathNotFound(synonymOf(path, named) ?? nearestPath(path, patterns))
}
