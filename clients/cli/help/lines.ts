const WIDTH = 100
const NAME = 36

/** Breaks words into lines of limited length. */
export function wrapped(text: string, indent = ''): string[] {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    if (line.trim() !== '' && line.length + word.length + 1 > WIDTH) {
      lines.push(line)
      line = indent
    }
    line += line.trim() === '' ? word : ` ${word}`
  }
  return line.trim() === '' ? lines : [...lines, line]
}

/** Names on the left, their explanations on the right, or below a long name. */
export function rows(pairs: readonly (readonly [string, string])[]): string[] {
  const widest = Math.min(NAME, Math.max(0, ...pairs.map(([name]) => name.length)))
  const indent = ' '.repeat(widest + 4)
  return pairs.flatMap(([name, about]) => {
    const lines = wrapped(about, indent)
    const [first = ''] = lines
    if (name.length > widest) return [`  ${name}`, ...lines]
    return [`  ${name.padEnd(widest)}  ${first.slice(indent.length)}`.trimEnd(), ...lines.slice(1)]
  })
}
