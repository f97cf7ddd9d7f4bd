import type { AnyReported } from '../../../shared/work/report/reported.ts'
import { deleteReport } from '../../../shared/work/report/reports.ts'
import { deleted, operation, type Operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { ReportPath } from '../../../shared/work/report/model.ts'

/** DELETE /v1/keymgr/<cloud>/reports/{id}: one that is under way is aborted by that. */
export const remove = (of: AnyReported): Operation =>
  operation(
    { says: 'Delete Report', path: ReportPath, answers: Deleted, may: 'report-users' },
    async ({ path, context }) => {
      await deleteReport(context, of, path.id)
      return deleted()
    },
  )
