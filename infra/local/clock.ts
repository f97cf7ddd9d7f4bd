/** The deployment's time. Functions read it from `timeEpoch` and `scheduled_time`, so tests move it instead of waiting. */
export interface Clock {
  readonly now: () => Date
  /** Sets the time to `date`; it continues from there. */
  readonly set: (date: Date) => void
  readonly advance: (milliseconds: number) => void
}

export function createClock(): Clock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    set: (date) => {
      offsetMs = date.getTime() - Date.now()
    },
    advance: (milliseconds) => {
      offsetMs += milliseconds
    },
  }
}
