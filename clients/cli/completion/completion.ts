import { spellingsOf } from '../arguments/own-options.ts'
import { fileOption } from '../arguments/secret-sources.ts'
import { FORMATS, sharedOptionsOf } from '../arguments/shared-options.ts'
import type { CommandRow, OptionRow } from '../command.ts'
import { misused } from '../failures.ts'
import { findCommand, isSlot, nextWords } from '../find.ts'
import { groupOf, heads } from '../groups-file.ts'
import { COMPLETION, OWN_COMMANDS, ownCommand } from '../own-commands.ts'
import { readConfig } from '../session/profiles.ts'
import { argumentsOf } from '../session/own-arguments.ts'
import { SHELLS } from './shells.ts'

/** Options of a row. A secret is never an argument. */
const namesOf = (row: OptionRow): string[] =>
  spellingsOf(row).filter((name) => row.secret === undefined || name !== row.option || name === fileOption(row))

const optionsOf = (row: CommandRow): string[] =>
  [...row.options.flatMap(namesOf), ...sharedOptionsOf(row).map(({ option }) => option)].map((name) => `--${name}`)

/** Values of an option, if they are known. */
function valuesOf(row: CommandRow, option: string): string[] {
  if (option === '-o' || option === '--output') return [...FORMATS]
  if (option === '--profile') return Object.keys(readConfig().profiles)
  const own = row.options.find((each) => `--${each.option}` === option)
  return own?.enum?.map(String) ?? []
}

/** The words that may follow, given a partial last word. */
function followers(words: readonly string[], last: string): string[] {
  const [word, ...rest] = words
  if (word === undefined) return [...Object.keys(OWN_COMMANDS), ...heads().map((head) => head.word)]
  const own = ownCommand(word)
  if (own !== undefined) return last.startsWith('-') ? optionsOf(own) : [...(own.positions[0]?.enum ?? [])]
  const group = groupOf(word)
  const given = rest.filter((each) => !each.startsWith('-'))
  const found = findCommand(group, given)
  if (found !== undefined) return last.startsWith('-') ? optionsOf(found.row) : []
  return nextWords(group, given).filter((each) => !isSlot(each))
}

/** The row of the command that the words begin with. */
function rowOf([word = '', ...rest]: readonly string[]): CommandRow | undefined {
  const own = ownCommand(word)
  return (
    own ??
    findCommand(
      groupOf(word),
      rest.filter((each) => !each.startsWith('-')),
    )?.row
  )
}

/** Completions of the words typed so far; the last one may be partial. */
function offered(typed: readonly string[]): string[] {
  const last = typed.at(-1) ?? ''
  const words = typed.slice(0, -1)
  const before = words.at(-1) ?? ''
  const row = before.startsWith('-') ? rowOf(words) : undefined
  const values = row === undefined ? [] : valuesOf(row, before)
  return [...new Set(values.length > 0 ? values : followers(words, last))].filter((each) => each.startsWith(last))
}

/** `keymgr completion bash`, and `keymgr completion offer -- words`, which the shells call. */
export async function main(args: readonly string[]): Promise<number> {
  const [first, second, ...typed] = args
  if (first === 'offer' && second === '--') {
    try {
      process.stdout.write(
        offered(typed)
          .map((each) => `${each}\n`)
          .join(''),
      )
    } catch {
      // the words typed so far do not identify a command yet
    }
    return 0
  }
  const parsed = await argumentsOf('completion', COMPLETION, args)
  if (parsed === undefined) return 0
  const [shell = '', more] = parsed.words
  const script = Object.hasOwn(SHELLS, shell) && more === undefined ? SHELLS[shell] : undefined
  if (script === undefined) throw misused('keymgr completion takes one of: bash, zsh, fish.')
  process.stdout.write(script)
  return 0
}
