import { fullId } from '../state/ids.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { notFound } from '../wire/errors.ts'
import { matches } from './conditions.ts'
import type { CursorPage } from './cursors.ts'
import { parseSelect } from './soql.ts'
import { fieldOf, recordOf, type Row, type Table } from './table.ts'
import { tableNamed } from './tables.ts'

const BATCH = { standard: 2_000, least: 200 } as const

/** Number of records in a page: the caller may ask for fewer than the standard. */
function batchOf({ header, page }: Call): number {
  if (page === 'short') return 1
  const [, wanted] = /\bbatchSize=(\d+)/.exec(header('sforce-query-options') ?? '') ?? []
  return wanted === undefined ? BATCH.standard : Math.min(BATCH.standard, Math.max(BATCH.least, Number(wanted)))
}

const pageReply = (base: string, { totalSize, records, next }: CursorPage): Reply => ({
  body: { totalSize, done: next === undefined, ...(next && { nextRecordsUrl: `${base}/query/${next}` }), records },
})

const baseOf = ({ version }: Call, api: 'data' | 'tooling'): string =>
  `/services/data/v${version}.0${api === 'tooling' ? '/tooling' : ''}`

const query =
  (api: 'data' | 'tooling') =>
  (call: Call): Reply => {
    const select = parseSelect(call.query.get('q') ?? '')
    const table = tableNamed(call, api, select.object)
    const fields = select.fields.map((field) => fieldOf(table, call, field))
    const found = table.rows(call).filter((row) => matches(table, call, select.where, row))
    const end = select.limit === undefined ? undefined : select.offset + select.limit
    const rows = sorted(table, call, select.order, found).slice(select.offset, end)
    if (fields.length === 0) return { body: { totalSize: rows.length, done: true, records: [] } }
    const records = rows.map((row) => recordOf(table, call, row, fields))
    return pageReply(baseOf(call, api), call.cursors.first(call.organization.id, records, batchOf(call)))
  }

function sorted(table: Table, call: Call, order: ReturnType<typeof parseSelect>['order'], rows: readonly Row[]): Row[] {
  const keys = order.map(({ field, isDescending }) => ({ field: fieldOf(table, call, field), isDescending }))
  return [...rows].sort((left, right) => {
    for (const { field, isDescending } of keys) {
      const [a, b] = [left.value(field), right.value(field)]
      if (a === b) continue
      const isLess = a === null || (a !== undefined && b !== undefined && b !== null && a < b) // texts, numbers or flags alike
      return isLess === isDescending ? 1 : -1
    }
    return 0
  })
}

const more =
  (api: 'data' | 'tooling') =>
  (call: Call): Reply =>
    pageReply(baseOf(call, api), call.cursors.after(call.organization.id, call.param('locator'), batchOf(call)))

const read =
  (api: 'data' | 'tooling') =>
  (call: Call): Reply => {
    const table = tableNamed(call, api, call.param('object'))
    const id = fullId(call.param('id'))
    const row = table.rows(call).find((each) => each.value('Id') === id)
    if (row === undefined) throw notFound()
    const wanted = call.query.get('fields')?.split(',')
    const served = table.fieldNames.filter((field) => (table.since?.[field] ?? 0) <= call.version)
    const fields = wanted?.map((field) => fieldOf(table, call, field)) ?? served
    return { body: recordOf(table, call, row, fields) }
  }

export const queryRoutes: readonly Route[] = [
  { operation: 'Query', method: 'GET', path: '/query/?', run: query('data') },
  { operation: 'QueryMore', method: 'GET', path: '/query/{locator}', run: more('data') },
  { operation: 'ToolingQuery', method: 'GET', path: '/tooling/query/?', run: query('tooling') },
  { operation: 'ToolingQueryMore', method: 'GET', path: '/tooling/query/{locator}', run: more('tooling') },
  { operation: 'GetRecord', method: 'GET', path: '/sobjects/{object}/{id}', run: read('data') },
  { operation: 'ToolingGetRecord', method: 'GET', path: '/tooling/sobjects/{object}/{id}', run: read('tooling') },
]
