import type { LogRow } from './rows.ts'

/** A value in a table. Times are texts in RFC 3339, as on the wire. */
export type Cell = string | number | boolean | null
export type Cells = Readonly<Record<string, Cell>>

export interface Column {
  readonly name: string
  readonly type: 'string' | 'datetime' | 'real'
}

interface ColumnRow extends Column {
  readonly valueOf: (row: LogRow) => Cell
}

const text = (name: string, valueOf: (row: LogRow) => string | undefined): ColumnRow => ({
  name,
  type: 'string',
  valueOf: (row) => valueOf(row) ?? '',
})

const TICKS_OF_MS = 10_000
/** A time with seven digits of a second, so that texts sort by time. */
export const timeText = (at: number, tick = 0): string =>
  new Date(at).toISOString().replace('Z', `${String(tick % TICKS_OF_MS).padStart(4, '0')}Z`)

/** Segments of `/subscriptions/<s>/resourceGroups/<g>/providers/<p>/<type>/<name>`, which logs write in capitals. */
const part = (at: number) => (row: LogRow) => row.resourceId.split('/')[at]?.toUpperCase()

/**
 * Columns that vaults fill in the table of all diagnostics. Suffixes name their types: `_g` is an identifier as a text.
 */
const COLUMNS: readonly ColumnRow[] = [
  text('TenantId', (row) => row.workspace),
  { name: 'TimeGenerated', type: 'datetime', valueOf: ({ at, tick }) => timeText(at, tick) },
  text('ResourceId', (row) => row.resourceId.toUpperCase()),
  text('Category', () => 'AuditEvent'),
  text('ResourceGroup', part(4)),
  text('SubscriptionId', (row) => row.resourceId.split('/')[2]),
  text('ResourceProvider', part(6)),
  text('Resource', part(8)),
  text('ResourceType', part(7)),
  text('OperationName', (row) => row.operation),
  text('OperationVersion', (row) => row.apiVersion),
  text('ResultType', (row) => (row.status < 400 ? 'Success' : 'Failed')),
  text('ResultSignature', (row) => row.signature),
  text('ResultDescription', (row) => row.description),
  { name: 'DurationMs', type: 'real', valueOf: () => 1 },
  text('CallerIPAddress', (row) => row.address),
  text('CorrelationId', (row) => row.correlationId),
  text('identity_claim_appid_g', (row) => row.clientId),
  text('identity_claim_http_schemas_microsoft_com_identity_claims_objectidentifier_g', (row) => row.objectId),
  text('identity_claim_http_schemas_xmlsoap_org_ws_2005_05_identity_claims_upn_s', (row) => row.upn),
  text('identity_claim_iss_s', (row) => row.tenant && `https://sts.windows.net/${row.tenant}/`),
  text('id_s', (row) => row.subject),
  text('requestUri_s', (row) => row.requestUri),
  text('clientInfo_s', (row) => row.userAgent),
  { name: 'httpStatusCode_d', type: 'real', valueOf: (row) => row.status },
  text('SourceSystem', () => 'Azure'),
  text('Type', () => 'AzureDiagnostics'),
  text('_ResourceId', (row) => row.resourceId.toLowerCase()),
]

/** The name of the only table. */
export const TABLE = 'AzureDiagnostics'

export const TABLE_COLUMNS: readonly Column[] = COLUMNS.map(({ name, type }) => ({ name, type }))

/** Computes each column when it is read, because queries read few columns of all rows. */
class LazyRecord {
  readonly row: LogRow

  constructor(row: LogRow) {
    this.row = row
  }
}
for (const { name, valueOf } of COLUMNS)
  Object.defineProperty(LazyRecord.prototype, name, {
    get(this: LazyRecord): Cell {
      return valueOf(this.row)
    },
  })

export const recordOf = (row: LogRow): Cells => new LazyRecord(row) as object as Cells
