import * as z from 'zod'
import { REFUSALS, type Refusal } from '../base/errors.ts'
import { Changes } from '../store/changes.ts'
import { auditRecord, principalOf } from './audit/record.ts'
import { auditRecords } from './audit/store.ts'
import type { Caller, Context, Subject } from './context.ts'
import { NO_COOKIE } from './answer/session-cookie.ts'
import { object } from '../base/lazy-fields.ts'
import { onceIn } from './once.ts'

/** The user or client on whose behalf work continues after a request. */
export const Initiator = object(() => ({
  sub: z.string(),
  username: z.string(),
  domain: z.object({ id: z.string(), name: z.string() }),
  homeDomainId: z.string(),
  groups: z.array(z.string()),
  groupIds: z.array(z.string()).optional(),
  client: z.object({ id: z.string(), name: z.string() }).optional(),
}))
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
  /** id of the request that started it */
  readonly traceId: string
  readonly clientIp: string
  /** `<Verb> <Resource>`, for its audit record */
  readonly summary: string
  /** identifies the unit of work */
  readonly fingerprint: string
  /** its cause, for its audit record */
  readonly action?: string
}

/**
 * The context of work without a request: on behalf of the initiator, with the groups they had when they started it.
 * @returns the context, and the subject that its operation named
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
    remark: () => undefined, // no caller waits for a refusal
    hasIdempotencyKey: true, // the work is repeated until it is recorded
    caller: { ...initiator, sessionId: undefined },
    ifMatch: undefined,
    changes,
    despiteRefusal: new Changes(),
    once: onceIn(done),
    afterCommit: () => undefined, // the sweeper is already doing this
    about: (subject) => {
      about = subject
    },
    // Ours: policies decided when the request was made; the work it started is not left incomplete
    uses: () => undefined,
    beforeEffects: () => undefined,
    setActor: () => undefined,
  }
  return { context, subject: () => about }
}

/** Stages the audit record of work on behalf of its initiator. @param refusal the reason if it was refused */
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
