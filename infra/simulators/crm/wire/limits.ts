/** A number of events within a period that ends now. */
export interface SlidingLimit {
  /** Counts an event, unless the limit is reached. */
  readonly allows: (name: string) => boolean
  readonly countOf: (name: string) => number
  readonly most: () => number
  readonly set: (most: number) => void
}

/** @param now in milliseconds */
export function createSlidingLimit(now: () => number, { most, periodMs }: { most: number; periodMs: number }) {
  const times = new Map<string, number[]>()
  let limit = most
  const recent = (name: string): number[] => {
    const start = now() - periodMs
    const kept = times.get(name) ?? []
    const first = kept.findIndex((time) => time > start)
    kept.splice(0, first === -1 ? kept.length : first)
    times.set(name, kept)
    return kept
  }
  const sliding: SlidingLimit = {
    allows: (name) => {
      const kept = recent(name)
      if (kept.length >= limit) return false
      kept.push(now())
      return true
    },
    countOf: (name) => recent(name).length,
    most: () => limit,
    set: (wanted) => {
      limit = wanted
    },
  }
  return sliding
}
