import type { Entity, Stored } from '../store/entity.ts'

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
