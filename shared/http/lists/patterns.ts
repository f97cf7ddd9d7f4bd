/** Whether a text is a pattern: `*` matches any number of characters, `?` one. */
export const isPattern = (text: string): boolean => text.includes('*') || text.includes('?')

/** Position after the first occurrence at or after `from`; -1 if there is none. */
type Finder = (text: string, from: number) => number

/** Bits of a word, so that each of its states is a small integer. */
const BITS = 30
const LOWEST_BITS = 2 ** BITS - 1

/**
 * Searches a piece with `?` in one pass over the text (Shift-And, Baeza-Yates and Gonnet 1992): bit i of the state
 * means that the first i + 1 characters of the piece end at this character.
 */
function finderByBits(piece: string): Finder {
  const words = Math.ceil(piece.length / BITS)
  const anywhere = new Int32Array(words)
  const places = new Map<string, Int32Array>()
  for (const letter of new Set(piece)) places.set(letter, new Int32Array(words))
  for (let at = 0; at < piece.length; at++) {
    const letter = piece.charAt(at)
    const row = letter === '?' ? anywhere : places.get(letter)
    if (row) row[Math.floor(at / BITS)] = (row[Math.floor(at / BITS)] ?? 0) | (1 << (at % BITS))
  }
  const last = words - 1
  const complete = 1 << ((piece.length - 1) % BITS)
  return (text, from) => {
    const state = new Int32Array(words)
    for (let at = from; at < text.length; at++) {
      const row = places.get(text.charAt(at))
      let carry = 1
      for (let word = 0; word < words; word++) {
        const before = state[word] ?? 0
        const fits = (row?.[word] ?? 0) | (anywhere[word] ?? 0)
        state[word] = (((before << 1) & LOWEST_BITS) | carry) & fits
        carry = before >>> (BITS - 1)
      }
      if (((state[last] ?? 0) & complete) !== 0) return at + 1
    }
    return -1
  }
}

const ASCII = 128

/** The same for a piece that fits into one word, as most do; it needs no array for its state. */
function finderByWord(piece: string): Finder {
  const ascii = new Int32Array(ASCII)
  const others = new Map<number, number>()
  let anywhere = 0
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at)
    if (piece[at] === '?') anywhere |= 1 << at
    else if (code < ASCII) ascii[code] = (ascii[code] ?? 0) | (1 << at)
    else others.set(code, (others.get(code) ?? 0) | (1 << at))
  }
  const complete = 1 << (piece.length - 1)
  return (text, from) => {
    let state = 0
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const fits = (code < ASCII ? ascii[code] : others.get(code)) ?? 0
      state = ((state << 1) | 1) & (fits | anywhere)
      if ((state & complete) !== 0) return at + 1
    }
    return -1
  }
}

const finderOf = (piece: string): Finder =>
  piece.includes('?')
    ? piece.length <= BITS
      ? finderByWord(piece)
      : finderByBits(piece)
    : (text, from) => {
        const at = text.indexOf(piece, from)
        return at === -1 ? -1 : at + piece.length
      }

/** Whether a piece, without `*`, is at this position of the text. */
function isAt(piece: string, text: string, position: number): boolean {
  if (!piece.includes('?')) return text.startsWith(piece, position)
  for (let at = 0; at < piece.length; at++) if (piece[at] !== '?' && piece[at] !== text[position + at]) return false
  return true
}

function testOf(pattern: string): (text: string) => boolean {
  const pieces = pattern.split('*')
  const [first = ''] = pieces
  if (pieces.length === 1) return (text) => text.length === first.length && isAt(first, text, 0)
  const last = pieces.at(-1) ?? ''
  const finders = pieces
    .slice(1, -1)
    .filter((piece) => piece !== '')
    .map(finderOf)
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !isAt(first, text, 0) || !isAt(last, text, end)) return false
    let at = first.length
    for (const find of finders) {
      at = find(text, at)
      if (at === -1 || at > end) return false
    }
    return true
  }
}

/**
 * A test for texts that match any of these values; one without wildcards matches only itself. A pattern of m characters
 * and a text of n take time proportional to n, and with `?` to n × m / 30.
 */
export function patternTest(values: readonly string[]): (text: string) => boolean {
  const exact = new Set(values.filter((value) => !isPattern(value)))
  const tests = values.filter(isPattern).map(testOf)
  return (text) => exact.has(text) || tests.some((test) => test(text))
}
