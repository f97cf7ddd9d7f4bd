import { getAuditRecord } from '../../../shared/domain/audit/list-records.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AuditPath, AuditRecord } from '../../../shared/model/audit-record.ts'

/** GET /v1/audit/records/{id} */
export const get = operation(
  { says: 'Get Audit Record', path: AuditPath, answers: AuditRecord, may: 'audit-readers' },
  async ({ path, context }) => ok(await getAuditRecord(context, path.id)),
)
