import type { CommandRow, OptionRow } from '../command.ts'
import { environmentOption, fileOption } from './secret-sources.ts'

/** The spellings of an option: a secret is given by file or variable, a switch may be turned off. */
export function spellingsOf(row: OptionRow): string[] {
  if (row.secret) return [...new Set([row.option, fileOption(row), environmentOption(row)])]
  return row.type === 'boolean' && row.many === undefined ? [row.option, `no-${row.option}`] : [row.option]
}

/** The last word of a nested option: `alias` of `cloud-a-param.alias`, `no-enabled` of `no-attributes.enabled`. */
function lastWordOf(spelling: string): string {
  const last = spelling.slice(spelling.lastIndexOf('.') + 1)
  return spelling.startsWith('no-') && last !== spelling ? `no-${last}` : last
}

/** The full names of the nested options that end in a word. */
export const optionsEndingIn = ({ options }: CommandRow, word: string): string[] =>
  options.flatMap(spellingsOf).filter((spelling) => spelling.includes('.') && lastWordOf(spelling) === word)

/** The full name of an option that is given by its last word, where only one option of the command ends in the word. */
export function fullNameOf(command: CommandRow, name: string): string {
  if (command.options.some((row) => spellingsOf(row).includes(name))) return name
  const [full, second] = optionsEndingIn(command, name)
  return full === undefined || second !== undefined ? name : full
}

/** The last words that name one nested option each, for suggestions. */
export const lastWordsIn = (command: CommandRow): string[] =>
  command.options
    .flatMap(spellingsOf)
    .map(lastWordOf)
    .filter((word) => fullNameOf(command, word) !== word)
