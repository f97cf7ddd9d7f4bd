import { BoundedCache } from '../../base/bounded-cache.ts'
import { auditRecord, principalOf } from './record.ts'
import { REFUSALS, Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import type { AuditRecord } from './model.ts'
import { auditRecords } from './store.ts'
import { Changes, Stale } from '../../store/changes.ts'
import type { Call } from '../request/call.ts'
import { isWrite, type Route } from '../operation.ts'

/** The service of an operation: the first segment of its path, after the version. */
const serviceOf = ({ path }: Route): string => path.split('/')[path.startsWith('/platform/') ? 1 : 2] ?? 'system'

/**
 * Ours: a refusal may name many fields. Its record contains only the start of the message, so that records stay small.
 */
const MESSAGE_CHARACTERS = 1_000

/** The audit record of a call. @param error why the call was refused, if it was */
export function auditRecordOf(route: Route, call: Call, error: unknown): AuditRecord {
  const actor = call.actor ?? call.caller
  const refusal = error instanceof Refusal ? error : undefined
  const status = error === undefined ? 200 : refusal ? REFUSALS[refusal.reason].status : 500
  const { subject, claim } = call
  return auditRecord(actor.domain.id, call.now, {
    severity: status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info',
    service: serviceOf(route),
    message: route.operation.declaration.summary,
    username: actor.username,
    clientIP: call.clientIp,
    success: error === undefined,
    ...(error !== undefined && {
      errorMessage:
        refusal?.message.slice(0, MESSAGE_CHARACTERS) ?? 'A fault on our side; see the log under the request id.',
    }),
    details: {
      action: `${route.method} ${route.path}`,
      ...(claim && { approval: claim.uri, approved_by: claim.approvedBy.join(', ') }),
      ...(subject && {
        resource_uri: subject.uri,
        resource_name: subject.name,
        ...(subject.before && { before: subject.before }),
        ...(subject.after && { after: subject.after }),
      }),
    },
    requestId: call.traceId,
    principal: principalOf({ ...actor, groups: call.caller.groups }),
  })
}

const MINUTE_MS = 60_000
/** Unrecorded refusals of anonymous callers since the last record of the same kind, by source address. */
const anonymous = new BoundedCache<{ since: number; unrecorded: number }>(1_000)

/**
 * Decides whether an anonymous refusal gets its own record. The first one of each kind and address in a minute does,
 * and counts the unrecorded ones before it. Otherwise a flood of anonymous calls would become a flood of writes.
 */
function aggregated(call: Call, message: string): { record: boolean; unrecorded: number } {
  const key = `${call.clientIp} ${message}`
  const known = anonymous.get(key)
  if (known && call.now.getTime() - known.since < MINUTE_MS) {
    known.unrecorded += 1
    return { record: false, unrecorded: 0 }
  }
  anonymous.set(key, { since: call.now.getTime(), unrecorded: 0 })
  return { record: true, unrecorded: known?.unrecorded ?? 0 }
}

/**
 * Records a refused call (every failed write that is no dry run, every 401 and 403) and commits the changes that survive the refusal. If
 * the table cannot be written, the log line replaces the record and the caller receives the original refusal.
 * @throws Stale when another request changed one of the items first
 */
export async function recordRefusal(route: Route, call: Call, error: unknown, despite = new Changes()): Promise<void> {
  const status = error instanceof Refusal ? REFUSALS[error.reason].status : 500
  const isChange = isWrite(route) && !call.isDryRun
  if (status === 429 || !(isChange || status === 401 || status === 403)) return
  const record = auditRecordOf(route, call, error)
  if (record.principal.sub === '') {
    const { record: wanted, unrecorded } = aggregated(call, `${record.message} ${status}`)
    if (!wanted && despite.empty) return
    if (unrecorded > 0) record.details.unrecorded = unrecorded
  }
  despite.create(auditRecords, record.domain, record)
  try {
    await despite.commit(call.now)
  } catch (failure) {
    if (failure instanceof Stale) throw failure
    log('error', 'audit record not written', { traceId: call.traceId, ...errorFields(failure) })
  }
}
