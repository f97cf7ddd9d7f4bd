import * as z from 'zod'
import { auditRecord } from '../http/audit/record.ts'
import { atOnce } from '../base/at-once.ts'
import { inBatches } from '../base/batches.ts'
import { Refusal } from '../base/errors.ts'
import { uuidOf } from '../base/ids.ts'
import { errorFields, log } from '../base/log.ts'
import type { AuditRecord } from '../http/audit/model.ts'
import { auditRecords } from '../http/audit/store.ts'
import { Changes, Stale } from '../store/changes.ts'
import { object } from '../base/lazy-fields.ts'
import type { DeliveredLine, LineReader, Occurrence } from './line-reader.ts'

/** Only marked lines become records; all others are ignored. */
const Marked = object(() => ({ audit: z.literal(true) }))

/** Lines that one record represents; the first line determines its time and its id. */
interface Recorded {
  readonly id: string
  readonly at: Date
  readonly occurrence: Occurrence
  unrecorded: number
}

/** Records of one transaction, with their rows and the counts of the list: 100 writes, 4 MB. */
const RECORDS_AT_A_TIME = { items: 20, bytes: 1024 * 1024 }
/** Number of domains that are written in parallel. */
const DOMAINS_AT_ONCE = 8

/** `undefined` for a line that is not marked, or that no reader accepts. */
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

/** The lines whose settings require a record. Each setting is read once. @throws Refusal UNAVAILABLE */
async function wantedOf(recorded: readonly Recorded[]): Promise<Recorded[]> {
  const settings = new Map<string, boolean>()
  const wanted: Recorded[] = []
  for (const each of recorded) {
    const { domain, setting } = each.occurrence
    if (setting !== undefined) {
      const name = `${domain} ${setting.name}`
      const isOn = settings.get(name) ?? (await setting.isOn())
      settings.set(name, isOn)
      if (!isOn) continue
    }
    wanted.push(each)
  }
  return wanted
}

const recordOf = ({ id, at, occurrence: { domain, happening }, unrecorded }: Recorded): AuditRecord =>
  auditRecord(domain, at, happening(unrecorded), uuidOf(at, id))

async function write(domain: string, records: readonly AuditRecord[], now: Date): Promise<void> {
  const changes = new Changes()
  for (const record of records) changes.create(auditRecords, domain, record)
  await changes.commit(now)
}

/**
 * Writes records together, or separately if that is refused. A record that cannot be written is logged and does not
 * stop the others.
 * @returns the number of new records
 * @throws Refusal UNAVAILABLE
 */
async function writeNew(domain: string, records: readonly AuditRecord[], now: Date): Promise<number> {
  try {
    await write(domain, records, now)
    return records.length
  } catch (error) {
    if (error instanceof Refusal) throw error
    const [record, ...others] = records
    if (record === undefined) return 0
    if (others.length === 0) {
      // Stale: an earlier delivery wrote it
      if (!(error instanceof Stale)) log('error', 'audit record not written', { id: record.id, ...errorFields(error) })
      return 0
    }
  }
  let written = 0
  for (const record of records) written += await writeNew(domain, [record], now)
  return written
}

/**
 * Writes the records of one domain. @returns the number of new records, or the reason why the next delivery must write
 * the rest
 */
async function writeOfDomain(domain: string, records: readonly AuditRecord[], now: Date): Promise<number | Refusal> {
  let written = 0
  const bytesOf = (record: AuditRecord): number => Buffer.byteLength(JSON.stringify(record))
  try {
    for (const batch of inBatches(records, RECORDS_AT_A_TIME, bytesOf)) written += await writeNew(domain, batch, now)
    return written
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/**
 * Turns a data plane's log lines into audit records. Delivery is at least once: a record's id is derived from the log's
 * event, so a second delivery finds that it exists.
 * @param readers of the protocols; the first one that accepts a line creates its record
 * @throws Refusal UNAVAILABLE; written records stay, and the next delivery writes the rest
 */
export async function recordLines(
  lines: readonly DeliveredLine[],
  readers: readonly LineReader[],
  now: Date,
): Promise<{ recorded: number }> {
  const wanted = await wantedOf(recordedOf(lines, readers))
  const domains = Map.groupBy(wanted.map(recordOf), (record) => record.domain)
  const written = await atOnce([...domains], DOMAINS_AT_ONCE, ([domain, records]) =>
    writeOfDomain(domain, records, now),
  )
  let recorded = 0
  for (const each of written) {
    if (each instanceof Refusal) throw each
    recorded += each
  }
  return { recorded }
}
