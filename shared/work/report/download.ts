import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { putObject, signedAddress } from '../../store/objects.ts'
import { contentRows, partIds, textOf, type StoredReport } from './store.ts'
import { findReport } from './access.ts'
import { reportedCloud } from './clouds.ts'
import { headerLine, rowLine } from './csv.ts'
import type { AnyReported } from './reported.ts'

const CSV = 'text/csv'
/** Size of the text as JSON: a function's response is limited to 6 MB and has other content too. */
const ANSWERED_BYTES = 3 * 1024 * 1024
/** Ours: as long as the lifetime of a token. */
const ADDRESS_SECONDS = 300

/** The text of a report line by line, the header first; some thousands of rows in memory at a time. */
async function* linesOf(domain: string, report: StoredReport): AsyncGenerator<string, void> {
  const { columns } = await reportedCloud(report.cloud_name)
  yield headerLine(columns)
  for (const [at, list] of partIds(report).entries())
    for await (const rows of contentRows.blocks(domain, list, report.outcomes?.[at]?.count ?? 0))
      yield rows.map((row) => rowLine(columns, row)).join('')
}

/** The chunks that were read to measure a text, followed by the rest. */
async function* joined(before: readonly string[], rest: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  yield* before
  yield* rest
}

/**
 * Reads the beginning of a text, as much as fits into a response.
 * @returns the chunks read, and the rest unless the text ended
 */
async function beginningOf(text: AsyncGenerator<string, void>) {
  const chunks: string[] = []
  let bytes = 0
  for (let next = await text.next(); next.done !== true; next = await text.next()) {
    chunks.push(next.value)
    bytes += Buffer.byteLength(JSON.stringify(next.value))
    if (bytes > ANSWERED_BYTES) return { chunks, rest: text }
  }
  return { chunks, rest: undefined }
}

/**
 * Stores the text of a finished report in the object store if it is too long for a response. May be called twice.
 * @returns the object's key
 */
export async function keepText(domain: string, report: StoredReport): Promise<string | undefined> {
  const { chunks, rest } = await beginningOf(linesOf(domain, report))
  if (rest === undefined) return undefined
  const key = textOf(domain, report.id)
  await putObject(key, `${CSV}; charset=utf-8`, joined(chunks, rest))
  return key
}

/** A text, or an address that serves it for five minutes to every client that knows the address. */
export type Download = { readonly text: string } | { readonly location: string }

/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT while the report is under way, or has no text */
export async function downloadReport(context: Context, of: AnyReported, id: string): Promise<Download> {
  const { item: report } = await findReport(context, of, id, 'reportdownload')
  if (report.overall_status === 'in_progress')
    throw new Refusal('STATE_CONFLICT', 'The report is in_progress: wait for its end.')
  if (report.object !== undefined) {
    const fileName = `report-${report.id}.csv`
    return { location: await signedAddress(report.object, { fileName, now: context.now, seconds: ADDRESS_SECONDS }) }
  }
  const { chunks, rest } = await beginningOf(linesOf(context.caller.domain.id, report))
  if (rest !== undefined)
    throw new Refusal(
      'STATE_CONFLICT',
      'The report was abandoned before its text was created: read its contents instead.',
    )
  return { text: chunks.join('') }
}
