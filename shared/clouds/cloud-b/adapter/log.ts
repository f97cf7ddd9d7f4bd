import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { textsOf } from '../../../base/json.ts'
import { object } from '../../../base/lazy-fields.ts'
import { call } from './client.ts'
import { addressOf, scopeOf } from './hosts.ts'
import type { CloudB, CloudBLogEntry, CloudBLogQuery } from './types.ts'

const WORKSPACE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const Result = object(() => ({
  tables: z
    .array(
      z.object({ name: z.string(), columns: z.array(z.object({ name: z.string() })), rows: z.array(z.array(Cell)) }),
    )
    .min(1),
}))

/** A text in the syntax of the query language. */
const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll(/\s/g, ' ')}'`

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?Z) ([\w-]{1,100})$/

/**
 * Selects the rows after the one that the cursor names; the language has no order of texts. @throws Refusal
 * CLOUD_INVALID
 */
function after(cursor: string): string {
  const [, time, id] = CURSOR.exec(cursor) ?? []
  if (time === undefined || id === undefined)
    throw new Refusal('CLOUD_INVALID', 'The log cannot be gone on with: the cursor is not one of this cloud.')
  const at = `datetime(${time})`
  return `where TimeGenerated > ${at} or (TimeGenerated == ${at} and strcmp(CorrelationId, ${quoted(id)}) > 0)`
}

/**
 * Selects all columns: a query that names a column which no row has filled yet is refused, and the columns about
 * callers can be such. Excludes status 401, the challenge that answers the first call of every client: such a call has
 * no caller.
 */
const queryOf = ({ cloud_vault_id: vault, from, to, rows, cursor }: CloudBLogQuery): string =>
  [
    'AzureDiagnostics',
    `where TimeGenerated >= datetime(${from.toISOString()}) and TimeGenerated < datetime(${to.toISOString()})`,
    `where ResourceId =~ ${quoted(vault)} and Category == 'AuditEvent' and httpStatusCode_d != 401`,
    ...(cursor === undefined ? [] : [after(cursor)]),
    'order by TimeGenerated asc, CorrelationId asc',
    `take ${rows}`,
  ].join(' | ')

type Row = Readonly<Record<string, z.infer<typeof Cell>>>

const CLAIMS = 'http_schemas_xmlsoap_org_ws_2005_05_identity_claims'
const textIn = (row: Row, ...columns: readonly string[]): string | undefined =>
  textsOf(columns.map((column) => row[column])).find((cell) => cell !== '')

const NAMED = /^https:\/\/[^/]+\/(?:deleted)?(?:keys|secrets|certificates)\/([A-Za-z0-9-]{1,127})/
const FAILED_FROM = 400

function entryRead(row: Row): CloudBLogEntry {
  const [, key_name] = NAMED.exec(textIn(row, 'id_s', 'requestUri_s') ?? '') ?? []
  const user_name = textIn(row, `identity_claim_${CLAIMS}_upn_s`, 'identity_claim_upn_s')
  const client_id = textIn(row, 'identity_claim_appid_g', 'identity_claim_appid_s')
  const status = Number(row.httpStatusCode_d ?? 0)
  return {
    id: textIn(row, 'CorrelationId') ?? '',
    time: textIn(row, 'TimeGenerated') ?? '',
    activity: textIn(row, 'OperationName') ?? '',
    ...defined({ key_name, user_name, client_id }),
    ...(status >= FAILED_FROM && { failed_code: String(status) }),
  }
}

/** One page of the activity in a vault, oldest first: successive time ranges neither lose nor repeat an entry. */
export const logEntries: CloudB['logEntries'] = async (entry, query) => {
  const { log_workspace_id: workspace, rows: wanted } = query
  if (!WORKSPACE.test(workspace)) throw new Refusal('RULE_BROKEN', 'log_workspace_id must be a UUID.')
  const edition = entry.connection.cloud_name
  const url = new URL(`${addressOf(edition, 'logs')}/v1/workspaces/${workspace}/query`)
  const how = { method: 'POST', url, scope: scopeOf(edition, 'logs'), body: { query: queryOf(query) } } as const
  const { tables } = await call(entry, { ...how, reply: Result })
  const { columns, rows } = tables.find(({ name }) => name === 'PrimaryResult') ?? { columns: [], rows: [] }
  const names = columns.map(({ name }) => name)
  const entries = rows.map((cells) => entryRead(Object.fromEntries(cells.map((cell, at) => [names[at] ?? '', cell]))))
  const last = entries.at(-1)
  return { entries, ...(last !== undefined && rows.length >= wanted && { next: `${last.time} ${last.id}` }) }
}
