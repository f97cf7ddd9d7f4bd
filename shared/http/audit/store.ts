import * as z from 'zod'
import { AuditRecord, isOfClient } from './model.ts'
import { DAY_MS } from '../../base/time.ts'
import { setting } from '../../base/environment.ts'
import { picked } from '../../base/fields.ts'
import { entity, type Due } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'

/** Ours: default retention of records in days. */
const KEPT_DAYS = 90
const RETENTION = 'KEYMGR_AUDIT_RETENTION_DAYS'

/** @returns `undefined` when records are never removed. @throws Error, a fault, for a setting of less than 90 days */
function keptDays(): number | undefined {
  const given = setting(RETENTION)
  if (given === 'never') return undefined
  const days = Number(given || KEPT_DAYS)
  if (Number.isSafeInteger(days) && days >= KEPT_DAYS) return days
  throw new Error(`${RETENTION} must be a number of days from ${KEPT_DAYS}, or never`)
}

/** Time at which a record is removed, by the present setting; `undefined` for never. */
export function removalOf({ createdAt }: Pick<AuditRecord, 'createdAt'>): Date | undefined {
  const days = keptDays()
  return days === undefined ? undefined : new Date(Date.parse(createdAt) + days * DAY_MS)
}

/** An audit record is its own outbox entry: it is due until it has a position in the log of its domain. */
export type StoredAuditRecord = AuditRecord & {
  /** its position in the log, from 0: the index of its leaf in the domain's tree */
  position?: number | undefined
  /** true for records outside the log, which earlier versions published */
  published?: boolean | undefined
}
const StoredAuditRecord: z.ZodType<StoredAuditRecord> = extended(AuditRecord, () => ({
  position: z.int().nonnegative().optional(),
  published: z.boolean().optional(),
}))

/** Whether a record still waits for its position in the log. */
export const isWaiting = ({ position, published }: StoredAuditRecord): boolean =>
  position === undefined && published !== true

/** The record itself, without the state of its outbox entry. */
export function withoutPlace({ position: _, published: __, ...record }: StoredAuditRecord): AuditRecord {
  return record
}

/** Work on the records of every domain. */
export const PUBLISH = { due: 'publish-audit-record', spread: true } as const
export const EXPIRE = { due: 'expire-audit-record', spread: true } as const

const dueAt = ({ due, spread }: typeof PUBLISH | typeof EXPIRE, at: string): Due => ({ what: due, spread, at })

/**
 * Supported reads: a record by id; a domain's records, newest first; those of registered clients; records to publish;
 * records past their retention.
 */
export const auditRecords = entity({
  name: 'audit-record',
  schema: StoredAuditRecord,
  id: ({ id }) => id,
  sets: (record) => (isOfClient(record) ? ['all', 'clients'] : ['all']),
  row: (record) => ({
    ...picked(
      record,
      'createdAt',
      'severity',
      'service',
      'source',
      'message',
      'username',
      'clientIP',
      'success',
      'requestId',
    ),
    resource_uri: record.details.resource_uri ?? '',
    // finds the records of cloud keys with the material of a local key
    ...(typeof record.details.after?.local_key_id === 'string' && { local_key_id: record.details.after.local_key_id }),
    ...(isOfClient(record) && { client_id: record.principal.client_id }),
  }),
  due: (record) => {
    if (isWaiting(record)) return dueAt(PUBLISH, record.createdAt)
    const at = removalOf(record)
    return at && dueAt(EXPIRE, at.toISOString())
  },
})
