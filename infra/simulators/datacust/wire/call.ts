import type { Caller } from '../login/tokens.ts'
import type { Stores } from '../hyok/stores.ts'
import type { DatacustState } from '../state/state.ts'
import type { Body } from './body.ts'

/** An answer, without the headers that every answer has. */
export interface Reply {
  readonly status?: number
  readonly body?: unknown
}

/** One call of an operation, as the operation receives it. */
export interface Call {
  readonly operation: string
  readonly caller: Caller
  readonly state: DatacustState
  readonly stores: Stores
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  readonly body: Body
  /** Kind of a list's page: faults make it short, with more pages to follow. */
  readonly page: 'whole' | 'short'
  /** The called address, without its query. */
  readonly address: string
}

export interface Route {
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below `/kms/v2`; `{name}` is a parameter. */
  readonly path: string
  readonly run: (call: Call) => Reply | Promise<Reply>
}
