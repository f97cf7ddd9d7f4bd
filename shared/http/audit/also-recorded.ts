import type { Context, Subject } from '../context.ts'
import { REFUSALS, type Refusal } from '../../base/errors.ts'
import { auditRecord, principalOf } from './record.ts'
import { auditRecords } from './store.ts'

/** A further resource of a request, with the words of its audit record. */
interface AlsoTouched {
  readonly service: string
  readonly message: string
  readonly action: string
  readonly subject: Subject
  /** the reason if this resource was refused */
  readonly refusal?: Refusal | undefined
}

/** Stages an audit record for a further resource of a request, like that of a separate request. */
export function alsoRecorded(
  { caller, changes, now, clientIp, traceId }: Pick<Context, 'caller' | 'changes' | 'now' | 'clientIp' | 'traceId'>,
  { service, message, action, subject, refusal }: AlsoTouched,
): void {
  const record = auditRecord(caller.domain.id, now, {
    severity: refusal === undefined ? 'info' : REFUSALS[refusal.reason].status >= 500 ? 'error' : 'warning',
    service,
    message,
    username: caller.username,
    clientIP: clientIp,
    success: refusal === undefined,
    ...(refusal && { errorMessage: refusal.message }),
    details: {
      action,
      resource_uri: subject.uri,
      resource_name: subject.name,
      ...(subject.before && { before: subject.before }),
      ...(subject.after && { after: subject.after }),
    },
    requestId: traceId,
    principal: principalOf(caller),
  })
  changes.create(auditRecords, record.domain, record)
}
