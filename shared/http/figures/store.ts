import type { Counted, Sums } from '../../base/figures.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { figuresPartition } from '../../store/layout.ts'
import { transact, type Outcome, type Write } from '../../store/table.ts'

/** Maximum number of operations in one transaction. */
export const OPERATIONS_A_WRITE = 100

/** Names of functions contain no space. */
const placeOf = (functionName: string, operation: string) => ({
  pk: figuresPartition(ROOT_DOMAIN_ID),
  sk: `${functionName} ${operation}`,
})

function addition(functionName: string, operation: string, sums: Sums): Write {
  const each = Object.entries(sums)
  return {
    update: placeOf(functionName, operation),
    expression: `ADD ${each.map((_, at) => `#${at} :${at}`).join(', ')}`,
    names: Object.fromEntries(each.map(([name], at) => [`#${at}`, name])),
    values: Object.fromEntries(each.map(([, by], at) => [`:${at}`, { N: String(by) }])),
  }
}

/**
 * Adds a function's counts to its figures in the table: all of them, or none.
 * @param counted at most `OPERATIONS_A_WRITE`
 * @param token of the transaction: within ten minutes, counts with the same token are added once
 */
export const addFigures = (functionName: string, counted: Counted, token: string): Promise<Outcome> =>
  transact(
    counted.map(([operation, sums]) => addition(functionName, operation, sums)),
    token,
  )
