import type { Context, Subject } from '../context.ts'
import { auditRecord } from './record.ts'
import { auditRecords } from './store.ts'

/** A further resource that a request changes, and the words of its audit record. */
interface AlsoChanged {
  readonly service: string
  readonly message: string
  readonly action: string
  readonly subject: Subject
}

/** Stages a successful audit record for a further resource of a request, like that of a separate request. */
export function alsoRecorded(
  { caller, changes, now, clientIp, traceId }: Pick<Context, 'caller' | 'changes' | 'now' | 'clientIp' | 'traceId'>,
  { service, message, action, subject }: AlsoChanged,
): void {
  const record = auditRecord(caller.domain.id, now, {
    severity: 'info',
    service,
    message,
    username: caller.username,
    clientIP: clientIp,
    success: true,
    details: {
      action,
      resource_uri: subject.uri,
      resource_name: subject.name,
      ...(subject.before && { before: subject.before }),
      ...(subject.after && { after: subject.after }),
    },
    requestId: traceId,
    principal: { sub: caller.sub, groups: [...caller.groups] },
  })
  changes.create(auditRecords, record.domain, record)
}
