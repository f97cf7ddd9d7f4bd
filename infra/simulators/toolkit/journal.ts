import * as fs from 'node:fs'
import { ownText } from './own-text.ts'

/** A file of JSON lines with the state of a server: the last line about a subject counts. */
export interface Journal<Line> {
  /** Returns when the lines are in the file: a killed process loses none. */
  readonly write: (lines: readonly Line[]) => void
  /** Safe to repeat. */
  readonly close: () => void
}

export interface JournalFormat<Line> {
  /** The same text for lines about the same thing, its removal included. */
  readonly subjectOf: (line: Line) => string
  readonly isRemoval?: (line: Line) => boolean
  /** Replacer of `JSON.stringify` and reviver of `JSON.parse`. */
  readonly replace?: (name: string, value: unknown) => unknown
  readonly revive?: (name: string, value: unknown) => unknown
  /** Removes or changes lines when the file is opened. */
  readonly settle?: (lines: Line[]) => Line[]
}

const LINES_AT_ONCE = 20_000

/**
 * Opens a journal that only its owner can read, and reduces it to the lines that count.
 * @param file without it, nothing is written
 * @param take receives those lines, oldest subject first
 */
export function openJournal<Line>(
  file: string | undefined,
  format: JournalFormat<Line>,
  take: (line: Line) => void,
): Journal<Line> {
  if (file === undefined) return { write: () => undefined, close: () => undefined }
  const kept = lastLines(file, format)
  const lines = format.settle?.(kept) ?? kept
  const fresh = `${file}.new`
  const descriptor = fs.openSync(fresh, 'w', 0o600)
  const write = (more: readonly Line[]): void => {
    for (let start = 0; start < more.length; start += LINES_AT_ONCE) {
      const some = more.slice(start, start + LINES_AT_ONCE)
      fs.writeSync(descriptor, some.map((line) => `${JSON.stringify(line, format.replace)}\n`).join(''))
    }
  }
  write(lines)
  fs.renameSync(fresh, file)
  lines.forEach(take)
  let open = true
  const close = (): void => {
    if (open) fs.closeSync(descriptor)
    open = false
  }
  return { write, close }
}

function lastLines<Line>(file: string, format: JournalFormat<Line>): Line[] {
  if (!fs.existsSync(file)) return []
  const last = new Map<string, Line>()
  for (const text of fs.readFileSync(file, 'utf8').split('\n')) {
    const line = parse(text, format)
    if (line === undefined) continue
    if (format.isRemoval?.(line) === true) last.delete(format.subjectOf(line))
    else last.set(format.subjectOf(line), line)
  }
  return [...last.values()]
}

/** @returns `undefined` for an empty line and for an incomplete one, which a kill interrupted before it was answered */
function parse<Line>(text: string, { revive }: JournalFormat<Line>): Line | undefined {
  try {
    return ownText<Line>().read(text, revive)
  } catch {
    return undefined
  }
}

/** Whether a value is the `toJSON` form of a buffer, which replacers receive instead of the buffer. */
export const isBufferJson = (value: unknown): value is { data: number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
