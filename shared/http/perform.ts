import type { Context } from './context.ts'
import { Refusal } from '../base/errors.ts'
import { errorFields, log } from '../base/log.ts'
import { auditRecords } from './audit/store.ts'
import { Changes, Stale } from '../store/changes.ts'
import { backOff } from '../store/table.ts'
import { assertAnswer } from './answer/answers.ts'
import { dryRun } from './dry-run.ts'
import { onceIn } from './once.ts'
import { auditRecordOf, recordRefusal } from './audit/audited.ts'
import type { Call, HttpEvent } from './request/call.ts'
import { fingerprintOf, keepAnswer, repetitionOf } from './request/idempotency.ts'
import { withinAnswer } from './lists/list-size.ts'
import { sessionCookieOf } from './answer/session-cookie.ts'
import { isTrial, isWrite, type Reply, type Route } from './operation.ts'

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
    const afterwards: (() => Promise<unknown>)[] = []
    const cookies: string[] = []
    const context = contextOf(route, event, { changes, despiteRefusal, afterwards, cookies })
    // Shortened before policies hide records: the next page begins after the last evaluated record.
    const reply = call.gate.settle(withinAnswer(await route.operation.run({ path, query, body, context })))
    assertAnswer(route, reply)
    if (isWrite(route) && !isTrial(route, reply)) {
      const record = auditRecordOf(route, call, undefined)
      changes.create(auditRecords, record.domain, record)
      if (repetition) await keepAnswer(changes, call, repetition, reply)
    }
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
    },
    uses: (action, record) => call.gate.uses(action, record),
    beforeEffects: (made) => call.gate.beforeEffects(made),
    setActor: (actor) => {
      call.actor = actor
    },
  }
}
