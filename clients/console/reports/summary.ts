import type { PageOf } from '../list/pages.ts'
import type { Report, ReportLine } from '../clouds/reports.ts'

/** Lines per page, and the maximum number of lines that are read for charts. Only counts are kept. */
const PAGE = 1_000
export const COUNTED_MOST = 20_000

const DAY_MS = 86_400_000
/** Bars of a chart over time. */
const SPANS = 24
/** Maximum number of names in a chart; all other names are one bar. */
const NAMES = 8

/** Age ranges in days, youngest first; the last range is open. */
const AGES = [
  { title: 'up to 30 days', to: 30 },
  { title: '30 to 90 days', to: 90 },
  { title: '90 days to a year', to: 365 },
  { title: 'over a year', to: Infinity },
] as const

/** Values by label, in the order in which they are drawn. */
export interface Tally {
  readonly labels: readonly string[]
  readonly succeeded: readonly number[]
  readonly refused: readonly number[]
}

export interface Summary {
  readonly counted: number
  readonly total: number
  readonly byActivity: Tally
  readonly byError: Tally
  /** by time, or by age in a report on ages */
  readonly byTime: Tally
  readonly byUser: Tally
}

class Counter {
  readonly #counts = new Map<string, [succeeded: number, refused: number]>()

  add(label: string, isRefused: boolean): void {
    const counts = this.#counts.get(label) ?? [0, 0]
    counts[isRefused ? 1 : 0] += 1
    this.#counts.set(label, counts)
  }

  /** In the given order, or the most frequent first. */
  tally(order?: readonly string[]): Tally {
    const bySize = [...this.#counts].toSorted(([, a], [, b]) => b[0] + b[1] - a[0] - a[1]).map(([label]) => label)
    const labels = order ?? bySize.slice(0, NAMES)
    const rest = order === undefined ? bySize.slice(NAMES) : []
    const of = (names: readonly string[], at: 0 | 1): number =>
      names.reduce((sum, name) => sum + (this.#counts.get(name)?.[at] ?? 0), 0)
    const groups = [...labels.map((label) => [label]), ...(rest.length > 0 ? [rest] : [])]
    return {
      labels: [...labels, ...(rest.length > 0 ? ['all others'] : [])],
      succeeded: groups.map((names) => of(names, 0)),
      refused: groups.map((names) => of(names, 1)),
    }
  }
}

/** Labels of time ranges, and a function from a time to its label. */
function spansOf({ report_type, start_time, end_time }: Report): {
  readonly labels: readonly string[]
  readonly of: (time: string) => string
} {
  const [from, to] = [Date.parse(start_time), Date.parse(end_time)]
  if (report_type === 'key-aging')
    return {
      labels: AGES.map(({ title }) => title),
      of: (time) => AGES.find((age) => to - Date.parse(time) < age.to * DAY_MS)?.title ?? AGES[3].title,
    }
  const span = Math.max(1, (to - from) / SPANS)
  const labels = Array.from({ length: SPANS }, (_, at) => labelAt(from + at * span, span))
  return {
    labels,
    of: (time) => labels[Math.min(SPANS - 1, Math.max(0, Math.floor((Date.parse(time) - from) / span)))] ?? '',
  }
}

const labelAt = (time: number, span: number): string => {
  const iso = new Date(time).toISOString()
  return span >= DAY_MS ? iso.slice(0, 10) : `${iso.slice(5, 10)} ${iso.slice(11, 16)}`
}

/** Reads the lines of a report and counts them. @param load loads one page of its lines */
export async function summarize(
  report: Report,
  load: (skip: number, limit: number) => Promise<PageOf<ReportLine>>,
): Promise<Summary> {
  const [byActivity, byError, byTime, byUser] = [new Counter(), new Counter(), new Counter(), new Counter()]
  const spans = spansOf(report)
  let [counted, total] = [0, Infinity]
  while (counted < Math.min(total, COUNTED_MOST)) {
    const page = await load(counted, PAGE)
    total = page.total
    counted = Math.min(counted + Math.max(page.limit, 1), total)
    for (const { key_activity, error_code, modified_time, user_name } of page.resources) {
      const isRefused = error_code !== undefined
      byActivity.add(key_activity, isRefused)
      byTime.add(spans.of(modified_time), isRefused)
      if (user_name !== '') byUser.add(user_name, isRefused)
      if (isRefused) byError.add(error_code, true)
    }
  }
  return {
    ...{ counted, total: counted === 0 ? 0 : total, byActivity: byActivity.tally(), byError: byError.tally() },
    ...{ byTime: byTime.tally(spans.labels), byUser: byUser.tally() },
  }
}
