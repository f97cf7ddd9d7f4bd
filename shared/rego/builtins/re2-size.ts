/**
 * Estimates the number of instructions of a pattern before it is compiled: repeat counts multiply, and a thousand times
 * a thousand copies must not be compiled. Never below the true number by more than a small factor; the result for
 * malformed patterns is arbitrary.
 */
export function estimateInstructions(pattern: string): number {
  const groups: number[] = []
  let sum = 0
  let atom = 0
  const add = (size: number): void => {
    atom = size
    sum += size
  }
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]
    const repeat = character === '{' ? /^\{(\d{1,4})(?:,(\d{0,4}))?\}/.exec(pattern.slice(at, at + 12)) : null
    if (repeat !== null) {
      const times = Math.max(Number(repeat[1]), Number(repeat[2] ?? 0)) + 1
      sum += atom * (times - 1)
      atom *= times
      at += repeat[0].length - 1
    } else if (character === '(') {
      groups.push(sum)
      sum = 0
    } else if (character === ')') {
      const size = sum + 2
      sum = groups.pop() ?? 0
      add(size)
    } else if (character === '\\') {
      add(1)
      at = pattern[at + 2] === '{' ? closing(pattern, '}', at + 2) : at + 1
    } else if (character === '[') {
      add(1)
      at = closing(pattern, ']', at + (pattern[at + 1] === '^' ? 3 : 2))
    } else add(character === '|' || character === '*' || character === '+' || character === '?' ? atom && 1 : 1)
  }
  return groups.reduce((total, size) => total + size, sum)
}

/** Position of `end`, or the end of the pattern. Inside a class, a bracket after a backslash does not close it. */
function closing(pattern: string, end: string, from: number): number {
  for (let at = from; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1
    else if (pattern[at] === end) return at
  }
  return pattern.length
}
