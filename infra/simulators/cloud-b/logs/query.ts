import { TABLE, TABLE_COLUMNS, type Cell, type Cells, type Column } from './columns.ts'
import { columnNamed, conditionIn, order, readerOf, type Reader } from './query-conditions.ts'
import { semanticError, tokensOf } from './query-tokens.ts'

export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly Cells[]
}

/** A step of a query, and the columns after it. */
interface Step {
  readonly columns: readonly Column[]
  readonly run: (rows: readonly Cells[]) => readonly Cells[]
}

/**
 * Compiles a query: the table, then steps after bars. The supported steps are `where`, `order by` or `sort by`, `take`
 * or `limit`, `project` and `count`.
 * @throws ApiError BadArgumentError for everything else
 */
export function compile(query: string, now: number): (rows: readonly Cells[]) => Table {
  const reader = readerOf(query, tokensOf(query))
  const { kind, text } = reader.take()
  if (kind !== 'name' || text !== TABLE)
    throw semanticError(`'take' operator: Failed to resolve table or column expression named '${text}'`)
  let columns: readonly Column[] = TABLE_COLUMNS
  const steps: Step[] = []
  while (reader.accept('|')) {
    const step = stepIn(reader, columns, now)
    steps.push(step)
    columns = step.columns
  }
  if (reader.peek().kind !== 'end') throw reader.broken()
  return (rows) => ({ columns, rows: steps.reduce((left, { run }) => run(left), rows) })
}

function stepIn(reader: Reader, columns: readonly Column[], now: number): Step {
  if (reader.accept('where')) {
    const holds = conditionIn(reader, columns, now)
    return { columns, run: (rows) => rows.filter(holds) }
  }
  if (reader.accept('order') || reader.accept('sort')) return ordering(reader, columns)
  if (reader.accept('take') || reader.accept('limit')) {
    const count = Number(reader.peek().text)
    if (reader.peek().kind !== 'number' || !Number.isInteger(count)) throw reader.broken()
    reader.take()
    return { columns, run: (rows) => rows.slice(0, count) }
  }
  if (reader.accept('project')) return projection(reader, columns)
  if (!reader.accept('count')) throw reader.broken()
  return { columns: [{ name: 'Count', type: 'real' }], run: (rows) => [{ Count: rows.length }] }
}

/** The default order is descending. */
function ordering(reader: Reader, columns: readonly Column[]): Step {
  reader.expect('by')
  const by: { readonly name: string; readonly sign: 1 | -1 }[] = []
  do {
    const name = columnIn(reader, 'order', columns)
    const isAscending = reader.accept('asc')
    if (!isAscending) reader.accept('desc')
    by.push({ name, sign: isAscending ? 1 : -1 })
  } while (reader.accept(','))
  const compare = (a: Cells, b: Cells): number => {
    for (const { name, sign } of by) {
      const found = order(a[name] ?? null, b[name] ?? null)
      if (found !== 0) return found * sign
    }
    return 0
  }
  return { columns, run: (rows) => [...rows].sort(compare) }
}

function columnIn(reader: Reader, operator: string, columns: readonly Column[]): string {
  const { kind, text } = reader.peek()
  if (kind !== 'name') throw reader.broken()
  columnNamed(operator, columns, text)
  reader.take()
  return text
}

/** Columns by their names, optionally renamed: `project at = TimeGenerated`. */
function projection(reader: Reader, columns: readonly Column[]): Step {
  const wanted: { readonly name: string; readonly source: string }[] = []
  do {
    const { kind, text } = reader.take()
    if (kind !== 'name') throw reader.broken()
    if (reader.accept('=')) wanted.push({ name: text, source: columnIn(reader, 'project', columns) })
    else {
      columnNamed('project', columns, text)
      wanted.push({ name: text, source: text })
    }
  } while (reader.accept(','))
  const typeOf = (source: string) => columns.find(({ name }) => name === source)?.type ?? 'string'
  const cell = (row: Cells, source: string): Cell => row[source] ?? null
  return {
    columns: wanted.map(({ name, source }) => ({ name, type: typeOf(source) })),
    run: (rows) => rows.map((row) => Object.fromEntries(wanted.map(({ name, source }) => [name, cell(row, source)]))),
  }
}
