/** The limits of one call that takes several items. */
export interface BatchLimits {
  readonly items: number
  readonly bytes: number
}

/** `items` in batches within both limits, in order. An item that alone is too large has a batch of its own. */
export function inBatches<T>(items: readonly T[], limits: BatchLimits, bytesOf: (item: T) => number): T[][] {
  const batches: T[][] = []
  let left = 0
  for (const item of items) {
    const bytes = bytesOf(item)
    const last = batches.at(-1)
    if (last === undefined || last.length === limits.items || bytes > left) {
      batches.push([item])
      left = limits.bytes - bytes
    } else {
      last.push(item)
      left -= bytes
    }
  }
  return batches
}

/** Takes one item of each group in turn, until all groups are empty: no group waits for the end of a longer one. */
export function inTurn<T>(groups: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => groups.flatMap((group) => group.slice(at, at + 1))).flat()
}
