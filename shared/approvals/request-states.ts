/** State transitions of a request: the conditions of each and the next record. Pure functions. */
import { Refusal } from '../base/errors.ts'
import { defined, without } from '../base/fields.ts'
import { HOUR_MS, later, MINUTE_MS } from '../base/time.ts'
import type { RequestState } from './model.ts'
import type { BoardRule, StoredRequest } from './store.ts'

/** Ours: an interrupted call can be resumed for this time; its work at clouds is kept for a day. */
const RESUMED_MS = 23 * HOUR_MS
/** Longer than the 29 seconds of an HTTP request. */
const LEASE_MS = MINUTE_MS

/** Who acts on a request. */
export interface Person {
  readonly id: string
  readonly username: string
  readonly isUser: boolean
  readonly groupIds: readonly string[]
}

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)
const denied = (sentence: string): Refusal => new Refusal('ACTION_DENIED', sentence)

/** The state at a time. A request expires without a write. */
export function stateOf({ state, expires_at }: Pick<StoredRequest, 'state' | 'expires_at'>, now: Date): RequestState {
  const isOpen = state === 'pending' || state === 'approved'
  return isOpen && Date.parse(expires_at) <= now.getTime() ? 'expired' : state
}

function assertState(request: StoredRequest, wanted: readonly RequestState[], now: Date): void {
  const state = stateOf(request, now)
  if (!wanted.includes(state)) throw conflict(`The request is ${state}.`)
}

/** Ids of the rules whose approver groups contain a person. */
const rulesFor = ({ needs }: StoredRequest, { groupIds }: Person): string[] =>
  needs.filter(({ group_ids }) => group_ids.some((id) => groupIds.includes(id))).map(({ rule_id }) => rule_id)

/** Whether a person may see a request: as its requester or a possible approver. */
export const isSeenBy = (
  { requester_id, group_ids }: { readonly requester_id: string; readonly group_ids: readonly string[] },
  { id, groupIds }: Person,
): boolean => id === requester_id || group_ids.some((group) => groupIds.includes(group))

const isMet = ({ needs, approvals }: StoredRequest): boolean =>
  needs.every(
    ({ rule_id, approvals: wanted }) => approvals.filter(({ rules }) => rules.includes(rule_id)).length >= wanted,
  )

/**
 * Ours: only users decide, because a client may belong to the requester. The requester never decides.
 * @throws Refusal ACTION_DENIED
 */
function assertMayDecide(request: StoredRequest, person: Person): string[] {
  if (person.id === request.requester_id) throw denied('Another user than the one who asked must decide.')
  if (!person.isUser) throw denied('Users decide about requests, not clients.')
  const rules = rulesFor(request, person)
  if (rules.length === 0) throw denied('This takes a member of one of the approver groups of the request.')
  return rules
}

/** @throws Refusal ACTION_DENIED, STATE_CONFLICT for a second approval of the same person */
export function approved(request: StoredRequest, person: Person, now: Date, note?: string): StoredRequest {
  const rules = assertMayDecide(request, person)
  assertState(request, ['pending'], now)
  if (request.approvals.some(({ by_id }) => by_id === person.id)) throw conflict('You have approved it already.')
  const approval = { by: person.username, by_id: person.id, at: now.toISOString(), rules, ...defined({ note }) }
  const next = { ...request, approvals: [...request.approvals, approval] }
  return isMet(next) ? { ...next, state: 'approved' } : next
}

const ended = (request: StoredRequest, state: RequestState, now: Date): StoredRequest => ({
  ...without(request, 'leaseUntil'),
  state,
  ended_at: now.toISOString(),
})

/** Ends a request. One refusal is enough, also after the approval. @throws Refusal ACTION_DENIED, STATE_CONFLICT */
export function refused(request: StoredRequest, person: Person, now: Date, note?: string): StoredRequest {
  assertMayDecide(request, person)
  assertState(request, ['pending', 'approved'], now)
  return { ...ended(request, 'refused', now), refused_by: person.username, ...defined({ note }) }
}

/** @throws Refusal ACTION_DENIED, STATE_CONFLICT */
export function withdrawn(request: StoredRequest, person: Person, now: Date): StoredRequest {
  if (person.id !== request.requester_id) throw denied('Only its requester withdraws a request.')
  assertState(request, ['pending', 'approved'], now)
  return ended(request, 'withdrawn', now)
}

const sameIds = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id) => b.includes(id))

/** Refuses a request if the present rules ask for more than those of its approval. @throws Refusal STATE_CONFLICT */
function assertStillMet({ needs }: StoredRequest, over: readonly string[], present: readonly BoardRule[]): void {
  const known = new Map(needs.map((need) => [need.rule_id, need]))
  const isLess = present.some(({ id, approvals, approver_group_ids: groups }) => {
    const need = known.get(id)
    if (need === undefined) return over.includes(id)
    return need.approvals < approvals || !sameIds(need.group_ids, groups)
  })
  if (isLess) throw conflict('The rules have changed since it was approved: ask again.')
}

/**
 * Begins the use of an approved request, or resumes one that was interrupted.
 * @param use the call, and the ids of the rules over it
 * @throws Refusal STATE_CONFLICT, RULE_BROKEN for another call than the approved one
 */
export function begun(
  request: StoredRequest,
  use: { readonly digest: string; readonly rules: readonly string[] },
  present: readonly BoardRule[],
  now: Date,
): StoredRequest {
  if (request.digest !== use.digest)
    throw new Refusal('RULE_BROKEN', 'Method, address and body must be those of the call that was approved.')
  assertState(request, ['approved', 'running'], now)
  const { state, running_at: since, leaseUntil = '' } = request
  if (state === 'running') {
    if (Date.parse(leaseUntil) > now.getTime()) throw conflict('Another call is using this approval now.')
    if (later(new Date(since ?? ''), RESUMED_MS) <= now) throw conflict('Its call was interrupted too long ago.')
  }
  assertStillMet(request, use.rules, present)
  const at = now.toISOString()
  return { ...request, state: 'running', running_at: since ?? at, leaseUntil: later(now, LEASE_MS).toISOString() }
}

/** The request after its use. @param outcome `undefined` if the end of the call is unknown */
export const used = (request: StoredRequest, outcome: StoredRequest['outcome'], now: Date): StoredRequest => ({
  ...ended(request, 'used', now),
  ...defined({ outcome }),
})

/** The request after its call was refused without effect: it can be used again. */
export const givenBack = (request: StoredRequest): StoredRequest => ({
  ...without(request, 'leaseUntil', 'running_at'),
  state: 'approved',
})
