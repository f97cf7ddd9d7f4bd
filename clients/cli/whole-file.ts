import { randomUUID } from 'node:crypto'
import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'

const statOf = (file: string) => statSync(file, { throwIfNoEntry: false })

/** Whether it is a device, a pipe or a folder: nothing that another file may take the place of. */
const isSpecial = (file: string): boolean => statOf(file)?.isFile() === false

/** The file itself, where a symbolic link leads to it. */
const behindLinks = (file: string): string => (statOf(file) === undefined ? file : realpathSync(file))

/** @throws Error of the system where `writeWhole` has no right or no folder to write in */
export function checkWritable(file: string): void {
  if (statOf(file)?.isDirectory() === true) throw new Error(`${file} is a folder`)
  accessSync(isSpecial(file) ? file : path.dirname(behindLinks(file)), constants.W_OK)
}

/**
 * Writes a file whole or not at all, for its owner alone: tokens, and answers that may hold what others must not read. Links
 * stay links, and what is written to a device goes into the device.
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
