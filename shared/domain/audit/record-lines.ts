import * as z from 'zod'
import { auditRecord } from '../../audit/record.ts'
import { ROOT_DOMAIN_ID, uuidOf } from '../../ids.ts'
import { log } from '../../log.ts'
import type { AuditRecord } from '../../model/audit-record.ts'
import { auditRecords } from '../../store/audit-record.ts'
import { Changes, Stale } from '../../store/changes.ts'
import { uriOfStore } from '../cloud-a/custom-key-stores/records.ts'

/** A line of a data plane's log, as its subscription delivers it. */
export interface DeliveredLine {
  /** of the log's event: the same however often it is delivered */
  readonly id: string
  readonly at: Date
  /** the line's JSON, parsed */
  readonly line: unknown
}

/** Only marked lines become records; all others are no business of ours. */
const Marked = z.object({ audit: z.literal(true) })

/** What `functions/xks` writes of a request that belongs in the audit. */
const XksLine = z.object({
  traceId: z.string(),
  operation: z.string().optional(),
  domain: z.string().optional(),
  keyStore: z.string().optional(),
  key: z.string().optional(),
  outcome: z.string(),
  status: z.int(),
  ip: z.string(),
  awsPrincipalArn: z.string().optional(),
  kmsRequestId: z.string().optional(),
  kmsOperation: z.string().optional(),
  kmsKeyArn: z.string().optional(),
  awsSourceVpc: z.string().optional(),
  awsSourceVpce: z.string().optional(),
  kmsViaService: z.string().optional(),
})
type XksLine = z.infer<typeof XksLine>

/** Lines that one record stands for; the first of them gives it its time and its id. */
interface Occurrence {
  readonly id: string
  readonly at: Date
  readonly line: XksLine
  unrecorded: number
}

/** Records written at a time: with their rows and the counts of the list they fit one transaction. */
const RECORDS_AT_A_TIME = 20

/**
 * Whether one record stands for all refusals of this kind, store, address and caller in a delivery: a flood must not become a
 * flood of writes. Nobody knows who is behind a call without a good signature. Ours: of a call above the quota there is
 * nothing to say that the next one does not say as well.
 */
const isAggregated = ({ domain, outcome }: XksLine): boolean =>
  domain === undefined || outcome === 'AuthenticationFailedException' || outcome === 'ThrottlingException'

/** `undefined` for a line that is not marked, or that cannot be read. */
function markedLine({ id, line }: DeliveredLine): XksLine | undefined {
  if (!Marked.safeParse(line).success) return undefined
  const { data } = XksLine.safeParse(line)
  if (data === undefined) log('error', 'a log line marked for the audit cannot be read', { id })
  return data
}

function occurrencesOf(lines: readonly DeliveredLine[]): Occurrence[] {
  const occurrences = new Map<string, Occurrence>()
  for (const delivered of lines) {
    const line = markedLine(delivered)
    if (line === undefined) continue
    const { id, at } = delivered
    const kind = isAggregated(line) ? JSON.stringify([line.keyStore, line.outcome, line.ip, line.awsPrincipalArn]) : id
    const known = occurrences.get(kind)
    if (known) known.unrecorded += 1
    else occurrences.set(kind, { id, at, line, unrecorded: 0 })
  }
  return [...occurrences.values()]
}

/** As elsewhere: `error` is for us to look at, `warning` for whoever called. 501 is an answer about the request. */
const severityOf = ({ status }: XksLine): AuditRecord['severity'] =>
  status >= 500 && status !== 501 ? 'error' : status >= 400 ? 'warning' : 'info'

/** What the cloud said, where we know that it was the cloud. */
function cloudCallOf({
  key,
  kmsRequestId,
  kmsOperation,
  kmsKeyArn,
  ...line
}: XksLine): Partial<AuditRecord['details']> {
  const { awsSourceVpc, awsSourceVpce, kmsViaService } = line
  return {
    ...(key !== '' && { key }),
    kmsRequestId,
    kmsOperation,
    kmsKeyArn,
    awsSourceVpc,
    awsSourceVpce,
    kmsViaService,
  }
}

/** Ours: calls to stores that are nobody's are on record in the root domain. */
function recordOf({ id, at, line, unrecorded }: Occurrence): AuditRecord {
  const { domain = ROOT_DOMAIN_ID, keyStore, operation = 'request', outcome, awsPrincipalArn = '' } = line
  const success = outcome === 'success'
  return auditRecord(
    domain,
    at,
    {
      severity: severityOf(line),
      service: 'xks',
      message: `External key store ${operation}`,
      username: awsPrincipalArn,
      clientIP: line.ip,
      success,
      ...(!success && { errorMessage: outcome }),
      details: {
        action: operation,
        ...(keyStore !== undefined && { resource_uri: uriOfStore(domain, keyStore) }),
        ...(unrecorded > 0 && { unrecorded }),
        ...(!isAggregated(line) && cloudCallOf(line)),
      },
      requestId: line.traceId,
      principal: { sub: awsPrincipalArn, groups: [] },
    },
    uuidOf(at, id),
  )
}

async function write(domain: string, records: readonly AuditRecord[], now: Date): Promise<void> {
  const changes = new Changes()
  for (const record of records) changes.create(auditRecords, domain, record)
  await changes.commit(now)
}

/** @returns how many were not there yet */
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
 * Makes audit records of a data plane's log lines. Delivery is at least once: a record's id comes from the log's own
 * event, so that a second delivery finds it taken.
 * @throws Refusal UNAVAILABLE; whatever is written by then stays, and delivering again does the rest
 */
export async function recordLines(lines: readonly DeliveredLine[], now: Date): Promise<{ recorded: number }> {
  let recorded = 0
  const records = occurrencesOf(lines).map(recordOf)
  for (const [domain, ofDomain] of Map.groupBy(records, (record) => record.domain))
    for (let at = 0; at < ofDomain.length; at += RECORDS_AT_A_TIME)
      recorded += await writeNew(domain, ofDomain.slice(at, at + RECORDS_AT_A_TIME), now)
  return { recorded }
}
