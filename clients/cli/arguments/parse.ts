import type { CommandRow, OptionRow } from '../command.ts'
import { misused } from '../failures.ts'
import { optionFor, oppositeOf } from './option-synonyms.ts'
import { fullNameOf, lastWordsIn, optionsEndingIn } from './own-options.ts'
import { sharedOptionsOf, type SharedName, type SharedOption } from './shared-options.ts'
import { isAboutSecret, secretSourceOf, type SecretSource } from './secret-sources.ts'
import { didYouMean } from './suggest.ts'
import { textIn } from './text-file.ts'
import type { GivenOption, TakesValue } from './tokens.ts'
import { readMember, readValue } from './values.ts'

/** Values of the command's options by their rows, and of the options of all commands. */
export interface Parsed {
  readonly shared: Shared
  readonly values: ReadonlyMap<OptionRow, unknown>
  readonly secrets: ReadonlyMap<OptionRow, SecretSource>
}

export type Shared = ReadonlyMap<SharedName, readonly string[]>

export const lastOf = (shared: Shared, name: SharedName): string | undefined => shared.get(name)?.at(-1)

const sharedOption = (row: CommandRow, name: string): SharedOption | undefined =>
  sharedOptionsOf(row).find(({ option }) => option === name)

const rowOf = ({ options }: CommandRow, name: string): OptionRow | undefined =>
  options.find(({ option }) => option === name)

/** Whether an option of a command is followed by a value. */
export const takesValueIn =
  (row: CommandRow): TakesValue =>
  (given) => {
    const shared = sharedOption(row, given)
    if (shared !== undefined) return shared.value !== undefined
    const name = fullNameOf(row, given)
    const own = rowOf(row, name)
    if (own !== undefined) return own.type !== 'boolean' || own.many !== undefined
    return isAboutSecret(row, name) ? true : 'unknown'
  }

/** Values and errors, collected while options are read: one wrong option does not hide the next. */
class Gathered {
  readonly shared = new Map<SharedName, string[]>()
  readonly values = new Map<OptionRow, unknown>()
  readonly secrets = new Map<OptionRow, SecretSource>()
  readonly wrong: string[] = []

  keep(row: OptionRow, text: string): void {
    if (row.many === 'map') return this.#keepMember(row, text)
    const read = readValue(row, text)
    if ('wrong' in read) return this.refuse(row.option, read.wrong)
    const before = (this.values.get(row) ?? []) as unknown[]
    this.values.set(row, row.many === 'list' ? [...before, read.value] : read.value)
  }

  #keepMember(row: OptionRow, text: string): void {
    const { name, read } = readMember(row, text)
    if ('wrong' in read) return this.refuse(row.option, read.wrong)
    this.values.set(row, { ...(this.values.get(row) as object | undefined), [name]: read.value })
  }

  refuse(option: string, why: string): void {
    this.wrong.push(`--${option} ${why}${/[.?]$/.test(why) ? '' : '.'}`)
  }
}

function readShared(into: Gathered, { option, value: kind, enum: choices }: SharedOption, given: GivenOption): void {
  const { value = '' } = given
  if (kind === undefined && given.value !== undefined) return into.refuse(option, 'takes no value')
  if (kind !== undefined && given.value === undefined) return into.refuse(option, `needs a value: ${kind}`)
  if (choices !== undefined && !choices.includes(value))
    return into.refuse(option, `takes ${choices.join(', ')}; not ${JSON.stringify(value)}`)
  const name = option as SharedName
  into.shared.set(name, [...(into.shared.get(name) ?? []), value])
}

/** `--field value`, `--field @file` and, for switches, `--field` and `--no-field`. */
function readOwn(into: Gathered, row: OptionRow, { value }: GivenOption): void {
  if (value !== undefined) return into.keep(row, row.type === 'boolean' ? value : textIn(value))
  if (row.type === 'boolean') return into.keep(row, 'true')
  into.refuse(row.option, 'needs a value')
}

/** Any other argument with two hyphens may be a secret, such as a private key in PEM, so it is not repeated. */
const looksLikeOption = (name: string): boolean => /^[a-zA-Z][\w.-]*$/.test(name)

function unknown(command: CommandRow, name: string): string {
  if (!looksLikeOption(name)) return 'An argument begins with --, and is no option.'
  const several = optionsEndingIn(command, name)
  if (several.length > 1) return `--${name} is one of: ${several.map((full) => `--${full}`).join(', ')}.`
  const names = [...command.options, ...sharedOptionsOf(command)].map(({ option }) => option)
  const none = `There is no option --${name} here.`
  if (command.positions.some((position) => position.name === name || position.lookup?.filter === name))
    return `${none} Give its value without an option, after the words of the command.`
  const opposite = oppositeOf(name, names)
  if (opposite !== undefined) return `${none} --${opposite} is its opposite.`
  const meant = optionFor(name, names)
  return (
    none +
    (meant === undefined ? didYouMean(name, [...names, ...lastWordsIn(command)], '--') : ` Did you mean --${meant}?`)
  )
}

function readOption(into: Gathered, command: CommandRow, written: GivenOption): void {
  const shared = sharedOption(command, written.name)
  if (shared !== undefined) return readShared(into, shared, written)
  const given = { ...written, name: fullNameOf(command, written.name) }
  const source = secretSourceOf(command, given)
  if (source !== undefined) {
    into.secrets.set(source.row, source)
    return
  }
  const row = rowOf(command, given.name)
  if (row !== undefined) return readOwn(into, row, given)
  const off = given.name.startsWith('no-') ? rowOf(command, given.name.slice(3)) : undefined
  if (off?.type === 'boolean' && given.value === undefined) return into.keep(off, 'false')
  into.wrong.push(unknown(command, given.name))
}

/** Reads the options of a command. @throws Failure that lists all errors */
export function parseOptions(command: CommandRow, options: readonly GivenOption[]): Parsed {
  const into = new Gathered()
  for (const given of options) readOption(into, command, given)
  const [first, ...more] = into.wrong
  if (first !== undefined) throw misused(first, more)
  return into
}
