import type { Directory, Level, SimulatedTenancy, SimulatedUser } from '../directory/directory.ts'
import type { Domains } from '../domains/domains.ts'
import type { ExternalManagers } from '../external/external-managers.ts'
import type { HeldVault, Living } from '../state/held.ts'
import type { CloudState } from '../state/state.ts'
import type { Body } from './body.ts'
import type { RateClass } from './rates.ts'
import type { Reply } from './reply.ts'

/** A user whose signature was verified. */
export interface Caller {
  readonly tenancy: SimulatedTenancy
  readonly user: SimulatedUser
}

export type Service = 'vaults' | 'keys' | 'crypto' | 'identity' | 'storage' | 'audit'

/** One call of an operation, as the operation receives it. */
export interface Call {
  readonly operation: string
  readonly caller: Caller
  readonly state: CloudState
  readonly directory: Directory
  readonly domains: Domains
  readonly managers: ExternalManagers
  readonly region: string
  /** The vault of the called address. @throws ApiError NotAuthorizedOrNotFound at any other address */
  readonly vault: () => HeldVault
  /** A path parameter. */
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  readonly body: Body
  /** Kind of a list's page: faults make it short or empty, with more pages to follow. */
  readonly page: 'whole' | 'short' | 'empty'
  /** @throws ApiError NotAuthorizedOrNotFound unless the caller has the access level */
  readonly require: (level: Level, compartmentId: string) => void
  readonly may: (level: Level, compartmentId: string) => boolean
  /** @throws ApiError NoEtagMatch when the request names another etag */
  readonly requireMatch: (living: Living<string> & { readonly id: string }) => void
  /** Address of the simulator, below which its hosts are. */
  readonly endpoint: string
}

export interface Route {
  readonly service: Service
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** Path with the version; `{name}` is a parameter. */
  readonly path: string
  readonly rate?: RateClass
  /** Whether a repeated request with the same token gets the same answer. */
  readonly isRetrySafe: boolean
  readonly run: (call: Call) => Reply | Promise<Reply>
}
