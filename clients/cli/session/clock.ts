/** The time in milliseconds, which is comparable with that of other processes. */
export const now = (): number => performance.timeOrigin + performance.now()
