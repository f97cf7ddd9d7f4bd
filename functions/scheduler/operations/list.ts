import { listOperations } from '../../../shared/work/schedule/list-operations.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { JobOperationInfo, JobOperationQuery } from '../../../shared/work/schedule/config-model.ts'

/** GET /v1/scheduler/operations: what a configuration can ask for, and where its parameters stand. */
export const operations = operation(
  {
    says: 'List Job Operations',
    query: JobOperationQuery,
    answers: listOf(JobOperationInfo),
    may: 'scheduler-readers',
  },
  async ({ query }) => Promise.resolve(ok(listOperations(query))),
)
