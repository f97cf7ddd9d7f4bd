/** One character of a pattern and its repetition: once, once or more (`+`), or any number of times (`*`). */
interface Token {
  /** ranges of code points, both ends inclusive */
  readonly ranges: readonly (readonly [number, number])[]
  readonly repeat: '' | '+' | '*'
}

const EVERYTHING: Token['ranges'] = [[0, 0x10ffff]]

/**
 * Whether some non-empty text matches both patterns. Patterns consist of plain characters, `.`, `[a-z0]`, `+`, `*` and
 * `\`. The cost is the product of the two lengths.
 * @returns undefined if a pattern is malformed
 */
export function globsOverlap(left: string, right: string): boolean | undefined {
  const a = tokens(left)
  const b = tokens(right)
  if (a === undefined || b === undefined) return undefined
  // A state is a pair of positions and whether a character was consumed yet; each is visited once.
  const columns = b.length + 1
  const states = (a.length + 1) * columns
  const seen = new Uint8Array(2 * states)
  const waiting = [0]
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (seen[state] === 1) continue
    seen[state] = 1
    const taken = state >= states ? states : 0
    const i = Math.floor((state - taken) / columns)
    const j = (state - taken) % columns
    if (i === a.length && j === b.length && taken > 0) return true
    const [x, y] = [a[i], b[j]]
    if (x?.repeat === '*') waiting.push(taken + (i + 1) * columns + j)
    if (y?.repeat === '*') waiting.push(taken + i * columns + j + 1)
    if (x === undefined || y === undefined || !intersects(x.ranges, y.ranges)) continue
    // One character for both; a repeated token may consume it and stay.
    waiting.push(states + (i + 1) * columns + j + 1)
    if (x.repeat !== '') waiting.push(states + i * columns + j + 1)
    if (y.repeat !== '') waiting.push(states + (i + 1) * columns + j)
    if (x.repeat !== '' && y.repeat !== '') waiting.push(states + i * columns + j)
  }
  return false
}

const intersects = (a: Token['ranges'], b: Token['ranges']): boolean =>
  a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high))

function tokens(pattern: string): Token[] | undefined {
  const characters = Array.from(pattern)
  const found: Token[] = []
  for (let at = 0; at < characters.length;) {
    const token = characters[at] === '[' ? set(characters, at + 1) : single(characters, at)
    if (token === undefined) return undefined
    const flag = characters[token.end]
    const repeat = flag === '+' || flag === '*' ? flag : ''
    at = token.end + repeat.length
    found.push({ ranges: token.ranges, repeat })
  }
  return found
}

interface Read {
  readonly ranges: Token['ranges']
  /** where the token ends */
  readonly end: number
}

/** A plain character, or one after a backslash. */
function single(characters: readonly string[], at: number): Read | undefined {
  const character = characters[at]
  if (character === '.') return { ranges: EVERYTHING, end: at + 1 }
  if (character === '+' || character === '*' || character === ']') return undefined // nothing to repeat, nothing to close
  const code = characters[character === '\\' ? at + 1 : at]?.codePointAt(0)
  return code === undefined ? undefined : { ranges: [[code, code]], end: at + (character === '\\' ? 2 : 1) }
}

/** Characters and ranges up to the closing bracket. */
function set(characters: readonly string[], start: number): Read | undefined {
  const ranges: [number, number][] = []
  const read = (from: number): { code: number | undefined; end: number } => {
    const escaped = characters[from] === '\\'
    return { code: characters[escaped ? from + 1 : from]?.codePointAt(0), end: from + (escaped ? 2 : 1) }
  }
  for (let at = start; ;) {
    if (characters[at] === ']') return { ranges, end: at + 1 }
    const low = read(at)
    const isRange = characters[low.end] === '-'
    const high = isRange ? read(low.end + 1) : low
    const next = characters[low.end + 1]
    if (characters[at] === '-' || (isRange && (next === ']' || next === '-'))) return undefined
    if (low.code === undefined || high.code === undefined || high.code < low.code) return undefined
    ranges.push([low.code, high.code])
    at = high.end
  }
}
