import { randomUUID } from 'node:crypto'
import { accessSync, constants, renameSync, statSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'

/** @throws Error of the system where `writeWhole` has no right or no folder to write in */
export function checkWritable(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error(`${file} is a folder`)
  accessSync(path.dirname(file), constants.W_OK)
}

/** Writes a file whole or not at all, for its owner alone: tokens, and answers that may hold what others must not read. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const beside = `${file}.${randomUUID()}`
  writeFileSync(beside, content, { mode: 0o600 })
  renameSync(beside, file)
}
