import * as z from 'zod'
import { defined } from '../base/fields.ts'
import type { Refusal } from '../base/errors.ts'
import type { Stored } from '../store/entity.ts'
import type { BegunWork } from './begun-work.ts'
import type { Context } from './context.ts'
import { bytes, json, text, type Answer } from './request/call.ts'
import type { Taken } from './request/parse.ts'
import type { Permission } from './permission.ts'

/**
 * How dangerous a call is. 0: it removes nothing. 1: it replaces something that can be restored. 2: it stops something
 * until that is undone. 3: it ends something that cannot be restored.
 */
export type Level = 0 | 1 | 2 | 3

export interface Danger {
  readonly level: Level
  /** what cannot be undone, in a sentence; of level 3 */
  readonly lost?: string
}

/**
 * The declaration of an operation, from which requests are checked, the API description is generated, and tests check
 * answers.
 */
export interface Declaration<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  /** `<Verb> <Resource>`: summary in the API description and message of the audit record */
  readonly summary: string
  /** name of its action in policies, if `actionOf` the summary differs */
  readonly action?: string
  readonly path?: P
  readonly query?: Q
  readonly body?: B
  /** media type of a body in addition to JSON, or of a form, which replaces it; bytes become their base64 */
  readonly takes?: Taken
  /** schema of the answer's body; absent without a body */
  readonly answers?: z.ZodType
  /** media type of an answer other than JSON; for bytes, the operation returns their base64 */
  readonly media?: 'text/plain' | 'text/csv' | 'application/pkix-crl' | 'application/ocsp-response'
  /** an answer that is too long is downloaded from another address (302) */
  readonly mayRedirect?: true
  readonly status?: 200 | 201 | 202 | 204
  /** work that cannot finish at once is accepted (202), with an answer of the same form */
  readonly mayDefer?: true
  /** it may report that the service is unavailable (503), with an answer of the same form */
  readonly mayBeDown?: true
  /** schema of the answer (200) if the body requests only a check: nothing is stored or recorded */
  readonly tries?: z.ZodType
  readonly may: Permission
  /** The reason why the call is always refused. It is checked before the fields of the request. */
  readonly refuses?: () => Refusal
  /** The last parameter of the path is the whole rest of the path, including every `/`. */
  readonly takesRest?: true
  /** A POST that changes nothing and leaves no audit record. */
  readonly reads?: true
  /** An answer without secrets that is the same for every caller: caches may keep it. */
  readonly cacheable?: true
  /**
   * An answer that is never stored for a repeated `Idempotency-Key`, not even encrypted. `idempotent`: a repetition has
   * no further effect.
   */
  readonly once?: true | 'idempotent'
  /** How dangerous it is, where the level of its first word is wrong. */
  readonly danger?: Danger
  /** Work that continues after the answer. */
  readonly begins?: BegunWork
  /** The form of its refusals (400 and 401), if its protocol has a different one. */
  readonly refusedAs?: { readonly schema: z.ZodType; readonly answer: (refusal: Refusal) => Answer }
}

/** The result of an operation: status, body, and the revision for the `ETag`. */
export interface Reply {
  readonly status: number
  readonly body: unknown
  readonly rev?: number
  /** header fields of the answer, for example how long caches may keep it */
  readonly headers?: Readonly<Record<string, string>>
  /** address of the body, instead of a body */
  readonly location?: string
  /** values of `Set-Cookie` headers */
  readonly cookies?: readonly string[]
}

/** The `ETag` of a record at this revision. */
export const etagOf = (rev: number): string => `"${rev}"`

export const ok = (body: unknown, rev?: number): Reply => ({ status: 200, body, ...defined({ rev }) })
export const created = (body: unknown, rev?: number): Reply => ({
  status: 201,
  body,
  ...defined({ rev }),
})
/** The same for a stored record, with its revision as the ETag. */
export const okStored = ({ item, rev }: Stored<unknown>): Reply => ok(item, rev)
export const createdStored = ({ item, rev }: Stored<unknown>): Reply => created(item, rev)
export const accepted = (body: unknown): Reply => ({ status: 202, body })
export const noContent = (): Reply => ({ status: 204, body: undefined })
/** The answer is at another address. */
export const redirect = (location: string): Reply => ({ status: 302, body: undefined, location })
export const deleted = (): Reply => ({ status: 200, body: { status: 204 } })

export interface Operation {
  readonly declaration: Declaration<z.ZodType, z.ZodType, z.ZodType>
  /** Runs the operation on a checked request. It runs again on fresh state after a lost race. */
  readonly run: (request: { path: unknown; query: unknown; body: unknown; context: Context }) => Promise<Reply>
}

export const NO_PARAMETERS = z.strictObject({})

/** An operation: its declaration and its function. */
export function operation<
  P extends z.ZodType = typeof NO_PARAMETERS,
  Q extends z.ZodType = typeof NO_PARAMETERS,
  B extends z.ZodType = z.ZodUndefined,
>(
  declaration: Declaration<P, Q, B>,
  run: (request: { path: z.output<P>; query: z.output<Q>; body: z.output<B>; context: Context }) => Promise<Reply>,
): Operation {
  // The request was parsed with these schemas, so its parts have these types.
  return { declaration, run: run as unknown as Operation['run'] }
}

/** A declared operation that is always refused. */
export const refusing = <P extends z.ZodType, B extends z.ZodType>(
  declaration: Declaration<P, z.ZodType, B> & { readonly refuses: () => Refusal },
): Operation => operation(declaration, () => Promise.reject(declaration.refuses()))

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route: the address of an operation. */
export interface Route {
  readonly method: Method
  /** path below `/api`, or from the host's root (`isFromRoot`) */
  readonly path: string
  readonly operation: Operation
  /** id in the API description, if words and path do not result in a unique one */
  readonly id?: string
}

/** Paths from the host's root: those that begin with one of these. */
const FROM_ROOT = ['/.well-known', '/platform/']
export const isFromRoot = (path: string): boolean => FROM_ROOT.some((beginning) => path.startsWith(beginning))

/** @param id in the API description, if words and path do not result in a unique one */
export const route = (method: Method, path: string, operation: Operation, id?: string): Route => ({
  method,
  path,
  operation,
  ...defined({ id }),
})

/** Whether a successful call leaves an audit record. */
export const isWrite = ({ method, operation }: Route): boolean =>
  method !== 'GET' && operation.declaration.reads !== true

/** Whether a reply is the result of a check only. */
export const isTrial = ({ operation: { declaration } }: Route, { status }: Reply): boolean =>
  declaration.tries !== undefined && status === 200

/** Ours: time for which caches may use the API description and the signing keys. */
const CACHEABLE = 'public, max-age=60'

export function answerOf(route: Route, reply: Reply): Answer {
  const answer = answerOfReply(route, reply)
  Object.assign(answer.headers, reply.headers)
  if (reply.cookies !== undefined) answer.cookies = [...reply.cookies]
  if (route.operation.declaration.cacheable) answer.headers['cache-control'] = CACHEABLE
  return answer
}

function answerOfReply({ operation }: Route, { status, body, rev, location }: Reply): Answer {
  if (location !== undefined) return { statusCode: status, headers: { location }, body: '' }
  const { media } = operation.declaration
  if (media?.startsWith('application/') === true && typeof body === 'string') return bytes(status, body, media)
  if (media !== undefined && typeof body === 'string') return text(status, body, media)
  return json(status, body, rev === undefined ? {} : { etag: etagOf(rev) })
}

/** The route of a call that starts work. */
export const beginning = (begins: BegunWork, { operation, ...route }: Route): Route => ({
  ...route,
  operation: { ...operation, declaration: { ...operation.declaration, begins } },
})
