import type { AnyReported } from '../../../shared/work/report/reported.ts'
import { listReports } from '../../../shared/work/report/reports.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { ReportQuery } from '../../../shared/work/report/model.ts'

/** GET /v1/keymgr/<cloud>/reports, newest first: those of containers that the caller may see reports of. */
export const list = (of: AnyReported): Operation =>
  operation(
    { says: 'List Reports', query: ReportQuery, answers: listOf(of.schemas.report), may: 'report-users' },
    async ({ query, context }) => ok(await listReports(context, of, query)),
  )
