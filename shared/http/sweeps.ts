import { expiring, type SweepRow } from '../store/due.ts'
import { expireAuditRecord } from './audit/expire-record.ts'
import { EXPIRE } from './audit/store.ts'
import { idempotencyRecords } from './request/idempotency-record.ts'

export const HTTP_SWEEPS: readonly SweepRow[] = [
  expiring('expire-idempotency-record', idempotencyRecords),
  { ...EXPIRE, counts: 'expired', work: expireAuditRecord },
]
