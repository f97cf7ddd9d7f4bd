import { parseOptions, takesValueIn } from './arguments/parse.ts'
import { tokensOf } from './arguments/tokens.ts'
import { SHARED_OPTIONS } from './arguments/shared-options.ts'
import type { CommandRow } from './command.ts'
import { EXIT_CODES, misused, type Failure } from './failures.ts'
import { commandsBelow, findCommand } from './find.ts'
import { groupOf } from './groups-file.ts'
import { checkValues } from './names.ts'
import { isOwnWord, type OWN_COMMANDS } from './own-commands.ts'
import { failureOf, told } from './told.ts'
import { unknownCommand } from './unknown-words.ts'

const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).some((each) => each === '--help' || each === '-h')
}

/** Options of all commands may precede the words. Whether any other option takes a value is not known yet. */
function leadingWords(args: readonly string[]): readonly string[] {
  const takesValue = (name: string): boolean => {
    const shared = SHARED_OPTIONS.find(({ option }) => option === name)
    return shared !== undefined && 'value' in shared
  }
  const nameOf = (argument: string): string => argument.slice(2).replace(/=[^]*$/, '')
  const isShared = (name: string): boolean => SHARED_OPTIONS.some(({ option }) => option === name)
  const isKnown = (argument: string): boolean =>
    !argument.startsWith('-') || /^-[oh]|^--$/.test(argument) || isShared(nameOf(argument))
  const end = args.findIndex((argument) => !isKnown(argument))
  return tokensOf(args.slice(0, end === -1 ? undefined : end), takesValue).words
}

const help = async () => import('./help/help.ts')

/** Facts about the command line, for the message of a failure. */
interface Known {
  row?: CommandRow
}

async function runOperation(args: readonly string[], known: Known): Promise<number> {
  const [word = '', ...words] = leadingWords(args)
  const group = groupOf(word, words)
  const found = findCommand(group, words)
  if (found === undefined) {
    if (asksForHelp(args) && (words.length === 0 || commandsBelow(group, words).length > 0))
      return (await help()).groupHelp(group, words)
    throw unknownCommand(group, words)
  }
  const { row } = found
  known.row = row
  if (asksForHelp(args)) return (await help()).commandHelp(group.word, row)
  const tokens = tokensOf(args, takesValueIn(row))
  const values = findCommand(group, tokens.words.slice(1))?.values ?? []
  const parsed = parseOptions(row, tokens.options)
  checkValues([group.word, ...row.words].join(' '), row, values)
  const { operate } = await import('./operate.ts')
  return operate(row, values, parsed)
}

type Main = (args: readonly string[]) => number | Promise<number>

const OWN: Readonly<Record<keyof typeof OWN_COMMANDS, () => Promise<{ main: Main }>>> = {
  login: () => import('./session/log-in.ts'),
  logout: () => import('./session/log-out.ts'),
  whoami: () => import('./session/who-am-i.ts'),
  profiles: () => import('./session/list-profiles.ts'),
  completion: () => import('./completion/completion.ts'),
  mcp: () => import('./mcp/main.ts'),
  help: () => import('./help/help.ts'),
}

async function runWords(args: readonly string[], known: Known): Promise<number> {
  const [word] = leadingWords(args)
  if (word === undefined && (args.length === 0 || asksForHelp(args))) return (await help()).main([])
  if (word === undefined)
    throw misused('keymgr takes words first, then options.', ['keymgr --help lists what there is.'])
  if (!isOwnWord(word)) return runOperation(args, known)
  const { main } = await OWN[word]()
  return main(args.toSpliced(args.indexOf(word), 1))
}

function end(failure: Failure): number {
  process.stderr.write(told(failure))
  return EXIT_CODES[failure.kind][0]
}

/**
 * Ends at once on Ctrl-C, and without an error when the reader of the output has gone; unwritten messages may be lost.
 */
function endWell(): void {
  process.once('SIGINT', () => process.exit(EXIT_CODES.interrupted[0]))
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

/** Runs a command line. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  endWell()
  const known: Known = {}
  try {
    return await runWords(args, known)
  } catch (error) {
    return end(failureOf(error, known.row))
  }
}
