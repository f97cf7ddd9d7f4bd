import type { Refusal } from '../../base/errors.ts'
import type { Changes } from '../../store/changes.ts'

/** The use of an approved request by the one call that was approved. */
export interface Claim {
  readonly uri: string
  readonly approvedBy: readonly string[]
  /** ids of the rules that it meets */
  readonly rules: readonly string[]
  /** URIs of the existing records that the call may change; empty if they were not known */
  readonly subjects: readonly string[]
  /** Stages the outcome with the changes of the call. */
  readonly settle: (changes: Changes, outcome: { readonly status: number; readonly uri: string | undefined }) => void
  /** Records a refusal: the request is used up if the call had begun its effects, and otherwise approved as before. */
  readonly refused: (status: number, hasBegun: boolean) => Promise<void>
}

/** Which rules ask for approval of actions of one caller. */
export interface RulesOfCaller {
  /** @returns ids of the rules over an action. @param id of the record in the path of a call */
  readonly over: (action: string, id?: string) => readonly string[]
  readonly refusalOf: (action: string, rules: readonly string[]) => Refusal
}
