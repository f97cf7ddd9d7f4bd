import type { FaultProxy } from '../infra/local/table/fault-proxy.ts'
import { kindOfPartition } from '../shared/store/layout.ts'

const READS = new Set(['GetItem', 'BatchGetItem', 'Query'])

interface Row {
  readonly pk: { readonly S: string }
}
interface TransactItem {
  readonly Put?: { readonly Item: Row }
  readonly Update?: { readonly Key: Row }
  readonly Delete?: { readonly Key: Row }
}

/**
 * Rows written since the proxy was reset, by kind of entity: an item, its list rows, its family positions and guards,
 * and the counts of its lists. Items that a transaction only checks do not count.
 * @throws Error if the proxy no longer has every call, or if anything was written outside of a transaction
 */
export function rowsWritten({ calls, counts }: Pick<FaultProxy, 'calls' | 'counts'>): Readonly<Record<string, number>> {
  const kept = calls()
  const passed = Object.values(counts()).reduce((sum, count) => sum + count, 0)
  if (kept.length !== passed) throw new Error(`Of ${passed} calls only ${kept.length} are known`)
  const written: Record<string, number> = {}
  for (const { operation, request } of kept) {
    if (READS.has(operation)) continue
    if (operation !== 'TransactWriteItems') throw new Error(`The table was written by ${operation}`)
    for (const { Put, Update, Delete } of (request as { TransactItems: TransactItem[] }).TransactItems) {
      const row = Put?.Item ?? Update?.Key ?? Delete?.Key
      if (row === undefined) continue
      const kind = kindOf(row.pk.S)
      written[kind] = (written[kind] ?? 0) + 1
    }
  }
  return written
}

function kindOf(partition: string): string {
  const kind = kindOfPartition(partition)
  if (kind === undefined) throw new Error(`${partition} is no partition of the store`)
  return kind
}
