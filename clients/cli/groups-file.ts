import { readFileSync } from 'node:fs'
import { didYouMean } from './arguments/suggest.ts'
import type { Group, GroupHead } from './command.ts'
import { misused } from './failures.ts'

/** The build puts these files beside the pieces of the program. */
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./commands/${name}.json`, import.meta.url), 'utf8'))

/** The first words of all commands. */
export const heads = (): readonly GroupHead[] => read('index') as readonly GroupHead[]

/** Words that are no operation of the service. */
export const OWN_WORDS: readonly GroupHead[] = [
  { word: 'login', about: 'Logs in, and keeps the log-in as a profile.' },
  { word: 'logout', about: 'Ends the log-in of a profile, here and at the service.' },
  { word: 'whoami', about: 'Shows who is logged in, where, and until when.' },
  { word: 'profiles', about: 'Lists the profiles, or uses another one: profiles use name.' },
  { word: 'completion', about: 'Writes the completion of a shell: bash, zsh or fish.' },
  { word: 'help', about: 'Explains words, or exit-codes.' },
]

/** The commands that begin with a word. */
export function groupOf(word: string): Group {
  try {
    if (/^[a-z][a-z-]*$/.test(word) && word !== 'index') return read(word) as Group
  } catch {
    // There is no such file.
  }
  const words = [...OWN_WORDS, ...heads()].map((head) => head.word)
  throw misused(`keymgr has no ${JSON.stringify(word)}.${didYouMean(word, words)}`, [
    'keymgr --help lists what there is.',
  ])
}
