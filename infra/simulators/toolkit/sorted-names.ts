/** Names in order, for paged lists; finding a place takes logarithmic time. */
export interface SortedNames {
  readonly add: (name: string) => void
  readonly addAll: (names: readonly string[]) => void
  readonly remove: (name: string) => void
  /** The first `count` names greater than `name`; without it, the first names of all. */
  readonly after: (name: string | undefined, count: number) => string[]
}

/** From this number on it is cheaper to sort again than to insert each name. */
const MANY = 100

export function sortedNames(): SortedNames {
  let names: string[] = []
  /** Index of `name`, or the index at which it would be inserted. */
  const placeOf = (name: string): number => {
    let low = 0
    let high = names.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((names[middle] ?? '') < name) low = middle + 1
      else high = middle
    }
    return low
  }
  const add = (name: string): void => {
    const place = placeOf(name)
    if (names[place] !== name) names.splice(place, 0, name)
  }
  return {
    add,
    addAll: (more) => {
      if (more.length < MANY) more.forEach(add)
      else names = [...new Set([...names, ...more])].sort()
    },
    remove: (name) => {
      const place = placeOf(name)
      if (names[place] === name) names.splice(place, 1)
    },
    after: (name, count) => {
      if (name === undefined) return names.slice(0, count)
      const place = placeOf(name)
      const start = names[place] === name ? place + 1 : place
      return names.slice(start, start + count)
    },
  }
}
