/**
 * Work that goes on after the answer of the call that began it, and how callers follow it: `x-keymgr-job` of the API
 * description. Properties within others are named with dots.
 */
export interface BegunWork {
  /** Path that shows the work. Parameters that the path of the call lacks are properties of its answer, by default of the same name. */
  readonly read: string
  readonly ids?: Readonly<Record<string, string>>
  /** property with the state of the work */
  readonly status: string
  /** its values while the work goes on, and after a failure */
  readonly pending: readonly string[]
  readonly failed: readonly string[]
  /** properties with the causes of a failure */
  readonly reasons?: readonly string[]
  /** properties that count the work: numbers, lists, or objects with a member for each part that had its turn */
  readonly done?: string
  readonly left?: string
  readonly total?: string
}

/** States of work with an `overall_status`. */
export const OVERALL = { status: 'overall_status', pending: ['in_progress'], failed: ['failed', 'aborted'] } as const
