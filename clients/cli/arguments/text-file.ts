import { readFileSync } from 'node:fs'
import { misused } from '../failures.ts'

/**
 * The bytes of a file, or of the standard input for `-`.
 * @param called name of the file in messages: a user may have written a secret instead of its file name
 */
export function bytesOf(file: string, called = `The file ${file}`): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : 'cannot be read'
    throw misused(`${called} ${why}.`, [], { cause })
  }
}

/** `@file` means the text of a file, `@@text` means `@text`, any other value means itself. */
export function textIn(value: string): string {
  if (value.startsWith('@@')) return value.slice(1)
  return value.startsWith('@') ? bytesOf(value.slice(1)).toString('utf8') : value
}
