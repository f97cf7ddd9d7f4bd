/**
 * Work that continues after the answer of the call that started it, and how callers follow it: `x-keymgr-job` of the
 * API description. Names of nested properties contain dots.
 */
export interface BegunWork {
  /**
   * Path that shows the work. Parameters that the call's path lacks are properties of its answer, by default with the
   * same name.
   */
  readonly read: string
  readonly ids?: Readonly<Record<string, string>>
  /** property with the state of the work */
  readonly status: string
  /** its values while the work continues, and after a failure */
  readonly pending: readonly string[]
  readonly failed: readonly string[]
  /** properties with the causes of a failure */
  readonly reasons?: readonly string[]
  /** properties that count the work: numbers, lists, or objects with a member for each finished part */
  readonly done?: string
  readonly left?: string
  readonly total?: string
}

/** States of work with an `overall_status`. */
export const OVERALL = { status: 'overall_status', pending: ['in_progress'], failed: ['failed', 'aborted'] } as const
