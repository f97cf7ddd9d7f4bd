import { listContents } from '../../../shared/work/report/contents.ts'
import type { AnyReported } from '../../../shared/work/report/reported.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { ReportPath } from '../../../shared/work/report/model.ts'

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
