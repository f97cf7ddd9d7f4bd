/**
 * Approvals of changes. A rule of the service may demand that others approve a call. The approval is valid for that call
 * with that body only.
 */
import { ProblemError, isProblem } from '../sdk/problem.ts'
import type { Call } from './calls.ts'

const APPROVAL = 'X-Keymgr-Approval'
const REASON = 'X-Keymgr-Approval-Reason'

/** The refusal of a call that needs approval and has none. */
export class NeedsApproval extends ProblemError {
  readonly call: Call
  /** a sentence for each rule: its name, the number of approvals, and the approver groups */
  readonly rules: readonly string[]

  constructor(problem: ProblemError, call: Call, rules: readonly string[]) {
    super(problem, problem.headers, problem.attempts)
    this.call = call
    this.rules = rules
  }
}

/** The error of a call, as `NeedsApproval` if a rule refused it. */
export function refusalOf(call: Call, error: unknown): unknown {
  if (!isProblem(error, 'denied')) return error
  const rules = error.errors.filter(({ parameter }) => parameter === REASON).map(({ detail }) => detail)
  return rules.length === 0 ? error : new NeedsApproval(error, call, rules)
}

const withHeader = (call: Call, name: string, value: string): Call => ({
  ...call,
  init: { ...call.init, headers: { ...call.init.headers, [name]: value } },
})

/** The call that asks for the approval of `call`. */
export const askingFor = (call: Call, reason: string): Call => withHeader(call, REASON, encodeURIComponent(reason))

/** A call with an approval. @param id of the request */
export const approvedBy = (id: string, call: Call): Call => withHeader(call, APPROVAL, id)

/** Identifies a call by everything except its header fields. */
const contentOf = ({ method, path, init }: Call): string =>
  JSON.stringify([method, path, init.path, init.query, init.body])

let chosen: { readonly content: string; readonly id: string } | undefined

/**
 * Chooses an approval for the next attempt of this call. The form submits again as before, possibly with other calls,
 * and `withChosen` adds the approval to this one. @param id of the request
 */
export function chooseApproval(id: string, call: Call): void {
  chosen = { content: contentOf(call), id }
}

/** The call with the approval chosen for it, if any. The choice is used once. */
export function withChosen(call: Call): Call {
  if (chosen?.content !== contentOf(call)) return call
  const { id } = chosen
  chosen = undefined
  return approvedBy(id, call)
}

/** A call for which approval was asked. */
export interface AskedCall {
  readonly call: Call
  /** the same call with names in place of its secrets */
  readonly shown: Call
}

/** Ours: maximum number of calls that a tab remembers. */
const REMEMBERED = 20
const asked = new Map<string, AskedCall>()

/**
 * Remembers a call by the id of its request. Ours: in the memory of the tab only, because bodies may contain secrets, and
 * the storage of a browser can outlive the session.
 */
export function rememberAsked(id: string, call: AskedCall): void {
  asked.set(id, call)
  for (const oldest of [...asked.keys()].slice(0, -REMEMBERED)) asked.delete(oldest)
}

/** The call of a request; `undefined` if another tab created the request, or this page was loaded later. */
export const askedCall = (id: string): AskedCall | undefined => asked.get(id)

export const forgetAsked = (id: string): boolean => asked.delete(id)

/** Forgets all calls and choices, at the end of the session. */
export function forgetApprovals(): void {
  asked.clear()
  chosen = undefined
}
