import type { Arrived, Reply } from '../wire/arrived.ts'
import { isObject } from '../wire/body.ts'
import type { Caller } from '../login/caller.ts'
import { workspaceIdOf } from '../directory/directory.ts'
import { addDuration, isDuration } from '../wire/durations.ts'
import { logRefusal } from '../wire/errors.ts'
import { recordOf } from './columns.ts'
import { compile, type Table } from './query.ts'
import { hasRole } from '../directory/roles.ts'
import type { CloudState } from '../state/state.ts'
import { callerOf, type TokenFault } from '../login/tokens.ts'

/** Maximum number of rows in an answer of the cloud, which reports a truncation. */
export const ROWS_MOST = 500_000

const PATH = /^\/v1\/workspaces\/([^/]+)\/query$/

/** Answers a request to the log host. @param rowsMost rows of one answer @throws ApiError in the form of that host */
export async function queryLogs(state: CloudState, arrived: Arrived, rowsMost: number): Promise<Reply> {
  const { method, path, bytes } = arrived
  const caller = await authenticated(state, arrived)
  const [, id] = PATH.exec(path) ?? []
  if (id === undefined || method !== 'POST')
    throw logRefusal(404, 'PathNotFoundError', 'The requested path does not exist')
  requireWorkspace(state, caller, id)
  const { query, timespan } = inputIn(bytes)
  const now = state.now()
  const run = compile(query, now)
  const [from, to] = timespan === undefined ? [-Infinity, Infinity] : spanIn(timespan, now)
  const seen = state
    .rows(id)
    .filter(({ at }) => at >= from && at < to && at + state.delays().logMs <= now)
    .map(recordOf)
  return { status: 200, body: described(run(seen), rowsMost) }
}

const FAULTS: Readonly<Record<TokenFault, readonly [code: string, message: string]>> = {
  missing: ['AuthorizationRequiredError', 'Valid authentication was not provided'],
  broken: ['InvalidTokenError', 'Valid authentication was not provided'],
  expired: ['InvalidTokenError', 'Valid authentication was not provided'],
  audience: ['InvalidTokenError', 'Valid authentication was not provided'],
}

async function authenticated(state: CloudState, arrived: Arrived): Promise<Caller> {
  const caller = await callerOf(state, arrived, 'logs')
  if (typeof caller !== 'string') return caller
  throw logRefusal(401, ...FAULTS[caller])
}

function requireWorkspace(state: CloudState, caller: Caller, id: string): void {
  const workspace = state.thing('workspace', id)
  if (workspace === undefined) throw logRefusal(404, 'WorkspaceNotFoundError', 'The workspace could not be found')
  const tenant = state.thing('subscription', workspace.subscription)?.tenant
  if (tenant !== caller.tenant || !hasRole(state, caller, 'logs/read', workspaceIdOf(workspace)))
    throw logRefusal(
      403,
      'InsufficientAccessError',
      'The provided credentials have insufficient access to perform the requested operation',
    )
}

const invalid = (message: string) =>
  logRefusal(400, 'BadArgumentError', 'The request had some invalid properties', { code: 'ValidationError', message })

function inputIn(bytes: Buffer): { readonly query: string; readonly timespan: string | undefined } {
  let body: unknown
  try {
    body = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw invalid('The request body is not valid JSON.')
  }
  const { query, timespan } = isObject(body) ? body : {}
  if (typeof query !== 'string' || query === '') throw invalid('The property query must not be empty.')
  if (timespan !== undefined && timespan !== null && typeof timespan !== 'string')
    throw invalid('The timespan is invalid.')
  return { query, timespan: timespan ?? undefined }
}

/**
 * `PT12H` up to now, or two times, or a time and a duration, separated by a slash. @returns from, and the end
 * (exclusive)
 */
function spanIn(timespan: string, now: number): [from: number, to: number] {
  const [first = '', second] = timespan.split('/')
  if (second === undefined && isDuration(first)) return [addDuration(now, first, -1), Infinity]
  const from = Date.parse(first)
  if (second !== undefined && isDuration(first)) return [addDuration(Date.parse(second), first, -1), Date.parse(second)]
  const to = second !== undefined && isDuration(second) ? addDuration(from, second) : Date.parse(second ?? '')
  if (Number.isNaN(from) || Number.isNaN(to)) throw invalid(`The timespan '${timespan}' is invalid.`)
  return [from, to]
}

function described({ columns, rows }: Table, rowsMost: number): object {
  const shown = rows.slice(0, rowsMost).map((row) => columns.map(({ name }) => row[name] ?? null))
  const tables = [{ name: 'PrimaryResult', columns, rows: shown }]
  return rows.length > rowsMost ? { tables, error: truncated(rowsMost) } : { tables }
}

const truncated = (rowsMost: number): object => ({
  code: 'PartialError',
  message: 'There were some errors when processing your query.',
  details: [
    {
      code: 'EngineError',
      message: 'Something went wrong processing your query on the server.',
      innererror: {
        code: '-2133196797',
        message: `The results of this query exceed the set limit of ${rowsMost} records, so not all records were returned (E_QUERY_RESULT_SET_TOO_LARGE, 0x80DA0003).`,
        severity: 2,
        severityName: 'Error',
      },
    },
  ],
})
