import type { AnyReported } from '../../../shared/domain/reports/reported.ts'
import { getReport } from '../../../shared/domain/reports/reports.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { ReportPath } from '../../../shared/model/report.ts'

/** GET /v1/keymgr/<cloud>/reports/{id}: while it is under way, with the containers that are done. */
export const get = (of: AnyReported): Operation =>
  operation(
    { says: 'Get Report', path: ReportPath, answers: of.schemas.report, may: 'report-users' },
    async ({ path, context }) => {
      const { item, rev } = await getReport(context, of, path.id)
      return ok(item, rev)
    },
  )
