import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { CrmKeyType } from './param.ts'

interface Interval {
  readonly production: number
  readonly sandbox: number
}
const DAILY: Interval = { production: DAY_MS, sandbox: 4 * HOUR_MS }
const WEEKLY: Interval = { production: 7 * DAY_MS, sandbox: 7 * DAY_MS }

/** From the cloud's documents. */
const INTERVALS: Readonly<Record<CrmKeyType, Interval>> = {
  Data: DAILY,
  Analytics: DAILY,
  DeterministicData: { production: 7 * DAY_MS, sandbox: 4 * HOUR_MS },
  EventBus: WEEKLY,
  SearchIndex: WEEKLY,
}

/** Least time between two secrets of a type in an organization. */
export const leastMs = (type: CrmKeyType, { is_sandbox }: { readonly is_sandbox: boolean }): number =>
  INTERVALS[type][is_sandbox ? 'sandbox' : 'production']

/** `24 hours` or `7 days`. */
export const periodOf = (ms: number): string => (ms > DAY_MS ? `${ms / DAY_MS} days` : `${ms / HOUR_MS} hours`)
