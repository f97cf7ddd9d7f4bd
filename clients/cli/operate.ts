import type { Answer, UntypedInit } from '../sdk/calls.ts'
import type { Method } from '../sdk/method.ts'
import type { Keymgr } from '../sdk/client.ts'
import type { Page } from '../sdk/pages.ts'
import { bodyOf, queryOf } from './arguments/body.ts'
import { lastOf, type Parsed, type Shared } from './arguments/parse.ts'
import type { Format } from './arguments/shared-options.ts'
import type { CommandRow } from './command.ts'
import { confirmed } from './confirm.ts'
import { pathOf, withIdsIn } from './names.ts'
import { printable } from './output/printable.ts'
import { checkWish, show, type Wish } from './output/show.ts'
import { connected } from './session/connect.ts'

/** A complete call. */
export interface Call {
  readonly row: CommandRow
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

export const methodOf = ({ method }: Pick<CommandRow, 'method'>): Method => method.toLowerCase() as Method

export function wishOf(shared: Shared, columns: readonly string[]): Wish {
  const chosen = lastOf(shared, 'columns')?.split(',')
  const usual: Format = chosen !== undefined || (process.stdout.isTTY && !shared.has('out')) ? 'table' : 'json'
  const format = (lastOf(shared, 'output') ?? usual) as Format
  return { format, columns, ...(chosen && { chosen }), query: lastOf(shared, 'query'), file: lastOf(shared, 'out') }
}

/** Calls of the platform need a separate token, which `platform token generate` creates. */
const platformToken = (path: string): string | undefined =>
  path.startsWith('/platform/') ? process.env.KEYMGR_TOKEN : undefined

function headersOf({ sends, path }: CommandRow, shared: Shared): Record<string, string> {
  const ifMatch = lastOf(shared, 'if-match')
  const key = lastOf(shared, 'idempotency-key')
  const approval = lastOf(shared, 'approval')
  const reason = lastOf(shared, 'approval-reason')
  const token = platformToken(path)
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(sends !== undefined && sends !== 'application/json' && { 'content-type': sends }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(approval !== undefined && { 'x-keymgr-approval': approval }),
    ...(reason !== undefined && { 'x-keymgr-approval-reason': encodeURIComponent(reason) }),
  }
}

/** The arguments of the SDK for a call. */
export const initOf = ({ path, query, body, headers }: Call): UntypedInit => ({
  path,
  query,
  headers,
  ...(body !== undefined && { body }),
})

const PAGE_SIZE = 1_000

/** All pages of a list, joined. */
async function everyPage(keymgr: Keymgr, call: Call): Promise<unknown> {
  const { entries } = await import('../sdk/pages.ts')
  const resources: unknown[] = []
  const ask = async (asked: UntypedInit) => (await keymgr.request('get', call.row.path, asked)).body as Page<unknown>
  const init = { ...initOf(call), query: { limit: PAGE_SIZE, ...call.query } }
  for await (const entry of entries(ask, init)) resources.push(entry)
  return { skip: Number(call.query.skip ?? 0), limit: resources.length, total: resources.length, resources }
}

/** On a terminal, shows the ETag of a record, for `--if-match` of the next change. */
function showEtag({ headers }: Answer): void {
  const etag = headers.get('etag')
  if (etag !== null && process.stdout.isTTY) process.stderr.write(`ETag: ${printable(etag)}\n`)
}

/** Makes the call, or all calls of a list, and shows the result. @returns the exit code */
async function callAndShow(keymgr: Keymgr, call: Call, shared: Shared, wish: Wish): Promise<number> {
  if (shared.has('dry-run')) return (await import('./dry-run.ts')).tryOut(keymgr, call, wish)
  if (shared.has('all')) {
    await show(await everyPage(keymgr, call), wish)
    return 0
  }
  const answer = await keymgr.request(methodOf(call.row), call.row.path, initOf(call))
  if (shared.has('wait')) return (await import('./jobs/wait.ts')).waitFor(keymgr, call, answer.body, wish)
  await show(answer.body, wish)
  showEtag(answer)
  return 0
}

/** The call of a command. Names are resolved to ids, for which lists are read. */
export async function callOf(
  keymgr: Keymgr,
  row: CommandRow,
  values: readonly string[],
  parsed: Parsed,
  sent?: Pick<Call, 'query' | 'body'>,
): Promise<Call> {
  const { query, body } = sent ?? { query: queryOf(row, parsed), body: await bodyOf(row, parsed) }
  return {
    row,
    path: await pathOf(keymgr, row, values),
    query: await withIdsIn(keymgr, row, 'query', query),
    body: await withIdsIn(keymgr, row, 'body', body),
    headers: headersOf(row, parsed.shared),
  }
}

/** Makes the call of a command and shows its answer. @returns the exit code */
export async function operate(row: CommandRow, values: readonly string[], parsed: Parsed): Promise<number> {
  const { shared } = parsed
  const wish = wishOf(shared, row.columns)
  await checkWish(wish, row.answers)
  const sent = { query: queryOf(row, parsed), body: await bodyOf(row, parsed) }
  return connected(shared, async (keymgr) => {
    const call = await callOf(keymgr, row, values, parsed, sent)
    await confirmed(row, values, shared)
    return callAndShow(keymgr, call, shared, wish)
  })
}
