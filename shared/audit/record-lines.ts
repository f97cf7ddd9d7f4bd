import * as z from 'zod'
import { auditRecord } from '../http/audit/record.ts'
import { uuidOf } from '../base/ids.ts'
import { log } from '../base/log.ts'
import type { AuditRecord } from '../http/audit/model.ts'
import { auditRecords } from '../http/audit/store.ts'
import { Changes, Stale } from '../store/changes.ts'
import type { LineReader, Occurrence } from './line-reader.ts'

/** A line of a data plane's log, as its subscription delivers it. */
export interface DeliveredLine {
  /** of the log's event: the same however often it is delivered */
  readonly id: string
  readonly at: Date
  /** the line's JSON, parsed */
  readonly line: unknown
}

/** Only marked lines become records; all others are ignored. */
const Marked = z.object({ audit: z.literal(true) })

/** Lines that one record stands for; the first of them gives it its time and its id. */
interface Recorded {
  readonly id: string
  readonly at: Date
  readonly occurrence: Occurrence
  unrecorded: number
}

/** Records written at a time: with their rows and the counts of the list they fit one transaction. */
const RECORDS_AT_A_TIME = 20

/** `undefined` for a line that is not marked, or that no reader understands. */
function markedLine({ id, line }: DeliveredLine, readers: readonly LineReader[]): Occurrence | undefined {
  if (!Marked.safeParse(line).success) return undefined
  for (const read of readers) {
    const occurrence = read(line)
    if (occurrence !== undefined) return occurrence
  }
  log('error', 'a log line marked for the audit cannot be read', { id })
  return undefined
}

function recordedOf(lines: readonly DeliveredLine[], readers: readonly LineReader[]): Recorded[] {
  const recorded = new Map<string, Recorded>()
  for (const delivered of lines) {
    const occurrence = markedLine(delivered, readers)
    if (occurrence === undefined) continue
    const { id, at } = delivered
    const kind = occurrence.kind ?? id
    const known = recorded.get(kind)
    if (known) known.unrecorded += 1
    else recorded.set(kind, { id, at, occurrence, unrecorded: 0 })
  }
  return [...recorded.values()]
}

const recordOf = ({ id, at, occurrence: { domain, happening }, unrecorded }: Recorded): AuditRecord =>
  auditRecord(domain, at, happening(unrecorded), uuidOf(at, id))

async function write(domain: string, records: readonly AuditRecord[], now: Date): Promise<void> {
  const changes = new Changes()
  for (const record of records) changes.create(auditRecords, domain, record)
  await changes.commit(now)
}

/** @returns how many were new */
async function writeNew(domain: string, records: readonly AuditRecord[], now: Date): Promise<number> {
  try {
    await write(domain, records, now)
    return records.length
  } catch (error) {
    if (!(error instanceof Stale)) throw error
  }
  if (records.length === 1) return 0 // an earlier delivery wrote it
  let written = 0
  for (const record of records) written += await writeNew(domain, [record], now)
  return written
}

/**
 * Turns a data plane's log lines into audit records. Delivery is at least once: a record's id is derived from the log's
 * own event, so that a second delivery finds it taken.
 * @param readers of the protocols; the first that understands a line makes its record
 * @throws Refusal UNAVAILABLE; records written by then stay, and the next delivery writes the rest
 */
export async function recordLines(
  lines: readonly DeliveredLine[],
  readers: readonly LineReader[],
  now: Date,
): Promise<{ recorded: number }> {
  let recorded = 0
  const records = recordedOf(lines, readers).map(recordOf)
  for (const [domain, ofDomain] of Map.groupBy(records, (record) => record.domain))
    for (let at = 0; at < ofDomain.length; at += RECORDS_AT_A_TIME)
      recorded += await writeNew(domain, ofDomain.slice(at, at + RECORDS_AT_A_TIME), now)
  return { recorded }
}
