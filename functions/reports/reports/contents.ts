import { listContents } from '../../../shared/domain/reports/contents.ts'
import type { AnyReported } from '../../../shared/domain/reports/reported.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { ReportPath } from '../../../shared/model/report.ts'

/** GET /v1/keymgr/<cloud>/reports/{id}/contents: what the report says, container by container. */
export const contents = (of: AnyReported): Operation =>
  operation(
    {
      says: 'List Report Contents',
      path: ReportPath,
      query: of.schemas.contentQuery,
      answers: listOf(of.schemas.content),
      may: 'report-users',
    },
    async ({ path, query, context }) => ok(await listContents(context, of, path.id, query)),
  )
