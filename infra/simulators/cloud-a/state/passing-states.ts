/** A passing state ends after this time, however seldom it is read. */
export const DONE_AFTER_MS = 60_000

/** Whether a passing state has ended: after enough reads, or by time. @param since and `now` in milliseconds */
export const isOver = ({ readsLeft }: { readsLeft: number }, since: number, now: number) =>
  readsLeft <= 0 || now - since >= DONE_AFTER_MS
