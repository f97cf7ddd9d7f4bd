import { expiring, type SweepRow } from '../store/due.ts'
import { auditRecords } from './audit/store.ts'
import { idempotencyRecords } from './idempotency-record.ts'

export const HTTP_SWEEPS: readonly SweepRow[] = [
  expiring('expire-idempotency-record', idempotencyRecords),
  expiring('expire-audit-record', auditRecords),
]
