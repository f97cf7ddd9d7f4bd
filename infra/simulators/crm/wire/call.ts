import type { CrmState } from '../state/state.ts'
import type { HeldOrganization } from '../state/held.ts'
import type { SimulatedUser } from '../login/directory.ts'
import type { Fetches } from '../remote/fetches.ts'
import type { Cursors } from '../query/cursors.ts'
import type { Intervals } from '../secrets/rules.ts'
import type { Body } from './body.ts'
import type { Reply } from './reply.ts'

/** One call of an operation, as the operation receives it. */
export interface Call {
  readonly operation: string
  readonly organization: HeldOrganization
  readonly user: SimulatedUser
  /** Version of the API, such as 60. */
  readonly version: number
  readonly state: CrmState
  readonly fetches: Fetches
  readonly cursors: Cursors
  readonly intervals: () => Intervals
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  readonly header: (name: string) => string | undefined
  readonly body: Body
  /** Kind of a list's page: faults make it short, with more pages to follow. */
  readonly page: 'whole' | 'short'
}

export interface Route {
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Path below `/services/data/v<NN>.0`; `{name}` is a parameter. */
  readonly path: string
  readonly run: (call: Call) => Reply | Promise<Reply>
}
