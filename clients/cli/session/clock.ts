/** The time of day in milliseconds, as other processes see it as well. */
export const now = (): number => performance.timeOrigin + performance.now()
