import type { Kind } from '../resource/kind.ts'
import type { StoredLocalKey } from '../vault/keys/store.ts'

export type KekVersion = Pick<StoredLocalKey, 'id' | 'name' | 'version'>

/** An endpoint over a local key. */
export interface EndpointRecord {
  readonly id: string
  readonly uri: string
  readonly name: string
  /** whether the local key was created for it; then administrators of endpoints may rotate it */
  readonly own_key?: boolean
}

/** States of endpoints that can be disabled and archived. */
export const ENDPOINT_STATUSES = ['Enabled', 'Disabled', 'Archived'] as const

/** One kind of endpoints. The name of its local key is the unique value `kek` of each. */
export interface EndpointKind<T extends EndpointRecord, R extends object, S> extends Kind<T, R, S> {
  /** The version of the local key that new data is protected with. */
  readonly kekIdOf: (endpoint: T) => string
  /** An endpoint with a new version of its key. */
  readonly renewed: (endpoint: T, version: KekVersion, now: Date) => T
  /** Usage bits of the key that the endpoint needs. */
  readonly usageOf: (endpoint: T) => number
  /** @throws Refusal STATE_CONFLICT for an endpoint whose key must stay at its version */
  readonly assertRenewable?: (endpoint: T) => void
}
