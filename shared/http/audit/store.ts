import * as z from 'zod'
import { AuditRecord, isOfClient } from './model.ts'
import { DAY_MS } from '../../base/time.ts'
import { setting } from '../../base/environment.ts'
import { picked } from '../../base/fields.ts'
import { entity, type Due } from '../../store/entity.ts'

/** Ours: days that records are kept unless the deployment says otherwise. */
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

/** When a record is removed, by the present setting; `undefined` for never. */
export function removalOf({ createdAt }: Pick<AuditRecord, 'createdAt'>): Date | undefined {
  const days = keptDays()
  return days === undefined ? undefined : new Date(Date.parse(createdAt) + days * DAY_MS)
}

/** An audit record is its own outbox entry: it is due until it has its place in the log of its domain. */
export type StoredAuditRecord = AuditRecord & {
  /** its place in the log, from 0: the index of its leaf in the domain's tree */
  position?: number | undefined
  /** true of records that former versions published, which are outside the log */
  published?: boolean | undefined
}
const StoredAuditRecord: z.ZodType<StoredAuditRecord> = AuditRecord.extend({
  position: z.int().nonnegative().optional(),
  published: z.boolean().optional(),
})

/** Whether a record still waits for its place in the log. */
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

/** Reads served: a record by id; a domain's records, newest first; those of registered clients; records to publish; records past their retention. */
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
    // Finds the records of cloud keys that hold the material of a local key.
    ...(typeof record.details.after?.local_key_id === 'string' && { local_key_id: record.details.after.local_key_id }),
    ...(isOfClient(record) && { client_id: record.principal.client_id }),
  }),
  due: (record) => {
    if (isWaiting(record)) return dueAt(PUBLISH, record.createdAt)
    const at = removalOf(record)
    return at && dueAt(EXPIRE, at.toISOString())
  },
})
