import { readFileSync } from 'node:fs'
import type { Group, GroupHead } from './command.ts'
import { OWN_COMMANDS } from './own-commands.ts'
import { unknownFirstWord } from './unknown-words.ts'

/** The build writes these files next to the pieces of the program. */
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./commands/${name}.json`, import.meta.url), 'utf8'))

/** The first words of all commands. */
export const heads = (): readonly GroupHead[] => read('index') as readonly GroupHead[]

/**
 * The commands that begin with a word.
 * @param rest the words after it, for the suggestion of a refusal
 */
export function groupOf(word: string, rest: readonly string[] = []): Group {
  try {
    if (/^[a-z][a-z-]*$/.test(word) && word !== 'index') return read(word) as Group
  } catch {
    // the file does not exist
  }
  const words = heads().map((head) => head.word)
  throw unknownFirstWord([word, ...rest], { words, own: Object.keys(OWN_COMMANDS), groupOf })
}
