/** A kind of thing that depends on a resource. */
export interface Use {
  /** one of them, in words */
  readonly kind: string
  readonly count: number
  /** some of their names */
  readonly names: readonly string[]
  /** what happens to them if the resource ends */
  readonly effect?: string
}
