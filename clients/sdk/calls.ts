/** The types of calls, all derived from the description. */
import type { Client, ClientPathsWithMethod, MethodResponse, RequestBodyOption } from 'openapi-fetch'
import type { paths } from './api.d.ts'
import type { Method } from './method.ts'
import type { Retries } from './retries.ts'

/** The paths that have this method. */
export type PathOf<M extends Method> = ClientPathsWithMethod<Client<paths>, M>

type OperationOf<M extends Method, P extends PathOf<M>> = paths[P][M]

/** `name` is required if the description requires one of its members. */
type ParameterOption<Operation, In extends string, Name extends string = In> = Operation extends {
  parameters: Record<In, infer Parameters extends object>
}
  ? Record<Name, Parameters>
  : Operation extends { parameters: Partial<Record<In, infer Parameters>> }
    ? Partial<Record<Name, Parameters>>
    : Partial<Record<Name, never>>

/** Options of any call. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** ends the call, and any wait for the next attempt, with the reason of the signal */
  readonly signal?: AbortSignal
  /** override the client's retries */
  readonly retries?: Partial<Retries>
}

/** Options of a call: `path`, `query` and `body` as its operation declares them. */
export type InitOf<M extends Method, P extends PathOf<M>> = ParameterOption<OperationOf<M, P>, 'path'> &
  ParameterOption<OperationOf<M, P>, 'query'> &
  RequestBodyOption<OperationOf<M, P>> &
  CallOptions

/** The body of the answer; `undefined` if it has none. */
export type AnswerOf<M extends Method, P extends PathOf<M>> = [MethodResponse<Client<paths>, M, P>] extends [never]
  ? undefined
  : MethodResponse<Client<paths>, M, P>

type Requires<Operation> = Operation extends
  { parameters: { path: object } } | { parameters: { query: object } } | { requestBody: object }
  ? true
  : false

/** The last argument of a call, which is optional if its operation requires nothing. */
export type Given<M extends Method, P extends PathOf<M>> =
  Requires<OperationOf<M, P>> extends true ? [init: InitOf<M, P>] : [init?: InitOf<M, P>]

/** One method of the API. */
export type Verb<M extends Method> = <P extends PathOf<M>>(path: P, ...init: Given<M, P>) => Promise<AnswerOf<M, P>>

/** A call whose types are only in the description. */
export interface UntypedInit extends CallOptions {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** An answer: JSON is parsed, text is a string, anything else is bytes; `undefined` without a body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}
