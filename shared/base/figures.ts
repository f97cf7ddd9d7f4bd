import { setting } from './environment.ts'

/**
 * What a function answered, as figures: in memory until `take`, and in its log line as CloudWatch embedded metrics.
 * They never contain the id or name of a domain, key or caller.
 */

let ownName: string | undefined

/** Name of this function, the same in a deployment and on a laptop. Read once. */
export const functionName = (): string =>
  (ownName ??= (setting('AWS_LAMBDA_FUNCTION_NAME') ?? 'none').replace(/^keymgr-/, ''))

/** Operation of a call that was refused before its operation was known. */
export const NO_OPERATION = 'none'

/** Upper bounds of the histogram's buckets, in seconds. Longer calls appear only in the number of calls. */
export const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Names of sums. */
export const SUM = {
  /** calls by outcome: the status class (`2xx`), followed in a data plane by its outcome (`2xx success`) */
  calls: (end: string): string => `n|${end}`,
  /** microseconds of all calls */
  microseconds: 'us',
  /** spans of traces, by whether a collector accepted them */
  spans: (end: 'sent' | 'lost'): string => `s|${end}`,
  /** calls in the bucket with this upper bound, without those of lower buckets */
  upTo: (seconds: number): string => `b|${seconds}`,
} as const

/** Sums of one operation, by name. */
export type Sums = Readonly<Record<string, number>>
export type Counted = readonly (readonly [operation: string, sums: Sums])[]

/** Ours: how often figures are taken while there are calls. An instance that ends loses the latest. */
const KEEP_MS = 60_000

let counts = new Map<string, Record<string, number>>()
let sinceMs: number | undefined

/** Counts a call. @param end as in `SUM.calls` */
export function countCall(operation: string, end: string, ms: number): void {
  let sums = counts.get(operation)
  if (sums === undefined) counts.set(operation, (sums = {}))
  add(sums, SUM.calls(end), 1)
  add(sums, SUM.microseconds, Math.round(ms * 1_000))
  const bound = BOUNDS_SECONDS.find((seconds) => ms <= seconds * 1_000)
  if (bound !== undefined) add(sums, SUM.upTo(bound), 1)
}

/** Counts spans, of calls of any operation. */
export function countSpans(end: 'sent' | 'lost', count: number): void {
  let sums = counts.get(NO_OPERATION)
  if (sums === undefined) counts.set(NO_OPERATION, (sums = {}))
  add(sums, SUM.spans(end), count)
}

function add(sums: Record<string, number>, name: string, by: number): void {
  sums[name] = (sums[name] ?? 0) + by
}

/** Returns and clears the counts, at most once a minute by the clock of requests; `undefined` before. */
export function takeFigures(nowMs: number): Counted | undefined {
  sinceMs ??= nowMs
  // Both directions: a clock that was set back must not delay figures.
  if (counts.size === 0 || Math.abs(nowMs - sinceMs) < KEEP_MS) return undefined
  const taken = [...counts]
  counts = new Map()
  sinceMs = nowMs
  return taken
}

export const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`

/** Namespace of the metrics in CloudWatch. */
export const NAMESPACE = 'keymgr'

interface Metric {
  readonly Name: string
  readonly Unit: 'Milliseconds' | 'Count' | 'Seconds'
}

/**
 * The `_aws` member of a line whose other members are metrics and dimensions, without its time: the part common to all
 * lines.
 * @param metrics each with the sets of its dimensions, which the line must contain. Each combination of dimension
 * values is billed as a metric of its own for each hour in which it occurs
 * @see
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const directiveOf = (
  ...metrics: readonly { readonly dimensions: readonly (readonly string[])[]; readonly metrics: readonly Metric[] }[]
): string =>
  JSON.stringify(
    metrics.map(({ dimensions, metrics: Metrics }) => ({ Namespace: NAMESPACE, Dimensions: dimensions, Metrics })),
  )

/** The `_aws` member. @param directive from `directiveOf` */
export const embedded = (directive: string, epochMs: number): string =>
  `{"Timestamp":${epochMs},"CloudWatchMetrics":${directive}}`

/** The duration of a call in `ms`: its number of samples is the number of calls. */
export const DURATION: Metric = { Name: 'ms', Unit: 'Milliseconds' }
/** 1 for an answer of 5xx, else 0. 501 is caused by the request, not by an error of the service. */
export const errorsOf = (status: number): 0 | 1 => (status >= 500 && status !== 501 ? 1 : 0)
/** Number of error answers (`errorsOf`). */
export const ERRORS: Metric = { Name: 'errors', Unit: 'Count' }
