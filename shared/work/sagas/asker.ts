import { auditRecord } from '../../http/audit/record.ts'
import type { Caller, Context, Subject } from '../../http/context.ts'
import { REFUSALS, type Refusal } from '../../base/errors.ts'
import { auditRecords } from '../../http/audit/store.ts'
import { Changes, Stale } from '../../store/changes.ts'
import { sagas, type StoredSaga } from './store.ts'
import { isFinal } from './saga.ts'

/** What is done in somebody's name after their request has ended. */
export interface OnBehalf {
  readonly asker: StoredSaga['asker']
  readonly now: Date
  /** of the request that asked for it */
  readonly traceId: string
  readonly clientIp: string
  readonly says: string
  readonly fingerprint: string
  /** what the audit record says of how it came about */
  readonly action?: string
}

/** Whoever calls, as what goes on later in their name keeps them. */
export const askerOf = ({ sub, username, domain, homeDomainId, groups }: Caller): StoredSaga['asker'] => ({
  sub,
  username,
  domain,
  homeDomainId,
  groups: [...groups],
})

/**
 * A request's context without a request: in the name of whoever asked, with the groups they had then.
 * @returns the context, and what its verb said it is about
 */
export function askerContext(
  { asker, now, traceId, clientIp, says, fingerprint }: OnBehalf,
  changes: Changes,
): { context: Context; subject: () => Subject | undefined } {
  const done = new Map<string, Promise<unknown>>()
  let about: Subject | undefined
  const context: Context = {
    now,
    traceId,
    clientIp,
    summary: says,
    fingerprint,
    hasIdempotencyKey: true, // whoever does this comes back until it is on record
    caller: { ...asker, sessionId: undefined },
    ifMatch: undefined,
    changes,
    despiteRefusal: new Changes(),
    once: <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const known = done.get(name) as Promise<T> | undefined // one name, one kind of result
      if (known) return known
      const result = work()
      done.set(name, result)
      result.catch((error: unknown) => error instanceof Stale && done.delete(name))
      return result
    },
    afterCommit: () => undefined, // whoever does this is the sweeper itself
    about: (subject) => {
      about = subject
    },
    setActor: () => undefined,
  }
  return { context, subject: () => about }
}

/**
 * Whether what stopped a piece of work may pass: the cloud has no time for it, or somebody is at this very piece of work.
 * @param fingerprint of the piece of work
 */
export async function comesAgain(error: unknown, domain: string, fingerprint: string): Promise<boolean> {
  if (!isFinal(error)) return true
  return error.reason === 'STATE_CONFLICT' && (await sagas.holder(domain, 'request', fingerprint)) !== undefined
}

/** Stages the audit record of something done in somebody's name. @param refusal what it was refused with, if it was */
export function recordOnBehalf(
  changes: Changes,
  { asker, now, traceId, clientIp, says, action = 'finished after its request' }: OnBehalf,
  subject: Subject | undefined,
  refusal?: Refusal,
): void {
  const record = auditRecord(asker.domain.id, now, {
    severity: refusal === undefined ? 'info' : REFUSALS[refusal.reason].status >= 500 ? 'error' : 'warning',
    service: 'keymgr',
    message: says,
    username: asker.username,
    clientIP: clientIp,
    success: refusal === undefined,
    ...(refusal && { errorMessage: refusal.message }),
    details: {
      action,
      ...(subject && {
        resource_uri: subject.uri,
        resource_name: subject.name,
        ...(subject.before && { before: subject.before }),
        ...(subject.after && { after: subject.after }),
      }),
    },
    requestId: traceId,
    principal: { sub: asker.sub, groups: [...asker.groups] },
  })
  changes.create(auditRecords, record.domain, record)
}
