import type { AnyReported } from '../../../shared/domain/reports/reported.ts'
import { listReports } from '../../../shared/domain/reports/reports.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { ReportQuery } from '../../../shared/model/report.ts'

/** GET /v1/keymgr/<cloud>/reports, newest first: those of containers that the caller may see reports of. */
export const list = (of: AnyReported): Operation =>
  operation(
    { says: 'List Reports', query: ReportQuery, answers: listOf(of.schemas.report), may: 'report-users' },
    async ({ query, context }) => ok(await listReports(context, of, query)),
  )
