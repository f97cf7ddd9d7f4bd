import type { Context } from './context.ts'
import { Refusal } from '../base/errors.ts'
import { errorFields, log } from '../base/log.ts'
import { auditRecords } from './audit/store.ts'
import { Changes, Stale } from '../store/changes.ts'
import { assertAnswer } from './answers.ts'
import { auditRecordOf, recordRefusal } from './audited.ts'
import type { HttpEvent } from './call.ts'
import { fingerprintOf, keepAnswer, repetitionOf } from './idempotency.ts'
import { isWrite, type Reply, type Route } from './operation.ts'

/** Attempts to run a request whose items other requests keep changing. */
const RUNS = 8

/**
 * Runs the verb and commits its changes, the audit record and the stored answer in one transaction. If another request
 * was faster, the verb runs again on fresh state; nothing of the lost attempt remains.
 */
export async function perform(route: Route, event: HttpEvent): Promise<Reply> {
  for (let run = 0; run < RUNS; run++) {
    try {
      return await once(route, event)
    } catch (error) {
      if (!(error instanceof Stale)) throw error
    }
  }
  const refusal = new Refusal('UNAVAILABLE', 'Others kept changing the same records; nothing was changed. Try again.')
  await recordRefusal(route, event.call, refusal)
  throw refusal
}

async function once(route: Route, event: HttpEvent): Promise<Reply> {
  const { call } = event
  const changes = new Changes()
  const despiteRefusal = new Changes()
  try {
    const repetition = await repetitionOf(route, event)
    if (repetition?.answer) return repetition.answer
    const { path, query, body } = call
    const afterwards: (() => Promise<unknown>)[] = []
    const context = contextOf(route, event, { changes, despiteRefusal, afterwards })
    const reply = await route.operation.run({ path, query, body, context })
    assertAnswer(route, reply)
    if (isWrite(route)) {
      const record = auditRecordOf(route, call, undefined)
      changes.create(auditRecords, record.domain, record)
      if (repetition) await keepAnswer(changes, call, repetition, reply)
    }
    await changes.commit(call.now)
    for (const work of afterwards)
      await work().catch((error: unknown) =>
        log('warn', 'left to the sweeper', { traceId: call.traceId, ...errorFields(error) }),
      )
    return reply
  } catch (error) {
    if (!(error instanceof Stale)) await recordRefusal(route, call, error, despiteRefusal)
    throw error
  }
}

function contextOf(
  route: Route,
  event: HttpEvent,
  staged: { changes: Changes; despiteRefusal: Changes; afterwards: (() => Promise<unknown>)[] },
): Context {
  const { call, headers } = event
  return {
    now: call.now,
    traceId: call.traceId,
    clientIp: call.clientIp,
    caller: call.caller,
    ifMatch: headers['if-match'],
    changes: staged.changes,
    despiteRefusal: staged.despiteRefusal,
    get fingerprint() {
      return fingerprintOf(event)
    },
    hasIdempotencyKey: headers['idempotency-key'] !== undefined,
    summary: route.operation.declaration.summary,
    afterCommit: (work) => {
      staged.afterwards.push(work)
    },
    once: <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const known = call.done.get(name) as Promise<T> | undefined // each name has one type of result
      if (known) return known
      const result = work()
      call.done.set(name, result)
      // Work that lost a race is repeated with the rest of the request.
      result.catch((error: unknown) => error instanceof Stale && call.done.delete(name))
      return result
    },
    about: (subject) => {
      call.subject = subject
    },
    setActor: (actor) => {
      call.actor = actor
    },
  }
}
