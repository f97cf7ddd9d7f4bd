import * as z from 'zod'
import { REFUSALS, type Refusal } from '../base/errors.ts'
import { Changes, Stale } from '../store/changes.ts'
import { auditRecord, principalOf } from './audit/record.ts'
import { auditRecords } from './audit/store.ts'
import type { Caller, Context, Subject } from './context.ts'
import { NO_COOKIE } from './session-cookie.ts'

/** The user or client in whose name work goes on after a request. */
export const Initiator = z.object({
  sub: z.string(),
  username: z.string(),
  domain: z.object({ id: z.string(), name: z.string() }),
  homeDomainId: z.string(),
  groups: z.array(z.string()),
  groupIds: z.array(z.string()).optional(),
  client: z.object({ id: z.string(), name: z.string() }).optional(),
})
export type Initiator = z.infer<typeof Initiator>

export const initiatorOf = ({ sub, username, domain, homeDomainId, groups, groupIds, client }: Caller): Initiator => ({
  sub,
  username,
  domain,
  homeDomainId,
  groups: [...groups],
  ...(groupIds && { groupIds: [...groupIds] }),
  ...(client && { client }),
})

/** Work that is done without a request. */
export interface OnBehalf {
  readonly initiator: Initiator
  readonly now: Date
  /** of the request that started it */
  readonly traceId: string
  readonly clientIp: string
  /** `<Verb> <Resource>`, for its audit record */
  readonly summary: string
  /** tells it from every other piece of work */
  readonly fingerprint: string
  /** how it came about, for its audit record */
  readonly action?: string
}

/**
 * The context of a request without a request: in the initiator's name, with the groups they had when they started it.
 * @returns the context, and the subject that its verb named
 */
export function contextOnBehalf(
  { initiator, now, traceId, clientIp, summary, fingerprint }: OnBehalf,
  changes: Changes,
): { context: Context; subject: () => Subject | undefined } {
  const done = new Map<string, Promise<unknown>>()
  let about: Subject | undefined
  const context: Context = {
    now,
    traceId,
    clientIp,
    clientCertificate: undefined,
    sessionCookie: NO_COOKIE,
    summary,
    fingerprint: () => Promise.resolve(fingerprint),
    hasIdempotencyKey: true, // it is done again until it is on record
    caller: { ...initiator, sessionId: undefined },
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
    afterCommit: () => undefined, // the sweeper itself does this
    about: (subject) => {
      about = subject
    },
    // Ours: policies decided when the request was made; what it began is not left half done.
    uses: () => undefined,
    beforeEffects: () => undefined,
    setActor: () => undefined,
  }
  return { context, subject: () => about }
}

/** Stages the audit record of work done on behalf of its initiator. @param refusal why it was refused, if it was */
export function recordOnBehalf(
  changes: Changes,
  { initiator, now, traceId, clientIp, summary, action = 'finished after its request' }: OnBehalf,
  subject: Subject | undefined,
  refusal?: Refusal,
): void {
  const record = auditRecord(initiator.domain.id, now, {
    severity: refusal === undefined ? 'info' : REFUSALS[refusal.reason].status >= 500 ? 'error' : 'warning',
    service: 'keymgr',
    message: summary,
    username: initiator.username,
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
    principal: principalOf(initiator),
  })
  changes.create(auditRecords, record.domain, record)
}
