import * as z from 'zod'
import { downloadReport } from '../../../shared/work/report/download.ts'
import type { AnyReported } from '../../../shared/work/report/reported.ts'
import { elsewhere, ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { ReportPath } from '../../../shared/work/report/model.ts'

/** GET /v1/keymgr/<cloud>/reports/{id}/download: comma-separated text; a long one from a signed address. */
export const download = (of: AnyReported): Operation =>
  operation(
    {
      says: 'Download Report',
      path: ReportPath,
      answers: z.string(),
      media: 'text/csv',
      mayRedirect: true,
      may: 'report-users',
    },
    async ({ path, context }) => {
      const found = await downloadReport(context, of, path.id)
      return 'text' in found ? ok(found.text) : elsewhere(found.location)
    },
  )
