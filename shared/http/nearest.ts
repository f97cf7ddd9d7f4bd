/** Ours: longer names are not compared, so that a request is cheap whatever its names are. */
const COMPARED_CHARACTERS = 40
/** Ours: an answer lists this many names, and states the number of the others. */
const LISTED_MOST = 40

/**
 * Number of characters to insert, delete, replace or swap with their neighbour. Letters are compared without case.
 * @see Damerau, Communications of the ACM 7 (1964)
 */
function distance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      let least = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[other.length] ?? 0
}

/** The name most like a given one; `undefined` if none differs by at most a third of its characters. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  if (given.length > COMPARED_CHARACTERS) return undefined
  const most = Math.max(1, Math.floor(given.length / 3))
  let best: { name: string; steps: number } | undefined
  for (const name of known) {
    if (Math.abs(name.length - given.length) > most) continue
    const steps = distance(given.toLowerCase(), name.toLowerCase())
    if (steps <= most && steps < (best?.steps ?? Infinity)) best = { name, steps }
  }
  return best?.name
}

/** A list of names for a message, shortened if it is long. */
export const listNames = (names: readonly string[]): string =>
  names.slice(0, LISTED_MOST).join(', ') + (names.length > LISTED_MOST ? ` and ${names.length - LISTED_MOST} more` : '')

/** A hint at the probably intended name, to be appended to a sentence; empty if there is none. */
export function hintAt(given: string, known: readonly string[]): string {
  const meant = nearest(given, known)
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

/**
 * Ours: maximum number of characters in which an address may differ from the intended one, in all its segments
 * together.
 */
const PATH_STEPS_MOST = 4

/**
 * The address that is most similar to a given one; `undefined` if none is.
 * @param patterns with `{name}` for any segment
 */
export function nearestPath(path: string, patterns: readonly string[]): string | undefined {
  const given = path.replace(/\/$/, '').split('/')
  if (given.some((part) => part.length > COMPARED_CHARACTERS)) return undefined
  let best: { address: string; steps: number } | undefined
  for (const pattern of patterns) {
    const parts = pattern.split('/')
    if (parts.length !== given.length) continue
    let steps = 0
    for (const [at, part] of parts.entries())
      if (!part.startsWith('{') && steps <= PATH_STEPS_MOST) steps += distance(given[at] ?? '', part)
    if (steps <= PATH_STEPS_MOST && steps < (best?.steps ?? Infinity)) best = { address: pattern, steps }
  }
  return best?.address
}
