import { JOB_OPERATIONS, paramsFieldOf, type JobOperationQuery } from './config-model.ts'
import type { ResourceList } from '../../http/listed.ts'
import { OPERATIONS } from './job-operations.ts'

interface Info {
  readonly operation: string
  readonly description: string
  readonly params?: string
}

/** What a configuration can ask for. */
export function listOperations({ skip, limit }: JobOperationQuery): ResourceList<Info> {
  const all = JOB_OPERATIONS.map((operation) => {
    const params = paramsFieldOf(operation)
    return { operation, description: OPERATIONS[operation].description, ...(params !== undefined && { params }) }
  })
  return { skip, limit, total: all.length, resources: all.slice(skip, skip + limit) }
}
