/** A transitional state ends after this time, however few reads there are. */
export const DONE_AFTER_MS = 60_000

/** Whether a transitional state has ended: after enough reads, or by time. @param since and `now` in milliseconds */
export const isOver = ({ readsLeft }: { readsLeft: number }, since: number, now: number) =>
  readsLeft <= 0 || now - since >= DONE_AFTER_MS
