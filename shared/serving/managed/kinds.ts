import type { Entity, Stored } from '../../store/entity.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'

/** Fields of everything that administrators of a protocol keep: its endpoints, and what those refer to. */
export interface ManagedRecord {
  readonly uri: string
  readonly name: string
  readonly updatedAt: string
}

/** One kind of such records, of which lists read `R` and callers see `S`: what is particular about it. */
export interface ManagedKind<T extends ManagedRecord, R, S> {
  /** as in "There is no such …" */
  readonly noun: string
  readonly entity: Entity<T, R>
  /** Fields of a body that bring unique values other than `name`, by the name of the value. */
  readonly pointers: Readonly<Record<string, string>>
  readonly present: (stored: Stored<T>) => Stored<S>
  /** The fields of a record that audit records tell. */
  readonly audited: (record: T) => Readonly<Record<string, unknown>>
}

export type KekVersion = Pick<StoredLocalKey, 'id' | 'version'>

/** An endpoint over a local key. */
export interface EndpointRecord extends ManagedRecord {
  /** whether the local key was made for it; then administrators of endpoints may rotate it */
  readonly own_key: boolean
}

/** States of endpoints that can be switched off and put away. */
export const ENDPOINT_STATUSES = ['Enabled', 'Disabled', 'Archived'] as const

/** One kind of endpoints. The name of its local key is the unique value `kek` of each. */
export interface EndpointKind<T extends EndpointRecord, R, S> extends ManagedKind<T, R, S> {
  /** The version of the local key that new data is protected with. */
  readonly kekIdOf: (endpoint: T) => string
  /** An endpoint after a new version of its key. */
  readonly renewed: (endpoint: T, version: KekVersion) => T
  /** Usage bits of the key that the endpoint needs. */
  readonly usageOf: (endpoint: T) => number
  /** @throws Refusal STATE_CONFLICT for an endpoint whose key must stay at its version */
  readonly assertRenewable?: (endpoint: T) => void
}
