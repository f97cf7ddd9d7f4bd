import { ownText } from '../base/json.ts'
import { Stale, type Changes } from './changes.ts'
import { numberedKey, ROWS_A_BLOCK } from './layout.ts'
import { getItems, queryAll, text, type Attributes } from './table.ts'

/** Blocks read in parallel. */
const BLOCKS_AT_ONCE = 4

/** Fields by name. */
export type NumberedRow = Readonly<Record<string, string | boolean | null>>

/**
 * Long lists that are written once, from beginning to end, and read by position: rows 0, 1, 2, ..., each under its
 * number. Writes maintain no counts, and any `skip` is arithmetic. The owner of a list knows its length.
 */
export interface Numbered {
  /** Stages rows `first`, `first + 1`, ..., replacing existing ones. One write each. */
  plan(changes: Changes, domain: string, list: string, first: number, rows: readonly NumberedRow[]): void
  /** Stages the removal of rows `first` up to, but not including, `end`, whether they exist or not. One write each. */
  planRemoval(changes: Changes, domain: string, list: string, first: number, end: number): void
  /** Rows `first` up to, but not including, `end`. One read for each block of a thousand, and for each MB. */
  slice(domain: string, list: string, first: number, end: number): Promise<NumberedRow[]>
  /** Rows by number, in the order of `numbers`, without missing ones. One read per 100. */
  pick(domain: string, list: string, numbers: readonly number[]): Promise<NumberedRow[]>
  /** Rows 0 up to, but not including, `count`, some thousands in memory at a time. */
  blocks(domain: string, list: string, count: number): AsyncGenerator<NumberedRow[], void>
}

const ROW = ownText<NumberedRow>()
const rowIn = (item: Attributes): NumberedRow => ROW.read(text(item, 'row'))

const unexpectedRefusal = (): Error => new Stale('A row without condition was refused')

/** @param kind prefix of the rows' keys, like an entity's name */
export function numbered(kind: string): Numbered {
  const block = async (domain: string, list: string, first: number, end: number): Promise<NumberedRow[]> => {
    const { pk, sk: from } = numberedKey(domain, kind, list, first)
    const { sk: to } = numberedKey(domain, kind, list, end)
    const items = await queryAll({ pk, from, to })
    return items.map(rowIn)
  }
  return {
    plan: (changes, domain, list, first, rows) => {
      for (const [at, row] of rows.entries()) {
        const { pk, sk } = numberedKey(domain, kind, list, first + at)
        changes.plan({ put: { pk: { S: pk }, sk: { S: sk }, row: { S: ROW.write(row) } } }, unexpectedRefusal)
      }
    },
    planRemoval: (changes, domain, list, first, end) => {
      for (let at = first; at < end; at++)
        changes.plan({ remove: numberedKey(domain, kind, list, at) }, unexpectedRefusal)
    },
    slice: async (domain, list, first, end) => {
      const parts = blocksOf(first, end).map((bounds) => block(domain, list, ...bounds))
      return (await Promise.all(parts)).flat()
    },
    pick: async (domain, list, numbers) =>
      (await getItems(numbers.map((n) => numberedKey(domain, kind, list, n)))).map(rowIn),
    blocks: async function* (domain, list, count) {
      const bounds = blocksOf(0, count)
      for (let at = 0; at < bounds.length; at += BLOCKS_AT_ONCE)
        yield* await Promise.all(bounds.slice(at, at + BLOCKS_AT_ONCE).map((each) => block(domain, list, ...each)))
    },
  }
}

/** The same rows, split at partition boundaries. */
function blocksOf(first: number, end: number): [number, number][] {
  const bounds: [number, number][] = []
  for (let at = first; at < end;) {
    const next = Math.min(end, (Math.floor(at / ROWS_A_BLOCK) + 1) * ROWS_A_BLOCK)
    bounds.push([at, next])
    at = next
  }
  return bounds
}
