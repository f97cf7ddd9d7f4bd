import type { Window } from './store.ts'

/** Number of records within an interval that raises an alarm. */
export interface Threshold {
  /** number of records */
  readonly threshold: number
  /** seconds */
  readonly interval: number
}

/**
 * The times in a window after one more record. Records come in the order of the log, which may differ from the order of
 * their times: the interval ends with the latest time.
 */
export function counted(times: readonly number[], at: number, { threshold, interval }: Threshold): number[] {
  const all = [...times, at]
  const end = Math.max(...all)
  return all.filter((time) => time > end - interval * 1_000).slice(-threshold)
}

/** Ours: maximum number of subjects in a domain whose counts are kept. */
const WINDOWS_MOST = 1_000

/** The windows of a domain, by rule and subject. Windows of changed or deleted rules are dropped. */
export class Windows {
  readonly #windows: Map<string, Window>

  constructor(stored: readonly Window[], rules: readonly { readonly id: string; readonly updatedAt: string }[]) {
    const sinces = new Map(rules.map(({ id, updatedAt }) => [id, updatedAt]))
    const valid = stored.filter(({ rule, since }) => sinces.get(rule) === since)
    this.#windows = new Map(valid.map((one) => [keyOf(one), one]))
  }

  /**
   * Counts a record. @returns the number within the interval; when it reaches the threshold, the window starts from
   * zero
   */
  count(rule: Threshold & { id: string; updatedAt: string }, subject: string, at: number): number {
    const window = { rule: rule.id, since: rule.updatedAt, subject, times: [] }
    const key = keyOf(window)
    const times = counted(this.#windows.get(key)?.times ?? [], at, rule)
    this.#windows.delete(key) // the most recently counted window is last
    if (times.length < rule.threshold) this.#windows.set(key, { ...window, times })
    return times.length
  }

  forget(rule: { readonly id: string }, subject: string): void {
    this.#windows.delete(keyOf({ rule: rule.id, subject }))
  }

  stored(): Window[] {
    return [...this.#windows.values()].slice(-WINDOWS_MOST)
  }
}

const keyOf = ({ rule, subject }: Pick<Window, 'rule' | 'subject'>): string => `${rule} ${subject}`
