import { dueAfter } from '../../../base/attempts.ts'
import { inBatches } from '../../../base/batches.ts'
import { defined, without } from '../../../base/fields.ts'
import { resourceUri, uuidOf } from '../../../base/ids.ts'
import { HOUR_MS, type Sweep } from '../../../base/time.ts'
import type { AuditRecord } from '../../../http/audit/model.ts'
import { auditRecord, OWN_WORK } from '../../../http/audit/record.ts'
import { auditRecords } from '../../../http/audit/store.ts'
import { sequencedRecords, treeSize } from '../../log/read.ts'
import { propertyValue } from '../../properties/store.ts'
import { type LogCursor } from '../forwarders/store.ts'
import { NotDelivered } from '../send/not-delivered.ts'
import { cursorOf, isResting, takeCursor } from './cursor.ts'
import type { Receiver } from './receiver.ts'

/** A target, and a domain whose log it receives. */
export interface Pair {
  /** the target's domain */
  readonly domain: string
  readonly receiver: Receiver
  readonly source: string
  /** start of the records to send */
  readonly since: string
}

const PAGE_RECORDS = 200
const BATCH = { items: 100, bytes: 1024 * 1024 }
/** Ours: maximum duration of a turn, so that other targets get their turns. */
const TURN_MS = 30_000

interface Placed {
  readonly position: number
  readonly record: AuditRecord
}

/** Progress of a turn. */
interface Progress {
  readonly position: number
  readonly sent: number
  readonly failure?: NotDelivered
}

/** Records for a target from a position, and the position of the next ones. */
async function wantedFrom({ source, receiver }: Pair, position: number): Promise<{ wanted: Placed[]; next: number }> {
  const { records, next } = await sequencedRecords(source, position, PAGE_RECORDS)
  const wanted = records.flatMap(({ position: at, record }) =>
    record !== undefined && receiver.wants(record) ? [{ position: at, record }] : [],
  )
  return { wanted, next }
}

const bytesOf = ({ record }: Placed): number => Buffer.byteLength(JSON.stringify(record))

/** Sends one batch, with an id that is the same when the batch is sent again. */
async function sendBatch({ source, receiver }: Pair, batch: readonly Placed[], now: Date): Promise<void> {
  const [first, last] = [batch[0], batch.at(-1)]
  if (first === undefined || last === undefined) return
  const seed = `${receiver.id} ${source} ${first.position} ${last.position}`
  const delivery = uuidOf(new Date(first.record.createdAt), seed)
  await receiver.send({ delivery, domain: source, records: batch.map(({ record }) => record) }, now)
}

/** Sends the records from a position in order, until the end, the time limit, or a failure. */
async function sendFrom(pair: Pair, from: number, { now, hasTime }: Sweep): Promise<Progress> {
  const end = performance.now() + TURN_MS
  let [position, sent] = [from, 0]
  while (hasTime() && performance.now() < end) {
    const { wanted, next } = await wantedFrom(pair, position)
    for (const batch of inBatches(wanted, BATCH, bytesOf)) {
      try {
        await sendBatch(pair, batch, now)
      } catch (failure) {
        if (!(failure instanceof NotDelivered)) throw failure
        return { position, sent, failure }
      }
      position = (batch.at(-1)?.position ?? position) + 1
      sent += batch.length
      if (performance.now() >= end) return { position, sent }
    }
    if (next === position && wanted.length === 0) break
    position = next
  }
  return { position, sent }
}

/**
 * Skips records that are too old to be sent. @returns the position of the first other record, and the number of skipped
 * ones
 */
async function passOld(
  pair: Pair,
  from: number,
  retriedMs: number,
  { now, hasTime }: Sweep,
): Promise<{ position: number; dropped: number }> {
  let [position, dropped] = [from, 0]
  while (hasTime()) {
    const { wanted, next } = await wantedFrom(pair, position)
    const young = wanted.findIndex(({ record }) => Date.parse(record.createdAt) > now.getTime() - retriedMs)
    if (young !== -1) return { position: wanted[young]?.position ?? position, dropped: dropped + young }
    dropped += wanted.length
    if (next === position) break
    position = next
  }
  return { position, dropped }
}

/** The cursor after a failure. */
function failed(cursor: LogCursor, { position, sent, failure }: Progress, now: Date): LogCursor {
  const failures = sent > 0 ? 1 : cursor.failures + 1
  const since = sent > 0 ? undefined : cursor.failing_since
  // a clock that was ahead may have stored a future time
  const isPast = since !== undefined && Date.parse(since) <= now.getTime()
  return {
    ...cursor,
    ...{ position, failures },
    failing_since: isPast ? since : now.toISOString(),
    retry_at: dueAfter('delivery', failures, now),
    last_error: failure?.message,
    ...(sent > 0 && { last_sent_at: now.toISOString() }),
  }
}

/**
 * Ours: number of consecutive failures after which a target counts as unreachable; with the pauses in between, about
 * four minutes.
 */
const UNREACHABLE_AFTER = 4

interface Undelivered {
  readonly message: string
  readonly action: string
  readonly errorMessage: string
  /** number of dropped records */
  readonly count?: number
}

const undelivered = (
  { domain, receiver, source }: Pair,
  { message, action, errorMessage, count }: Undelivered,
  now: Date,
): AuditRecord =>
  auditRecord(domain, now, {
    severity: 'error',
    service: 'configs',
    message,
    success: false,
    errorMessage,
    details: {
      action,
      resource_uri: receiver.uri,
      ...defined({ count }),
      source: resourceUri(domain, 'domains', 'domains', source),
    },
    ...OWN_WORK,
  })

const unreachable = (pair: Pair, { failures, last_error = '' }: LogCursor, now: Date): AuditRecord | undefined =>
  failures === UNREACHABLE_AFTER
    ? undelivered(
        pair,
        {
          message: 'Find Forwarder Unreachable',
          action: 'find-forwarder-unreachable',
          errorMessage: `${failures} attempts in a row failed: ${last_error}`,
        },
        now,
      )
    : undefined

const dropped = (pair: Pair, count: number, hours: number, { last_error = '' }: LogCursor, now: Date): AuditRecord =>
  undelivered(
    pair,
    {
      message: 'Drop Forwarded Records',
      action: 'drop-forwarded-records',
      errorMessage: `${count} records were not delivered within ${hours} hours: ${last_error}`,
      count,
    },
    now,
  )

/**
 * The cursor after a turn. If the target has failed for the whole retry time, drops the records that are older than it.
 */
async function concluded(pair: Pair, cursor: LogCursor, progress: Progress, sweep: Sweep): Promise<Changed> {
  const { now } = sweep
  if (progress.failure === undefined) {
    const rested = without(cursor, 'failing_since', 'retry_at', 'last_error')
    const sentAt = progress.sent > 0 ? { last_sent_at: now.toISOString() } : {}
    return { item: { ...rested, ...sentAt, position: progress.position, failures: 0 } }
  }
  const item = failed(cursor, progress, now)
  const hours = await propertyValue('log_forwarding_retry_hours', now)
  if (now.getTime() - Date.parse(item.failing_since ?? '') < hours * HOUR_MS)
    return { item, alarm: unreachable(pair, item, now) }
  const { position, dropped: count } = await passOld(pair, progress.position, hours * HOUR_MS, sweep)
  return { item: { ...item, position }, ...(count > 0 && { alarm: dropped(pair, count, hours, item, now) }) }
}

interface Changed {
  readonly item: LogCursor
  readonly alarm?: AuditRecord | undefined
}

/**
 * One turn of a target in the log of a domain. After an interruption at any step, some records are sent again, in
 * order.
 * @returns the number of delivered records
 * @throws Stale when another turn was faster, or the target changed
 */
export async function deliver(pair: Pair, sweep: Sweep): Promise<number> {
  const { domain, receiver, source, since } = pair
  const { now } = sweep
  const before = await cursorOf(domain, receiver.id, { source, since })
  if (isResting(before.item, now)) return 0
  if (before.rev > 0 && before.item.position >= (await treeSize(source))) return 0
  const lease = await takeCursor(domain, before, now)
  const progress = await sendFrom(pair, lease.item.position, sweep)
  const { item, alarm } = await concluded(pair, lease.item, progress, sweep)
  await lease.release(
    () => item,
    (changes) => alarm && changes.create(auditRecords, domain, alarm),
  )
  return progress.sent
}
