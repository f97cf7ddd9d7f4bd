import { auditRecord, principalOf } from '../../../http/audit/record.ts'
import { auditRecords } from '../../../http/audit/store.ts'
import type { Context } from '../../../http/context.ts'
import type { Changes } from '../../../store/changes.ts'
import type { KeyPermission } from '../model.ts'

/** The parts of a context that a use of a key needs. */
export type UsingContext = Pick<
  Context,
  'caller' | 'uses' | 'changes' | 'despiteRefusal' | 'now' | 'clientIp' | 'traceId' | 'summary'
>

interface Usable {
  readonly uri: string
  readonly name?: string
  readonly canary?: true | undefined
}

/** The canary keys that a request has used, so that a request with two uses of a key has one record. */
const recorded = new WeakMap<Changes, Set<string>>()

/**
 * Stages the record of a use of a canary key, which raises the alarm "Canary key used". A refused use is recorded as
 * well. The caller's answer is the same as for any other key.
 */
export function recordCanaryUse(context: UsingContext, { uri, name = '', canary }: Usable, use: KeyPermission): void {
  if (canary !== true) return
  const { caller, changes, despiteRefusal, now, clientIp, traceId, summary } = context
  const known = recorded.get(changes)
  if (known?.has(uri)) return
  recorded.set(changes, new Set(known).add(uri))
  const record = auditRecord(caller.domain.id, now, {
    severity: 'critical',
    service: 'vault',
    message: 'Use Canary Key',
    username: caller.username,
    clientIP: clientIp,
    success: true,
    details: { action: `part of ${summary}`, resource_uri: uri, resource_name: name, canary: uri, after: { use } },
    requestId: traceId,
    principal: principalOf(caller),
  })
  changes.create(auditRecords, record.domain, record)
  if (despiteRefusal !== changes) despiteRefusal.create(auditRecords, record.domain, record)
}
