import { misused } from '../failures.ts'

/** One option as written on the command line. */
export interface GivenOption {
  /** without hyphens */
  readonly name: string
  /** `undefined` if the option has none */
  readonly value?: string
}

/** The words and options of a command line. */
export interface Tokens {
  readonly words: readonly string[]
  readonly options: readonly GivenOption[]
}

/** Returns whether an option takes a value. */
export type TakesValue = (name: string) => boolean | 'unknown'

const isOption = (argument: string): boolean => argument.length > 1 && argument.startsWith('-')

/**
 * Anything but an option, including a number, a column in descending order, and PEM, which begins with five hyphens.
 */
const isValue = (argument: string | undefined): argument is string =>
  argument !== undefined && argument !== '--' && !/^--[a-zA-Z]|^-[a-zA-Z]$/.test(argument)

const SHORT: Readonly<Record<string, string>> = { o: 'output', h: 'help' }

/** `--name=value`, `-oname`, `-o`. */
function named(argument: string): GivenOption {
  const long = /^--([^=]+)(?:=([\s\S]*))?$/.exec(argument)
  if (long?.[1] !== undefined) return { name: long[1], ...(long[2] !== undefined && { value: long[2] }) }
  const name = SHORT[argument.charAt(1)]
  if (name === undefined || argument.startsWith('--')) throw misused(`There is no option ${argument.slice(0, 2)}.`)
  const value = argument.slice(2).replace(/^=/, '')
  return { name, ...(value !== '' && { value }) }
}

/** Words and options, in any order. After `--` everything is a word. */
export function tokensOf(args: readonly string[], takesValue: TakesValue): Tokens {
  const words: string[] = []
  const options: GivenOption[] = []
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? ''
    if (argument === '--') {
      words.push(...args.slice(at + 1))
      break
    }
    if (!isOption(argument)) {
      words.push(argument)
      continue
    }
    const option = named(argument)
    const next = args[at + 1]
    if (option.value !== undefined || takesValue(option.name) !== true || !isValue(next)) options.push(option)
    else {
      options.push({ name: option.name, value: next })
      at += 1
    }
  }
  return { words, options }
}
