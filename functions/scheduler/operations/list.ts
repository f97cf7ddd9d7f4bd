import { listOperations } from '../../../shared/domain/scheduler/list-operations.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { JobOperationInfo, JobOperationQuery } from '../../../shared/model/job-config.ts'

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
