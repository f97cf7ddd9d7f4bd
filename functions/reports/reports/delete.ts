import type { AnyReported } from '../../../shared/domain/reports/reported.ts'
import { deleteReport } from '../../../shared/domain/reports/reports.ts'
import { deleted, operation, type Operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/model/common.ts'
import { ReportPath } from '../../../shared/model/report.ts'

/** DELETE /v1/keymgr/<cloud>/reports/{id}: one that is under way is aborted by that. */
export const remove = (of: AnyReported): Operation =>
  operation(
    { says: 'Delete Report', path: ReportPath, answers: Deleted, may: 'report-users' },
    async ({ path, context }) => {
      await deleteReport(context, of, path.id)
      return deleted()
    },
  )
