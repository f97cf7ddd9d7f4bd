import { addedBuckets, percentileOf, type Buckets } from '../base/histogram.ts'

/** Counted calls. The buckets count the durations of calls that were not refused. */
export interface Tally {
  readonly calls: number
  /** refusals for a reason of the caller, in time */
  readonly refused: number
  /** faults of the service */
  readonly errors: number
  /** other answers after the time limit */
  readonly late: number
  readonly buckets: Buckets
}

export const NO_CALLS: Tally = { calls: 0, refused: 0, errors: 0, late: 0, buckets: {} }

/** Calls of an endpoint by caller. Callers are unique. */
export interface Tallies {
  readonly callers: (Tally & { readonly caller: string })[]
  /** calls of all other callers */
  readonly others: Tally
}

/** Name of the row for all callers that are not counted separately. */
export const OTHER_CALLERS = '(others)'

/** Ours: number of callers that a record counts separately, which limits its size. */
export const CALLERS_MOST = 20

export const sumOf = (one: Tally, other: Tally): Tally => ({
  calls: one.calls + other.calls,
  refused: one.refused + other.refused,
  errors: one.errors + other.errors,
  late: one.late + other.late,
  buckets: addedBuckets(one.buckets, other.buckets),
})

/** The calls of all callers. */
export const wholeOf = ({ callers, others }: Tallies): Tally => callers.reduce<Tally>(sumOf, others)

/**
 * Adds up the calls of several periods or instances. Callers with the most calls keep a row each, all others share one.
 * The row of a caller lacks the calls that were counted among the others before.
 */
export function joined(all: readonly Tallies[]): Tallies {
  const byCaller = new Map<string, Tally>()
  const add = (caller: string, tally: Tally): unknown =>
    byCaller.set(caller, sumOf(byCaller.get(caller) ?? NO_CALLS, tally))
  for (const { callers, others } of all) {
    for (const { caller, ...tally } of callers) add(caller, tally)
    add(OTHER_CALLERS, others)
  }
  const others = byCaller.get(OTHER_CALLERS) ?? NO_CALLS
  byCaller.delete(OTHER_CALLERS)
  const ranked = [...byCaller].map(([caller, tally]) => ({ caller, ...tally })).sort((a, b) => b.calls - a.calls)
  return {
    callers: ranked.slice(0, CALLERS_MOST),
    others: ranked.slice(CALLERS_MOST).reduce<Tally>((sum, { caller: _, ...tally }) => sumOf(sum, tally), others),
  }
}

const rounded = (number: number, digits: number): number => Number(number.toFixed(digits))

/** The service level of some calls. Ours: refusals neither use the error budget nor add to it. */
export interface Level extends Omit<Tally, 'buckets'> {
  readonly p50_ms?: number
  readonly p99_ms?: number
  readonly budget_left: number
}

/** @param objective share of calls, refusals aside, that are to be answered in time and without a fault */
export function levelOf({ buckets, ...counts }: Tally, objective: number): Level {
  const { calls, refused, errors, late } = counts
  const allowed = (calls - refused) * (1 - objective)
  const [p50, p99] = [percentileOf(buckets, 0.5), percentileOf(buckets, 0.99)]
  return {
    ...counts,
    ...(p50 !== undefined && { p50_ms: rounded(p50, 2) }),
    ...(p99 !== undefined && { p99_ms: rounded(p99, 2) }),
    budget_left: errors + late === 0 ? 1 : rounded(1 - (errors + late) / allowed, 4),
  }
}
