import * as z from 'zod'
import type { Stored } from '../store/entity.ts'
import type { Context } from './context.ts'
import { etagOf } from './if-match.ts'
import { json, text, type Answer } from './call.ts'
import type { Permission } from './permission.ts'

/** What an operation says of itself: read to check requests, to write the API description, and to check answers. */
export interface Declaration<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  /** `<Verb> <Resource>`: summary in the API description and message of the audit record */
  readonly summary: string
  readonly path?: P
  readonly query?: Q
  readonly body?: B
  /** schema of the answer's body; absent when there is none */
  readonly answers?: z.ZodType
  /** media type of an answer that is a text of its own, not JSON */
  readonly media?: 'text/plain' | 'text/csv'
  /** what is too long to be answered is fetched from another address (302) */
  readonly mayRedirect?: true
  readonly status?: 200 | 201 | 202 | 204
  /** what cannot be done at once is accepted (202), in an answer of the same form */
  readonly mayDefer?: true
  readonly may: Permission
  /** A POST that changes nothing makes no audit record. */
  readonly reads?: true
  /** An answer that must not be kept, even sealed, for a repeated request (`Idempotency-Key`). */
  readonly once?: true
}

/** What a verb answers: status, body, and the revision its `ETag` shows. */
export interface Reply {
  readonly status: number
  readonly body: unknown
  readonly rev?: number
  /** where the body is, in place of one */
  readonly location?: string
}

export const ok = (body: unknown, rev?: number): Reply => ({ status: 200, body, ...(rev !== undefined && { rev }) })
export const created = (body: unknown, rev?: number): Reply => ({
  status: 201,
  body,
  ...(rev !== undefined && { rev }),
})
/** The same of a stored record: its revision becomes the ETag. */
export const okStored = ({ item, rev }: Stored<unknown>): Reply => ok(item, rev)
export const createdStored = ({ item, rev }: Stored<unknown>): Reply => created(item, rev)
export const accepted = (body: unknown): Reply => ({ status: 202, body })
export const noContent = (): Reply => ({ status: 204, body: undefined })
/** What was asked for is at another address. */
export const redirect = (location: string): Reply => ({ status: 302, body: undefined, location })
export const deleted = (): Reply => ({ status: 200, body: { status: 204 } })

export interface Operation {
  readonly declaration: Declaration<z.ZodType, z.ZodType, z.ZodType>
  /** Runs the verb on a request that was checked. Called again, on fresh state, when a race was lost. */
  readonly run: (request: { path: unknown; query: unknown; body: unknown; context: Context }) => Promise<Reply>
}

export const NO_PARAMETERS = z.strictObject({})

/** An operation: its declaration, and the one domain call it makes. */
export function operation<
  P extends z.ZodType = typeof NO_PARAMETERS,
  Q extends z.ZodType = typeof NO_PARAMETERS,
  B extends z.ZodType = z.ZodUndefined,
>(
  declaration: Declaration<P, Q, B>,
  run: (request: { path: z.output<P>; query: z.output<Q>; body: z.output<B>; context: Context }) => Promise<Reply>,
): Operation {
  // The request was parsed with these very schemas, so its parts have their types.
  return { declaration, run: run as unknown as Operation['run'] }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One line of the contents page: where an operation is reached. */
export interface Route {
  readonly method: Method
  /** path below `/api`, or from the host's root when it begins with `/.well-known` */
  readonly path: string
  readonly operation: Operation
}

export const route = (method: Method, path: string, operation: Operation): Route => ({ method, path, operation })

/** Whether a call leaves an audit record when it succeeds. */
export const isWrite = ({ method, operation }: Route): boolean =>
  method !== 'GET' && operation.declaration.reads !== true

export function answerOf({ operation }: Route, { status, body, rev, location }: Reply): Answer {
  if (location !== undefined) return { statusCode: status, headers: { location }, body: '' }
  const { media } = operation.declaration
  if (media !== undefined) return text(status, String(body), media)
  return json(status, body, rev === undefined ? {} : { etag: etagOf(rev) })
}
