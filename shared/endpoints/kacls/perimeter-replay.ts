import { setImmediate as otherRequests } from 'node:timers/promises'
import * as z from 'zod'
import { defined } from '../../base/fields.ts'
import { lowestUuid } from '../../base/ids.ts'
import { DAY_MS } from '../../base/time.ts'
import { auditRecords, type StoredAuditRecord } from '../../http/audit/store.ts'
import type { Context } from '../../http/context.ts'
import { compiledPolicy, decide, type DecisionPolicy, type PolicyInput } from '../../serving/policy-decision.ts'
import { matching, recordsOf } from '../../store/list.ts'
import { object } from '../../base/lazy-fields.ts'
import { operationOf } from './calls.ts'
import { uriOfEndpoint } from './identifiers.ts'
import { perimeterToTry } from './perimeter.ts'
import type { ChangedDecision, PerimeterReplay, ReplayPerimeter } from './perimeter-model.ts'

/** Ours: as many calls as can be read and decided within the time of a request. */
const CALLS_MOST = 5_000
const WITHIN_MS = 15_000
const CHUNK = 100
const CHANGES_MOST = 100

/** Details in the audit record of a call that reached its perimeter. */
const Recorded = object(() => ({
  action: z.string(),
  policy: z.string(),
  rule: z.enum(['allow', 'no allow']),
  perimeter: z.string().default(''),
  email: z.string().optional(),
  workspaceEmail: z.string().optional(),
  authorizationIssuer: z.string().optional(),
  authorizationEmail: z.string().optional(),
  role: z.string().optional(),
  resource: z.string().optional(),
  emailType: z.string().optional(),
  delegatedTo: z.string().optional(),
}))
type Recorded = z.infer<typeof Recorded>

/** The input that the perimeter had. Ours: without the other claims of tokens, which records do not contain. */
const inputOf = (call: Recorded): PolicyInput => ({
  operation: operationOf(call.action),
  perimeter_id: call.perimeter,
  ...(call.email !== undefined && {
    authentication: {
      email: call.email,
      ...(call.workspaceEmail !== undefined && {
        workspace_email: call.workspaceEmail,
        google_email: call.workspaceEmail,
      }),
    },
  }),
  ...(call.authorizationIssuer !== undefined && {
    authorization: defined({
      email: call.authorizationEmail,
      role: call.role,
      resource_name: call.resource,
      email_type: call.emailType,
      delegated_to: call.delegatedTo,
    }),
  }),
})

/** A call decided again, as of its own time. @returns the decision, if it differs from the recorded one */
function changeOf(policy: DecisionPolicy, call: Recorded, record: StoredAuditRecord): ChangedDecision | undefined {
  const question = { input: inputOf(call), now: new Date(record.createdAt), seed: record.requestId }
  const { allowed, error } = decide(policy, question)
  const wasAllowed = call.rule === 'allow'
  if (allowed === wasAllowed) return undefined
  const [was, would_be] = wasAllowed ? (['allowed', 'refused'] as const) : (['refused', 'allowed'] as const)
  return {
    record_id: record.id,
    at: record.createdAt,
    operation: operationOf(call.action),
    perimeter_id: call.perimeter,
    email: call.workspaceEmail ?? call.email,
    authorization_email: call.authorizationEmail,
    resource_name: call.resource,
    was,
    would_be,
    error,
  }
}

/** Ids of the records of an endpoint's calls, newest first. @throws Refusal RULE_BROKEN when there are too many */
async function recordedCalls({ caller }: Context, id: string, from: Date): Promise<string[]> {
  const domain = caller.domain.id
  const uri = uriOfEndpoint(domain, id)
  const found = await matching(auditRecords, domain, {
    sets: ['all'],
    from: lowestUuid(from),
    matches: ({ service, resource_uri }) => service === 'kacls' && resource_uri === uri,
    narrowBy: 'days',
  })
  return found.reverse().map(({ id: recordId }) => recordId)
}

/** The records with these ids, read in chunks. A decision may take 100 ms, so other requests run before each one. */
async function* readRecords({ caller }: Context, ids: readonly string[]): AsyncGenerator<StoredAuditRecord> {
  for (let at = 0; at < ids.length; at += CHUNK)
    for (const { item } of await recordsOf(auditRecords, caller.domain.id, ids.slice(at, at + CHUNK))) {
      await otherRequests()
      yield item
    }
}

/**
 * Decides the calls of the last days again, by the saved perimeter or by another text, and reports the decisions that
 * would change. Nothing is stored. Ours: administrators of endpoints see here which users a perimeter would lock out,
 * without being auditors, because they name these users in perimeters.
 * @throws Refusal NOT_FOUND, RULE_BROKEN
 */
export async function replayPerimeter(
  context: Context,
  id: string,
  { perimeter: text, days }: ReplayPerimeter,
): Promise<PerimeterReplay> {
  const until = performance.now() + WITHIN_MS
  const from = new Date(context.now.getTime() - days * DAY_MS)
  const tried = await perimeterToTry(context, id, text)
  const policy = await compiledPolicy(tried.text, tried.dialect)
  const ids = await recordedCalls(context, id, from)
  const changes: ChangedDecision[] = []
  let calls = 0
  let complete = ids.length <= CALLS_MOST
  for await (const record of readRecords(context, ids.slice(0, CALLS_MOST))) {
    if (performance.now() >= until) {
      complete = false
      break
    }
    const { data: call } = Recorded.safeParse(record.details)
    if (call === undefined) continue
    calls += 1
    const change = changeOf(policy, call, record)
    if (change !== undefined) changes.push(change)
  }
  const wouldAllow = changes.filter(({ would_be }) => would_be === 'allowed').length
  return {
    from: from.toISOString(),
    to: context.now.toISOString(),
    calls,
    unchanged: calls - changes.length,
    would_allow: wouldAllow,
    would_refuse: changes.length - wouldAllow,
    complete,
    reads_claims: /\bclaims\b/.test(tried.text),
    changes: changes.slice(0, CHANGES_MOST),
  }
}
