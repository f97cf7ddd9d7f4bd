/**
 * Approvals of changes. A rule of the service may demand that others approve a call before it is made; the approval
 * holds for that call alone, with its body.
 */
import { ProblemError, isProblem } from '../sdk/problem.ts'
import type { Call } from './calls.ts'

const APPROVAL = 'X-Keymgr-Approval'
const REASON = 'X-Keymgr-Approval-Reason'

/** A call that a rule refused because nobody has approved it. */
export class NeedsApproval extends ProblemError {
  readonly call: Call
  /** a sentence for each rule: its name, the number of approvals, and who gives them */
  readonly rules: readonly string[]

  constructor(problem: ProblemError, call: Call, rules: readonly string[]) {
    super(problem, problem.headers, problem.attempts)
    this.call = call
    this.rules = rules
  }
}

/** The error of a refused call; one that needs an approval carries the call. */
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

/** What a call does, whatever its header fields. */
const contentOf = ({ method, path, init }: Call): string =>
  JSON.stringify([method, path, init.path, init.query, init.body])

let chosen: { readonly content: string; readonly id: string } | undefined

/**
 * Chooses an approval for the next time that this call is made: a form sends its call again in its own way, of which
 * other calls may be a part. @param id of the request
 */
export function chooseApproval(id: string, call: Call): void {
  chosen = { content: contentOf(call), id }
}

/** The call with the approval that was chosen for it, which is then chosen no more. */
export function withChosen(call: Call): Call {
  if (chosen?.content !== contentOf(call)) return call
  const { id } = chosen
  chosen = undefined
  return approvedBy(id, call)
}

/** A call for which approval was asked. */
export interface AskedCall {
  readonly call: Call
  /** the same call with the names of its secrets in their place */
  readonly shown: Call
}

/** Ours: calls that a tab remembers. */
const REMEMBERED = 20
const asked = new Map<string, AskedCall>()

/**
 * Remembers a call by the id of its request. Ours: in the memory of the tab only, since bodies may have secrets, and
 * what is in the storage of a browser can outlive the session.
 */
export function rememberAsked(id: string, call: AskedCall): void {
  asked.set(id, call)
  for (const oldest of [...asked.keys()].slice(0, -REMEMBERED)) asked.delete(oldest)
}

/** The call of a request; `undefined` if it was asked for elsewhere, or before the page was loaded. */
export const askedCall = (id: string): AskedCall | undefined => asked.get(id)

export const forgetAsked = (id: string): boolean => asked.delete(id)

/** At the end of the session. */
export function forgetApprovals(): void {
  asked.clear()
  chosen = undefined
}
