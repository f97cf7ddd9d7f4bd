import type { SimulatedAccount } from '../accounts/accounts.ts'
import type { Caller } from '../authentication/caller.ts'
import type { Clusters } from '../accounts/clusters.ts'
import type { Input } from '../../toolkit/aws/input.ts'
import type { ProxyConnections } from '../key-stores/proxy-connection.ts'
import type { CloudState } from '../state/cloud-state.ts'
import type { Trail } from '../logs/trail.ts'

/** One call of an operation, as the operation receives it. */
export interface Call {
  /** Request id of the answer's header. */
  readonly requestId: string
  readonly operation: string
  readonly caller: Caller
  readonly state: CloudState
  readonly accounts: ReadonlyMap<string, SimulatedAccount>
  readonly clusters: Clusters
  /** Connections to the proxies of external key stores. */
  readonly proxies: ProxyConnections
  readonly trail: Trail
  /** A fault requires an empty page with a token for the next one. */
  readonly emptyPage: boolean
}

/** @returns the answer's members */
export type Operation = (call: Call, input: Input) => object | Promise<object>
export type Operations = Readonly<Record<string, Operation>>
