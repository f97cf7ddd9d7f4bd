import { readFileSync } from 'node:fs'
import { misused } from '../failures.ts'

/**
 * The bytes of a file; of what comes in at the standard input for `-`.
 * @param called the file, for a message: what stands for that of a secret may be the secret itself
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

/** `@file` is the text of a file, `@@text` is `@text`, all else stands for itself. */
export function textIn(value: string): string {
  if (value.startsWith('@@')) return value.slice(1)
  return value.startsWith('@') ? bytesOf(value.slice(1)).toString('utf8') : value
}
