import type { Context } from './context.ts'
import { Refusal } from '../base/errors.ts'
import { errorFields, log } from '../base/log.ts'
import { auditRecords } from './audit/store.ts'
import { Changes, Stale } from '../store/changes.ts'
import { backOff } from '../store/table.ts'
import { assertAnswer } from './answer/answers.ts'
import {
  approvingOf,
  assertApprovedSubject,
  assertApprovedUse,
  keyByApproval,
  recordRefused,
  stageRequest,
} from './approval.ts'
import { dryRun, offersDryRun, type DryRun } from './dry-run.ts'
import { onceIn } from './once.ts'
import { auditRecordOf, recordRefusal } from './audit/audited.ts'
import type { Call, HttpEvent } from './request/call.ts'
import type { Claim } from './request/claim.ts'
import { fingerprintOf, keepAnswer, repetitionOf } from './request/idempotency.ts'
import { withinAnswer } from './lists/list-size.ts'
import { sessionCookieOf } from './answer/session-cookie.ts'
import { accepted, isTrial, isWrite, type Reply, type Route } from './operation.ts'

/**
 * Ours: maximum time for which a request is repeated because others change its items. Its function has 29 seconds in
 * total.
 */
const RUNS_BUDGET_MS = 15_000

/**
 * Runs the operation and commits its changes, the audit record and the stored answer in one transaction. If another
 * request was faster, the operation runs again on fresh state after a random pause; nothing of the lost attempt
 * remains.
 * @throws Refusal STATE_CONFLICT when others are faster for 15 seconds
 */
export async function perform(route: Route, event: HttpEvent): Promise<Reply> {
  try {
    keyByApproval(event)
    return await inRuns(route, event)
  } catch (error) {
    await recordRefused(event, error)
    throw error
  }
}

async function inRuns(route: Route, event: HttpEvent): Promise<Reply> {
  const deadline = event.call.startedAt + RUNS_BUDGET_MS
  for (let run = 0; performance.now() < deadline; run++) {
    if (run > 0) await backOff(run) // random pauses separate requests that lost a race
    try {
      return await once(route, event)
    } catch (error) {
      if (!(error instanceof Stale)) throw error
    }
  }
  const refusal = withRemark(
    new Refusal('STATE_CONFLICT', 'Others kept changing the same records; nothing was changed. Try again.'),
    event.call,
  )
  await recordRefusal(route, event.call, refusal)
  throw refusal
}

/** An error with the remark of its request, if there is one. */
function withRemark(error: unknown, { remark }: Call): unknown {
  if (remark === undefined || !(error instanceof Refusal)) return error
  const { reason, message, errors } = error
  return new Refusal(reason, `${message} ${remark}`, { cause: error, errors })
}

async function once(route: Route, event: HttpEvent): Promise<Reply> {
  const { call } = event
  const changes = new Changes()
  const despiteRefusal = new Changes()
  try {
    call.gate.restart()
    const { path, query, body } = call
    if (call.isDryRun) return await dryRun(route, call, (staged) => contextOf(route, event, inVain(staged)))
    const repetition = await repetitionOf(route, event)
    if (repetition?.answer) return call.gate.settle(repetition.answer)
    const approving = await approvingOf(route, event)
    if (approving.does === 'asks') return await ask(route, event, approving)
    if (approving.does === 'uses') useApproval(call, approving.claim)
    const afterwards: (() => Promise<unknown>)[] = []
    const cookies: string[] = []
    const context = contextOf(route, event, { changes, despiteRefusal, afterwards, cookies })
    // Shortened before policies hide records: the next page begins after the last evaluated record.
    const reply = call.gate.settle(withinAnswer(await route.operation.run({ path, query, body, context })))
    assertAnswer(route, reply)
    if (isWrite(route) && !isTrial(route, reply)) {
      const record = auditRecordOf(route, call, undefined)
      changes.create(auditRecords, record.domain, record)
      call.claim?.settle(changes, { status: reply.status, uri: call.subject?.uri })
      if (repetition) await keepAnswer(changes, call, repetition, reply)
    }
    if (isTrial(route, reply)) await call.claim?.refused(reply.status, false)
    await changes.commit(call.now)
    for (const work of afterwards)
      await work().catch((error: unknown) =>
        log('warn', 'left to the sweeper', { traceId: call.traceId, ...errorFields(error) }),
      )
    return cookies.length === 0 ? reply : { ...reply, cookies }
  } catch (error) {
    const remarked = withRemark(error, call)
    if (!(remarked instanceof Stale)) await recordRefusal(route, call, remarked, despiteRefusal)
    throw remarked
  }
}

/** The call is made with the rights of its approval. */
function useApproval(call: Call, { rules }: Claim): void {
  call.caller = { ...call.caller, approvedRules: rules }
}

/** The name of a request for approval in its audit record. */
const ASKING = 'Create Approval Request'

/**
 * Stores a request for the approval of a call instead of making the call. Ours: a call with a dry run is tried first,
 * so that approvers see its changes, and do not approve a call that would be refused.
 */
async function ask(
  route: Route,
  event: HttpEvent,
  { reason, rules }: { readonly reason: string; readonly rules: readonly string[] },
): Promise<Reply> {
  const { call } = event
  const changes = new Changes()
  const wanted = new Set(rules)
  const subjects = new Set<string>()
  let tried: DryRun | undefined
  if (offersDryRun(route)) {
    const reply = await dryRun(route, call, (staged) => {
      const context = contextOf(route, event, inVain(staged))
      return {
        ...context,
        about: (subject) => {
          context.about(subject)
          if (subject.record !== undefined) subjects.add(subject.uri)
        },
        uses: (action, record) => {
          call.gate.uses(action, record)
          for (const rule of call.rules?.over(action) ?? []) wanted.add(rule)
        },
      }
    })
    tried = reply.body as DryRun
  }
  const of = { reason, rules: [...wanted], changes: tried?.changes ?? [], subjects: [...subjects] }
  const { request, subject } = await stageRequest(route, event, of, changes)
  call.subject = subject
  const record = { ...auditRecordOf(route, call, undefined), message: ASKING, service: 'approvals' }
  changes.create(auditRecords, record.domain, record)
  await changes.commit(call.now)
  return accepted(request)
}

interface StagedWork {
  readonly changes: Changes
  readonly despiteRefusal: Changes
  readonly afterwards: (() => Promise<unknown>)[]
  readonly cookies: string[]
}

/** The staged work of a dry run, which is never done. */
const inVain = (changes: Changes): StagedWork => ({
  changes,
  despiteRefusal: new Changes(),
  afterwards: [],
  cookies: [],
})

function contextOf(route: Route, event: HttpEvent, staged: StagedWork): Context {
  const { call, headers } = event
  return {
    now: call.now,
    traceId: call.traceId,
    clientIp: call.clientIp,
    clientCertificate: call.clientCertificate,
    sessionCookie: sessionCookieOf(event, staged.cookies),
    caller: call.caller,
    ifMatch: headers['if-match'],
    changes: staged.changes,
    despiteRefusal: staged.despiteRefusal,
    fingerprint: () => fingerprintOf(event),
    hasIdempotencyKey: headers['idempotency-key'] !== undefined,
    summary: route.operation.declaration.summary,
    afterCommit: (work) => {
      staged.afterwards.push(work)
    },
    remark: (sentence) => {
      call.remark = sentence
    },
    once: onceIn(call.done),
    about: (subject) => {
      call.subject = subject
      call.gate.about(subject)
      assertApprovedSubject(call, subject)
    },
    uses: (action, record) => {
      call.gate.uses(action, record)
      assertApprovedUse(call, action)
    },
    beforeEffects: (made) => {
      call.gate.beforeEffects(made)
      call.hasBegunEffects = true
    },
    setActor: (actor) => {
      call.actor = actor
    },
  }
}
