/** A priority queue by time; values of the same time keep their order of insertion. */
export interface TimeHeap<T> {
  /** @param at in milliseconds */
  readonly push: (at: number, value: T) => void
  readonly first: () => { readonly at: number; readonly value: T } | undefined
  readonly pop: () => void
  /** In no particular order. */
  readonly all: () => readonly T[]
}

interface Entry<T> {
  readonly at: number
  readonly turn: number
  readonly value: T
}

/** A binary heap: each step takes logarithmic time in the number of entries. */
export function timeHeap<T>(): TimeHeap<T> {
  const entries: Entry<T>[] = []
  let turn = 0
  const isBefore = (one: number, other: number): boolean => {
    const [left, right] = [entries[one], entries[other]]
    if (left === undefined || right === undefined) return left !== undefined
    return left.at < right.at || (left.at === right.at && left.turn < right.turn)
  }
  const swap = (one: number, other: number): void => {
    const [left, right] = [entries[one], entries[other]]
    if (left === undefined || right === undefined) return
    entries[one] = right
    entries[other] = left
  }
  const rise = (place: number): void => {
    for (let child = place; child > 0;) {
      const parent = (child - 1) >> 1
      if (!isBefore(child, parent)) return
      swap(child, parent)
      child = parent
    }
  }
  const sink = (): void => {
    for (let parent = 0; ;) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      const child = isBefore(right, left) ? right : left
      if (!isBefore(child, parent)) return
      swap(child, parent)
      parent = child
    }
  }
  return {
    push: (at, value) => {
      entries.push({ at, turn: turn++, value })
      rise(entries.length - 1)
    },
    first: () => entries[0],
    pop: () => {
      const last = entries.pop()
      if (last === undefined || entries.length === 0) return
      entries[0] = last
      sink()
    },
    all: () => entries.map(({ value }) => value),
  }
}
