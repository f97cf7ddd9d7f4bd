import { getAuditRecord } from '../../../shared/audit/list-records.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AuditPath, AuditRecord } from '../../../shared/http/audit/model.ts'

/** GET /v1/audit/records/{id} */
export const get = operation(
  { says: 'Get Audit Record', path: AuditPath, answers: AuditRecord, may: 'audit-readers' },
  async ({ path, context }) => ok(await getAuditRecord(context, path.id)),
)
