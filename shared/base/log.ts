/**
 * One JSON line per call to standard output, where the deployment collects it. Fields are chosen one by one: no bodies,
 * no headers, no tokens.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * JSON leaves these characters unescaped, and some readers end a line there: input of a caller must not begin a new
 * line.
 */
const LINE_ENDS = /[\u2028\u2029]/g
const escaped = (end: string): string => (end === '\u2028' ? '\\u2028' : '\\u2029')

/** Ours: lines beyond this many characters are written before the turn ends. */
const WAITING_CHARACTERS = 65_536

let waiting = ''
let isExitWatched = false

function writeWaiting(): void {
  const lines = waiting
  waiting = ''
  if (lines !== '') process.stdout.write(lines)
}

/**
 * Lines of one turn of the event loop leave in one write, because each write is a call of the kernel. They leave before
 * the turn ends: no instance is frozen, and no other event is received, while a line waits.
 */
function writeSoon(line: string): void {
  if (waiting === '') process.nextTick(writeWaiting)
  waiting += line
  if (waiting.length > WAITING_CHARACTERS) writeWaiting()
  if (isExitWatched) return
  isExitWatched = true
  process.on('exit', writeWaiting) // an error that ends the process ends the turn as well
}

/** @param metrics JSON of the member `_aws`, which declares some fields as metrics (`embedded` in `figures.ts`) */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: LogFields, metrics?: string): void {
  const rest = JSON.stringify(fields).slice(1) // separate from the two before: copying them together took a microsecond
  const head = metrics === undefined ? '' : `"_aws":${metrics},`
  const line = `{${head}"level":"${level}","message":${JSON.stringify(message)}${rest === '}' ? '' : ','}${rest}\n`
  writeSoon(line.search(LINE_ENDS) < 0 ? line : line.replace(LINE_ENDS, escaped))
}

/** An error with its causes, as log fields: names, messages and stacks, never the objects themselves. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const causes: string[] = []
  for (let cause = error.cause; cause instanceof Error && causes.length < 4; cause = cause.cause)
    causes.push(`${cause.name}: ${cause.message}`)
  return { error: error.name, detail: error.message, stack: error.stack, causes: causes.join(' <- ') || undefined }
}
