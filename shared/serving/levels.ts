import { errorsOf, functionName } from '../base/figures.ts'
import { bucketOf, FIRST_BUCKET, LAST_BUCKET } from '../base/histogram.ts'
import { log } from '../base/log.ts'
import { shortText } from '../base/short-text.ts'
import { HOUR_MS } from '../base/time.ts'
import { OTHER_CALLERS } from '../levels/tally.ts'
import type { AccessLog, FieldTable, LogRecord } from './access-log.ts'

/** Ours: how often the counts leave an instance while it has calls. An instance that ends loses the latest. */
const TELL_MS = 60_000
/** Ours: callers of an endpoint that an instance counts apart within that time; further ones are counted together. */
const CALLERS_MOST = 50
/** Ours: length to which a caller is named. */
const CALLER_CHARACTERS = 256

/** The calls of one caller to one endpoint: the fields of a tally, with an array in place of its named buckets. */
class Counts {
  calls = 0
  refused = 0
  errors = 0
  late = 0
  readonly buckets = new Uint32Array(LAST_BUCKET - FIRST_BUCKET + 1)
}

interface Counted {
  readonly domain: string
  readonly callers: Map<string, Counts>
}

let endpoints = new Map<string, Counted>()
let hour = 0
let sinceMs = 0

/** The first known field that names the caller; empty if none does. */
function callerOf(names: readonly string[], record: Readonly<Record<string, unknown>>): string {
  for (const name of names) {
    const value = record[name]
    if (typeof value === 'string') return value
  }
  return ''
}

function countsOf(callers: Map<string, Counts>, caller: string): Counts {
  const known = callers.get(caller)
  if (known !== undefined) return known
  if (callers.size >= CALLERS_MOST && caller !== OTHER_CALLERS) return countsOf(callers, OTHER_CALLERS)
  const made = new Counts()
  callers.set(caller, made)
  return made
}

/**
 * Counts an answered call of a known endpoint, in memory. Ours: every fault of the service counts as an error, every
 * other answer after the time limit as late, and every other refusal as the caller's.
 */
function count(
  limitMs: number,
  counts: Counts,
  { status, ms }: { readonly status: number; readonly ms: number },
): void {
  counts.calls++
  if (errorsOf(status) === 1) counts.errors++
  else if (ms > limitMs) counts.late++
  else if (status >= 400) {
    counts.refused++
    return
  }
  const at = bucketOf(ms) - FIRST_BUCKET
  counts.buckets[at] = (counts.buckets[at] ?? 0) + 1
}

/**
 * Counts a call for the service level of its endpoint, and writes the counts of the last minute to the log: a data
 * plane may not write to the table. A call whose endpoint is not known is not counted.
 */
export function countLevel<Fields extends FieldTable>(
  { levels, callers }: AccessLog<Fields>,
  record: LogRecord<FieldTable>,
  answered: { readonly status: number; readonly ms: number },
  epochMs: number,
): void {
  const { domain } = record
  const endpoint = record[levels.endpoint]
  if (domain === undefined || typeof endpoint !== 'string') return
  const hourNow = Math.floor(epochMs / HOUR_MS)
  if (hourNow !== hour) {
    tellLevels()
    ;[hour, sinceMs] = [hourNow, epochMs]
  }
  let counted = endpoints.get(endpoint)
  if (counted === undefined) endpoints.set(endpoint, (counted = { domain, callers: new Map() }))
  count(levels.limitMs, countsOf(counted.callers, callerOf(callers, record)), answered)
  // Both directions: a clock that was set back must not delay counts.
  if (Math.abs(epochMs - sinceMs) < TELL_MS) return
  tellLevels()
  sinceMs = epochMs
}

/** Counts of buckets by number, without empty ones. */
const bucketsOf = (counts: Uint32Array): Record<string, number> =>
  Object.fromEntries([...counts].flatMap((each, at) => (each === 0 ? [] : [[at + FIRST_BUCKET, each]])))

/** One line for each endpoint, so that none exceeds the length of a log event. */
function tellLevels(): void {
  const told = endpoints
  endpoints = new Map()
  for (const [endpoint, { domain, callers }] of told) {
    const levels = {
      ...{ domain, endpoint, from: new Date(hour * HOUR_MS).toISOString() },
      callers: [...callers].map(([caller, { calls, refused, errors, late, buckets }]) => ({
        ...{ caller: shortText(caller, CALLER_CHARACTERS), calls, refused, errors, late },
        buckets: bucketsOf(buckets),
      })),
    }
    log('info', 'service levels', { function: functionName(), levels: JSON.stringify(levels) })
  }
}
