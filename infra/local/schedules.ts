import type { ScheduleRow } from '../functions.ts'

const MINUTE_MS = 60_000

/**
 * Fires each schedule at its interval until the returned function is called, which waits for running starts. Ours:
 * while a start is running, the next one of the same schedule is skipped; the platform's scheduler would run both,
 * which the triggers support too.
 */
export function runSchedules(
  rows: readonly ScheduleRow[],
  fire: (trigger: ScheduleRow['trigger']) => Promise<unknown>,
) {
  const underWay = new Map<ScheduleRow['trigger'], Promise<unknown>>()
  const timers = rows.map(({ trigger, everyMinutes }) =>
    setInterval(() => {
      if (underWay.has(trigger)) return
      const started = fire(trigger)
        .catch(() => undefined) // logged where it failed; the next one tries again
        .finally(() => underWay.delete(trigger))
      underWay.set(trigger, started)
    }, everyMinutes * MINUTE_MS).unref(),
  )
  return async (): Promise<void> => {
    timers.forEach(clearInterval)
    await Promise.all(underWay.values())
  }
}
