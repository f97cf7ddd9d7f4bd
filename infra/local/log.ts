import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs'
import { once } from 'node:events'
import * as path from 'node:path'
import { fieldsOf } from '../simulators/toolkit/json-body.ts'

/** A line and its source: a function's name, or `keymgr` for the deployment itself. */
export interface LogLine {
  readonly source: string
  readonly text: string
  /** Warnings and errors are also shown on the terminal. */
  readonly warns: boolean
}

export interface Log {
  readonly write: (source: string, text: string, options?: { warns?: boolean }) => void
  readonly lines: () => readonly LogLine[]
  readonly close: () => Promise<void>
}

/** Number of lines in memory for `logs()`; the file has them all. */
const KEPT_LINES = 20_000
/** Ours: the next start renames a file above this size; one former file is kept. */
const ROTATE_ABOVE_BYTES = 50 * 1024 * 1024

const WARNING_LEVELS = new Set(['warn', 'warning', 'error', 'critical', 'fatal'])

/** Whether a line is a warning: by its level if it is JSON, else by its stream. */
export function warns(text: string, stream: 'stdout' | 'stderr'): boolean {
  if (text.startsWith('{')) {
    try {
      const { level } = fieldsOf(JSON.parse(text))
      if (typeof level === 'string') return WARNING_LEVELS.has(level.toLowerCase())
    } catch {
      // The line is not JSON, so its stream decides.
    }
  }
  return stream === 'stderr'
}

/** @param options `file` receives every line, `onLine` is called with each line at once */
export function createLog(options: { file?: string; onLine?: (line: LogLine) => void }): Log {
  const kept: LogLine[] = []
  const { file, onLine } = options
  if (file !== undefined && existsSync(file) && statSync(file).size > ROTATE_ABOVE_BYTES) renameSync(file, `${file}.1`)
  const stream = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 })
  let failed = false
  stream?.on('error', (error) => {
    // A full disk must not end the deployment: it is reported once, then lines are kept in memory only.
    if (failed) return
    failed = true
    onLine?.({ source: 'keymgr', text: `cannot write ${path.basename(String(file))}: ${error.message}`, warns: true })
  })
  return {
    write(source, text, { warns = false } = {}) {
      const line = { source, text, warns }
      kept.push(line)
      if (kept.length > KEPT_LINES) kept.splice(0, kept.length - KEPT_LINES)
      if (!failed) stream?.write(`${source} ${text}\n`)
      onLine?.(line)
    },
    lines: () => kept,
    async close() {
      if (stream === undefined || failed) return
      stream.end()
      if (!stream.closed) await once(stream, 'close').catch(() => undefined)
    },
  }
}
