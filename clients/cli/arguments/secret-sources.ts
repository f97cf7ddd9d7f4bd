import type { CommandRow, OptionRow } from '../command.ts'
import { misused } from '../failures.ts'
import { bytesOf } from './text-file.ts'
import type { GivenOption } from './tokens.ts'

/** Source of a secret. */
export type SecretSource =
  | { readonly row: OptionRow; readonly from: 'prompt' }
  | { readonly row: OptionRow; readonly from: 'file' | 'environment'; readonly name: string }

/** The option with the file of a secret: `--password-file`; `--key-file` where the field has that name. */
export const fileOption = ({ option }: OptionRow): string => (option.endsWith('-file') ? option : `${option}-file`)

/** The option with the environment variable of a secret. */
export const environmentOption = ({ option }: OptionRow): string => `${option}-env`

/** The ways to give a secret, as a sentence. */
export const waysOf = (row: OptionRow): string =>
  `Give it by --${fileOption(row)} file (- for the standard input), by --${environmentOption(row)} with the name of an ` +
  `environment variable, or${fileOption(row) === row.option ? ' at' : ` by --${row.option} without a value, at`} a prompt.`

/** Whether an option belongs to a secret; the argument after it is then not a word of the command. */
export const isAboutSecret = ({ options }: CommandRow, name: string): boolean =>
  options.some((row) => row.secret && [row.option, fileOption(row), environmentOption(row)].includes(name))

function fileOrEnvironment(row: OptionRow, { name, value }: GivenOption): SecretSource | undefined {
  const from = name === fileOption(row) ? 'file' : name === environmentOption(row) ? 'environment' : undefined
  if (from === undefined) return undefined
  if (value === undefined)
    throw misused(`--${name} needs a value: ${from === 'file' ? 'file|-' : 'name of a variable'}.`)
  return { row, from, name: value }
}

/**
 * The source of the secret in an option.
 * @throws Failure when the option contains the secret itself, which is not repeated
 */
export function secretSourceOf({ options }: CommandRow, given: GivenOption): SecretSource | undefined {
  const secrets = options.filter(({ secret }) => secret)
  for (const row of secrets) {
    const source = fileOrEnvironment(row, given)
    if (source !== undefined) return source
    if (given.name !== row.option) continue
    if (given.value === undefined) return { row, from: 'prompt' }
    throw misused(
      `--${row.option} is a secret, and no argument: other users of this machine and the history of the shell would see it.`,
      [waysOf(row)],
    )
  }
  return undefined
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')

function textFrom(source: SecretSource): string | undefined {
  if (source.from === 'prompt') return undefined
  if (source.from === 'environment') {
    const value = process.env[source.name]
    if (value === undefined)
      throw misused(`The environment has no variable of the name that --${environmentOption(source.row)} gives.`)
    return value
  }
  const bytes = bytesOf(source.name, `The file of --${fileOption(source.row)}`)
  return source.row.bytes ? bytes.toString('base64') : withoutLineEnd(bytes.toString('utf8'))
}

/** Reads the secret from its source. */
export async function readSecret(source: SecretSource): Promise<string> {
  const text = textFrom(source)
  if (text !== undefined) return text
  if (!process.stdin.isTTY)
    throw misused(`--${source.row.option} is asked for at a terminal, and this is none.`, [waysOf(source.row)])
  const { ask } = await import('../prompt.ts')
  return ask(`${source.row.option}: `, { echo: false })
}
