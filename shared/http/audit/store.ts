import * as z from 'zod'
import { AuditRecord } from './model.ts'
import { DAY_MS } from '../../base/time.ts'
import { entity } from '../../store/entity.ts'

const KEPT_DAYS = 90

/** An audit record is its own outbox entry: it is due until it is published to the bus. */
export type StoredAuditRecord = AuditRecord & { published?: boolean | undefined }
const StoredAuditRecord: z.ZodType<StoredAuditRecord> = AuditRecord.extend({ published: z.boolean().optional() })

/** Reads served: a record by id; a domain's records, newest first; records to publish; records past their retention. */
export const auditRecords = entity({
  name: 'audit-record',
  schema: StoredAuditRecord,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: ({ createdAt, severity, service, source, message, username, clientIP, success, requestId, details }) => ({
    createdAt,
    severity,
    service,
    source,
    message,
    username,
    clientIP,
    success,
    requestId,
    resource_uri: details.resource_uri ?? '',
  }),
  due: ({ createdAt, published }) =>
    published === true
      ? { what: 'expire-audit-record', at: new Date(Date.parse(createdAt) + KEPT_DAYS * DAY_MS).toISOString() }
      : { what: 'publish-audit-record', at: createdAt },
})
