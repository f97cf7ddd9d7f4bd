import type { AnyReported } from '../../../shared/work/report/reported.ts'
import { getReport } from '../../../shared/work/report/reports.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { ReportPath } from '../../../shared/work/report/model.ts'

/** GET /v1/keymgr/<cloud>/reports/{id}: while it is under way, with the containers that are done. */
export const get = (of: AnyReported): Operation =>
  operation(
    { says: 'Get Report', path: ReportPath, answers: of.schemas.report, may: 'report-users' },
    async ({ path, context }) => {
      const { item, rev } = await getReport(context, of, path.id)
      return ok(item, rev)
    },
  )
