import type { Quota } from './call.ts'

/** Maximum number of calls per minute of one project. */
export type Rates = Readonly<Partial<Record<Quota, number>>>

/** Published quotas of new projects, per minute. */
const REAL_RATES: Rates = { read: 300, write: 60, use: 60_000, log: 60 }
const MINUTE_MS = 60_000

export interface Quotas {
  readonly set: (rates: 'off' | 'real' | Rates) => void
  /** Counts one call against the minute's quota. @returns whether it was within the quota */
  readonly allows: (quota: Quota, project: string) => boolean
}

/** Counts by whole minutes, as the cloud does. @param now in milliseconds */
export function createQuotas(now: () => number): Quotas {
  let rates: Rates = {}
  const counts = new Map<string, { minute: number; calls: number }>()
  return {
    set: (wanted) => {
      rates = wanted === 'off' ? {} : wanted === 'real' ? REAL_RATES : wanted
      counts.clear()
    },
    allows: (quota, project) => {
      const most = rates[quota]
      if (most === undefined) return true
      const name = `${quota} ${project}`
      const minute = Math.floor(now() / MINUTE_MS)
      const before = counts.get(name)
      const calls = before?.minute === minute ? before.calls : 0
      if (calls >= most) return false
      counts.set(name, { minute, calls: calls + 1 })
      return true
    },
  }
}
