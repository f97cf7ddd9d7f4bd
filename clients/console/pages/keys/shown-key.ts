import type { KeySummary, PlaceRow } from '../../clouds/row.ts'

/** A key, for the parts of its page. */
export interface ShownKey {
  readonly cloud: PlaceRow
  /** a key of the cloud */
  readonly of: unknown
  readonly summary: KeySummary
  /** address of its page, without a tab */
  readonly at: string
}
