import { Refusal } from '../base/errors.ts'
import { defined } from '../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../base/ids.ts'
import { HOUR_MS, later } from '../base/time.ts'
import type { Approvals, AskedCall } from '../http/approval.ts'
import type { Caller, Context } from '../http/context.ts'
import type { Claim } from '../http/request/claim.ts'
import { Changes, Stale } from '../store/changes.ts'
import type { Stored } from '../store/entity.ts'
import { needsApproval, readRules, RULE_CHANGES, rulesOf, rulesOver, type HeldRule } from './board.ts'
import { begun, givenBack, used, type Person } from './request-states.ts'
import { approvalBoards, approvalRequests, BOARD, OPEN_REQUESTS, type StoredRequest } from './store.ts'
import { shownRequest, viewOfRequest } from './shown-request.ts'

/** Ours: maximum number of open requests in a domain. */
const OPEN_MOST = 1_000

export const personOf = ({ sub, username, client, groupIds = [] }: Caller): Person => ({
  id: sub,
  username,
  isUser: client === undefined,
  groupIds,
})

/** The approvals that a request needs, by rule. */
const needsOf = (rules: readonly HeldRule[]): StoredRequest['needs'] =>
  rules.map(({ id, name, approvals: wanted, approver_groups, approver_group_ids: group_ids }) => ({
    rule: name,
    rule_id: id,
    approvals: wanted,
    approver_groups: [...approver_groups],
    group_ids: [...group_ids],
  }))

async function newRequest(asked: AskedCall): Promise<StoredRequest> {
  const { caller, now, action, method, path, query, body, digest, reason, changes, subjects } = asked
  const domain = caller.domain.id
  const rules = (await readRules(domain)).filter(({ id }) => asked.rules.includes(id))
  if (rules.length === 0) throw new Refusal('STATE_CONFLICT', 'The rules have just changed: make the call again.')
  const hours = Math.min(...rules.map(({ lasts_hours }) => lasts_hours))
  const id = uuid(now)
  return {
    ...commonFields(domain, id, resourceUri(domain, 'approvals', 'requests', id), now),
    ...{ action, method, path, digest, reason, changes, subjects: [...subjects] },
    ...(query !== '' && { query }),
    ...(body !== undefined && { body: { ...(body as object) } }),
    requester: caller.username,
    requester_id: caller.sub,
    state: 'pending',
    needs: needsOf(rules),
    approvals: [],
    expires_at: later(now, hours * HOUR_MS).toISOString(),
  }
}

async function ask(asked: AskedCall, changes: Changes): ReturnType<Approvals['ask']> {
  const domain = asked.caller.domain.id
  const request = await newRequest(asked)
  await changes.relyOnRoom(
    approvalRequests,
    domain,
    { set: OPEN_REQUESTS, most: OPEN_MOST },
    () => new Refusal('STATE_CONFLICT', `A domain has at most ${OPEN_MOST} open requests for approval.`),
  )
  changes.create(approvalRequests, domain, request)
  const { uri, action: name } = request
  return { request: shownRequest(request, asked.now), subject: { uri, name, after: viewOfRequest(request) } }
}

/** The single use of an approved request. This call has the lease. */
function claimOf(domain: string, { item, rev }: Stored<StoredRequest>, now: Date): Claim {
  const stage = (changes: Changes, next: StoredRequest): void =>
    changes.update(approvalRequests, domain, { item, rev }, { ...next, updatedAt: now.toISOString() })
  return {
    uri: item.uri,
    approvedBy: item.approvals.map(({ by }) => by),
    rules: item.needs.map(({ rule_id }) => rule_id),
    subjects: item.subjects,
    settle: (changes, { status, uri }) =>
      stage(changes, used(item, { status, ...defined({ resource_uri: uri }) }, now)),
    refused: async (status, hasBegun) => {
      const changes = new Changes()
      stage(changes, hasBegun ? used(item, { status }, now) : givenBack(item))
      await changes.commit(now)
    },
  }
}

const notFound = (): Refusal => new Refusal('NOT_FOUND', 'You have no such approval request.')

async function claim(
  id: string,
  { caller, now, ...use }: Pick<AskedCall, 'caller' | 'now' | 'digest' | 'rules'>,
): Promise<Claim> {
  const domain = caller.domain.id
  const [stored, present] = await Promise.all([approvalRequests.get(domain, id), readRules(domain)])
  if (stored?.item.requester_id !== caller.sub) throw notFound()
  const item = begun(stored.item, use, present, now)
  const changes = new Changes()
  changes.update(approvalRequests, domain, stored, item)
  await changes.commit(now).catch((error: unknown) => {
    throw error instanceof Stale ? new Refusal('STATE_CONFLICT', 'Another call is using this approval now.') : error
  })
  return claimOf(domain, { item, rev: stored.rev + 1 }, now)
}

/** The approval checks that the request path makes for every call. */
export const approvals: Approvals = {
  // read without the cache, so that a new rule protects itself at once
  rulesFor: async (caller, action, now) => {
    const { id: domain } = caller.domain
    const rules = RULE_CHANGES.includes(action) ? await readRules(domain) : await rulesOf(domain, now)
    return {
      over: (wanted, id) => rulesOver(rules, caller, wanted, id).map((rule) => rule.id),
      refusalOf: (wanted, ids) =>
        needsApproval(
          wanted,
          rules.filter(({ id }) => ids.includes(id)),
        ),
    }
  },
  ask,
  claim,
}

/**
 * Refuses to delete a group that a rule names. Without its caller groups a rule would apply to no caller, without its
 * approver groups no request could be approved.
 * @throws Refusal IN_USE
 */
export async function assertGroupFree({ caller, changes }: Context, groupId: string): Promise<void> {
  const domain = caller.domain.id
  const board = await approvalBoards.get(domain, BOARD)
  if (board === undefined) return
  const rule = board.item.rules.find(({ caller_group_ids, approver_group_ids }) =>
    [...caller_group_ids, ...approver_group_ids].includes(groupId),
  )
  if (rule !== undefined)
    throw new Refusal('IN_USE', `The approval rule ${rule.name} names the group: change the rule first.`)
  changes.rely(approvalBoards, domain, board)
}
