import * as fs from 'node:fs'

/** The whole of one thing as it is now; without a value it is there no longer. */
export interface Line {
  readonly kind: 'ring' | 'key' | 'job' | 'account' | 'entry'
  readonly name: string
  readonly value?: unknown
}

export interface Journal {
  /** On disk, as far as the process is concerned, when it returns: a killed process loses nothing. */
  readonly write: (lines: readonly Line[]) => void
  readonly close: () => void
}

/** Writes nothing down. */
export const noJournal: Journal = { write: () => undefined, close: () => undefined }

const LINES_AT_ONCE = 5_000
/** Entries of audit logs that outlive a start; the oldest go first. */
const ENTRIES_MOST = 100_000

/**
 * Opens the journal of a simulator: JSON lines, only its owner may read them, for they hold key material. Reads what is
 * there, drops what later lines made void, and goes on from the shortened file.
 * @param take receives the lines that still hold, in the order in which things came to be
 */
export function openJournal(file: string, take: (line: Line) => void): Journal {
  const lines = lastLines(file)
  const fresh = `${file}.new`
  const descriptor = fs.openSync(fresh, 'w', 0o600)
  write(descriptor, lines)
  fs.renameSync(fresh, file)
  lines.forEach(take)
  return { write: (more) => write(descriptor, more), close: () => fs.closeSync(descriptor) }
}

function write(descriptor: number, lines: readonly Line[]): void {
  for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
    const some = lines.slice(start, start + LINES_AT_ONCE)
    fs.writeSync(descriptor, some.map((line) => `${JSON.stringify(line, asText)}\n`).join(''))
  }
}

function lastLines(file: string): Line[] {
  if (!fs.existsSync(file)) return []
  const last = new Map<string, Line>()
  for (const text of fs.readFileSync(file, 'utf8').split('\n')) {
    const line = parse(text)
    if (line === undefined) continue
    const subject = `${line.kind} ${line.name}`
    if (line.value === undefined) last.delete(subject)
    else last.set(subject, line)
  }
  const lines = [...last.values()]
  const spare = lines.filter(({ kind }) => kind === 'entry').length - ENTRIES_MOST
  let dropped = 0
  return lines.filter(({ kind }) => kind !== 'entry' || ++dropped > spare)
}

/** @returns `undefined` for the empty line at the end and for one that a kill cut short */
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text, fromText) as Line // written by `write`
  } catch {
    return undefined
  }
}

const BYTES = 'base64:'

/** `JSON.stringify` has called `toJSON` of a buffer already; what it makes of it is long. */
const asText = (_name: string, value: unknown): unknown =>
  isBufferJson(value) ? BYTES + Buffer.from(value.data).toString('base64') : value

const fromText = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(BYTES) ? Buffer.from(value.slice(BYTES.length), 'base64') : value

const isBufferJson = (value: unknown): value is { data: number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
