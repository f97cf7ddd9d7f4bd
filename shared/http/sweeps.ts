import { expiring, type SweepRow } from '../store/due.ts'
import { expireAuditRecord } from './audit/expire-record.ts'
import { idempotencyRecords } from './idempotency-record.ts'

export const HTTP_SWEEPS: readonly SweepRow[] = [
  expiring('expire-idempotency-record', idempotencyRecords),
  { due: 'expire-audit-record', counts: 'expired', work: expireAuditRecord },
]
