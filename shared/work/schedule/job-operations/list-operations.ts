import { defined } from '../../../base/fields.ts'
import { type JobOperationQuery } from '../configs/model.ts'
import { jobOperations, paramsFields } from '../configs/params.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { jobOperation } from './job-operations.ts'

interface Info {
  readonly operation: string
  readonly description: string
  readonly params?: string
}

/** The operations that configurations offer. */
export function listOperations(query: JobOperationQuery): ResourceList<Info> {
  const all = jobOperations().map((operation) => {
    const params = paramsFields()[operation]
    return { operation, description: jobOperation(operation).description, ...defined({ params }) }
  })
  return listedWhole(all, query, () => undefined)
}
