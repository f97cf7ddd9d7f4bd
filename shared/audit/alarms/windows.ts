import type { Window } from './store.ts'

/** What a rule counts, and how many it takes. */
export interface Threshold {
  /** records */
  readonly threshold: number
  /** seconds */
  readonly interval: number
}

/**
 * The times of a window after one more record. Records come in the order of the log, which need not be that of their times:
 * the interval ends with the latest of them.
 */
export function counted(times: readonly number[], at: number, { threshold, interval }: Threshold): number[] {
  const all = [...times, at]
  const end = Math.max(...all)
  return all.filter((time) => time > end - interval * 1_000).slice(-threshold)
}

/** Ours: a rule that counts for each subject alone remembers so many of them in a domain. */
const WINDOWS_MOST = 1_000

/** The windows of a domain, by rule and subject. Those of rules that were changed or are gone are dropped. */
export class Windows {
  readonly #windows: Map<string, Window>

  constructor(stored: readonly Window[], rules: readonly { readonly id: string; readonly updatedAt: string }[]) {
    const sinces = new Map(rules.map(({ id, updatedAt }) => [id, updatedAt]))
    const valid = stored.filter(({ rule, since }) => sinces.get(rule) === since)
    this.#windows = new Map(valid.map((one) => [keyOf(one), one]))
  }

  /** Counts a record. @returns how many are within the interval; the window begins anew once they are enough */
  count(rule: Threshold & { id: string; updatedAt: string }, subject: string, at: number): number {
    const window = { rule: rule.id, since: rule.updatedAt, subject, times: [] }
    const key = keyOf(window)
    const times = counted(this.#windows.get(key)?.times ?? [], at, rule)
    this.#windows.delete(key) // the one counted last stands last
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
