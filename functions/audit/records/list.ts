import { listAuditRecords } from '../../../shared/audit/list-records.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AuditQuery, AuditRecord } from '../../../shared/http/audit/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/audit/records: newest first. */
export const list = operation(
  { says: 'List Audit Records', query: AuditQuery, answers: listOf(AuditRecord), may: 'audit-readers' },
  async ({ query, context }) => ok(await listAuditRecords(context, query)),
)
