import { randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file whole or not at all, for its owner alone: tokens, and answers that may hold what others must not read. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const beside = `${file}.${randomUUID()}`
  writeFileSync(beside, content, { mode: 0o600 })
  renameSync(beside, file)
}
