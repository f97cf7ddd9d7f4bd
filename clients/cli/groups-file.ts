import { readFileSync } from 'node:fs'
import { didYouMean } from './arguments/suggest.ts'
import type { Group, GroupHead } from './command.ts'
import { misused } from './failures.ts'
import { OWN_COMMANDS } from './own-commands.ts'

/** The build writes these files next to the pieces of the program. */
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./commands/${name}.json`, import.meta.url), 'utf8'))

/** The first words of all commands. */
export const heads = (): readonly GroupHead[] => read('index') as readonly GroupHead[]

/** The commands that begin with a word. */
export function groupOf(word: string): Group {
  try {
    if (/^[a-z][a-z-]*$/.test(word) && word !== 'index') return read(word) as Group
  } catch {
    // the file does not exist
  }
  const words = [...Object.keys(OWN_COMMANDS), ...heads().map((head) => head.word)]
  throw misused(`keymgr has no ${JSON.stringify(word)}.${didYouMean(word, words)}`, [
    'keymgr --help lists what there is.',
  ])
}
