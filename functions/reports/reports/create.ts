import type * as z from 'zod'
import type { AnyReported } from '../../../shared/work/report/reported.ts'
import { createReport } from '../../../shared/work/report/reports.ts'
import { created, operation, type Operation } from '../../../shared/http/operation.ts'
import type { ReportWishes } from '../../../shared/work/report/model.ts'

/** POST /v1/keymgr/<cloud>/reports: begins to make a report; the record tells how far it has come. */
export function create(of: AnyReported): Operation {
  const body = of.schemas.create as z.ZodType<ReportWishes> // whatever else a cloud's body says, its own row reads
  const answers = of.schemas.report
  return operation(
    { says: 'Create Report', body, answers, status: 201, may: 'report-users' },
    async ({ body: wishes, context }) => {
      const { item, rev } = await createReport(context, of, wishes)
      return created(item, rev)
    },
  )
}
