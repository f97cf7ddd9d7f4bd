import { randomUUID } from 'node:crypto'
import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'

const statOf = (file: string) => statSync(file, { throwIfNoEntry: false })

/** Whether it is a device, a pipe or a folder, which a file cannot replace. */
const isSpecial = (file: string): boolean => statOf(file)?.isFile() === false

/** The target of a symbolic link, or else the file itself. */
const behindLinks = (file: string): string => (statOf(file) === undefined ? file : realpathSync(file))

/** @throws Error of the system where `writeWhole` lacks the right or the folder to write */
export function checkWritable(file: string): void {
  if (statOf(file)?.isDirectory() === true) throw new Error(`${file} is a folder`)
  accessSync(isSpecial(file) ? file : path.dirname(behindLinks(file)), constants.W_OK)
}

/**
 * Writes a file atomically, readable only by its owner: tokens, and answers that others must not read. Symbolic links
 * are followed; a device receives the content directly.
 */
export function writeWhole(file: string, content: string | Uint8Array): void {
  if (isSpecial(file)) return writeFileSync(file, content)
  const target = behindLinks(file)
  const beside = `${target}.${randomUUID()}`
  try {
    writeFileSync(beside, content, { mode: 0o600 })
    renameSync(beside, target)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
