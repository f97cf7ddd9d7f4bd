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

/** Last segments of addresses that end, stop or remove something. Such addresses are never suggested. */
const DESTRUCTIVE =
  /^(revoke|destroy|purge|reset|clear|cancel|give-up|logout|endsession|block|archive|disconnect|unlink|(disable|remove|delete)(-.*)?|(hard|soft)-delete|schedule-(destroy|deletion))$/

const isHarmless = (pattern: string): boolean => !DESTRUCTIVE.test(pattern.slice(pattern.lastIndexOf('/') + 1))

/**
 * Ours: maximum number of characters in which an address may differ from the intended one, in all its segments
 * together.
 */
const PATH_STEPS_MOST = 4

/** An address, and the verb of its operation, such as `rotate`. */
export interface Named {
  readonly pattern: string
  readonly verb: string
}

const fits = (given: readonly string[], pattern: readonly string[]): boolean =>
  given.length === pattern.length &&
  pattern.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))

/**
 * The pattern of the operation that the last part of `path` names by its verb, if its own last part is another:
 * `…/versions` for `…/rotate`.
 */
export function synonymOf(path: string, named: readonly Named[]): string | undefined {
  const given = path.replace(/\/$/, '').split('/')
  const word = given.at(-1)?.toLowerCase()
  return named.find(
    ({ pattern, verb }) =>
      verb === word && isHarmless(pattern) && fits(given.slice(0, -1), pattern.split('/').slice(0, -1)),
  )?.pattern
}

/**
 * The address that is most similar to a given one; `undefined` if none is. It never ends, stops or removes something.
 * @param patterns with `{name}` for any segment
 */
export function nearestPath(path: string, patterns: readonly string[]): string | undefined {
  const given = path.replace(/\/$/, '').split('/')
  if (given.some((part) => part.length > COMPARED_CHARACTERS)) return undefined
  let best: { address: string; steps: number } | undefined
  for (const pattern of patterns.filter(isHarmless)) {
    const parts = pattern.split('/')
    if (parts.length !== given.length) continue
    let steps = 0
    for (const [at, part] of parts.entries())
      if (!part.startsWith('{') && steps <= PATH_STEPS_MOST) steps += distance(given[at] ?? '', part)
    if (steps <= PATH_STEPS_MOST && steps < (best?.steps ?? Infinity)) best = { address: pattern, steps }
  }
  return best?.address
}
