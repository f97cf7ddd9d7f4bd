import type { CommandRow, OptionRow } from '../command.ts'
import { misused } from '../failures.ts'
import { lastOf, type Parsed } from './parse.ts'
import { environmentOption, fileOption, readSecret } from './secret-sources.ts'
import { didYouMean } from './suggest.ts'
import { bytesOf } from './text-file.ts'

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sets the value at a path; missing objects on the way are created. */
export function put(into: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return { ...into, [name]: value }
  const inner = into[name]
  return { ...into, [name]: put(isFields(inner) ? inner : {}, rest, value) }
}

export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), value)
}

/** The file in --body. A body itself is refused there, since it may contain secrets. */
function fileIn(given: string): string {
  if (given === '-') return given
  if (given.startsWith('@')) return given.slice(1)
  throw misused('--body takes @file, or - for the standard input; never the body itself, which may hold secrets.')
}

/** The body of a file, in JSON or YAML. */
async function wholeBody(given: string): Promise<unknown> {
  const text = bytesOf(fileIn(given)).toString('utf8')
  try {
    return JSON.parse(text) as unknown
  } catch {
    const { parse } = await import('yaml')
    try {
      return parse(text) as unknown
    } catch (cause) {
      throw misused('--body names a file that is neither JSON nor YAML.', [], { cause })
    }
  }
}

/** The path of a name in `--unset`: a field, or a member of a map. */
function pathToClear({ clearable = [] }: Pick<CommandRow, 'clearable'>, name: string): readonly string[] {
  for (const { option, path } of clearable) {
    if (option === name) return path
    const above = option.endsWith('.*') ? option.slice(0, -1) : undefined
    if (above !== undefined && name.startsWith(above)) return [...path.slice(0, -1), name.slice(above.length)]
  }
  const options = clearable.map(({ option }) => option)
  const [ending, second] = options.filter((option) => option.endsWith(`.${name}`))
  if (ending !== undefined && second === undefined) return pathToClear({ clearable }, ending)
  throw misused(`--unset ${name} is no field that can be cleared.${didYouMean(name, options)}`)
}

const withNulls = (body: Fields, command: CommandRow, names: readonly string[]): Fields =>
  names.reduce((made, name) => put(made, pathToClear(command, name), null), body)

/** Whether a field is missing: it is always required, or another field of its object is given. */
function isMissing(row: OptionRow, body: Fields): boolean {
  if (row.in !== 'body' || row.required === undefined || at(body, row.path) !== undefined) return false
  return row.required === 'always' || isFields(at(body, row.path.slice(0, -1)))
}

const howToGive = (row: OptionRow): string =>
  row.secret ? `--${fileOption(row)} or --${environmentOption(row)}` : `--${row.option}`

/** Prompts for missing secrets, if there is a terminal. */
async function withAsked(body: Fields, command: CommandRow): Promise<Fields> {
  let made = body
  const asked = process.stdin.isTTY ? command.options.filter((row) => row.secret && isMissing(row, body)) : []
  for (const row of asked) made = put(made, row.path, await readSecret({ row, from: 'prompt' }))
  return made
}

/** @throws Failure that names every missing required option */
export function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return
  throw misused(`Required and not given: ${missing.join(', ')}.`)
}

async function fieldsOf(command: CommandRow, parsed: Parsed): Promise<Fields> {
  const given = lastOf(parsed.shared, 'body')
  const whole = given === undefined ? {} : await wholeBody(given)
  if (!isFields(whole)) throw misused('--body is a JSON or YAML object.')
  let body: Fields = whole
  for (const [row, value] of parsed.values) if (row.in === 'body') body = put(body, row.path, value)
  for (const [row, source] of parsed.secrets) body = put(body, row.path, await readSecret(source))
  return withAsked(withNulls(body, command, parsed.shared.get('unset') ?? []), command)
}

/** The bytes of a file, for a body without fields. */
function rawBody(given: string | undefined, type: string): Uint8Array {
  if (given === undefined) throw misused(`Required and not given: --body @file (${type}).`)
  return bytesOf(fileIn(given))
}

const isJson = (type: string): boolean => /json|form-urlencoded/.test(type)

/** The whole body of a call: fields of a file, then options, then secrets. */
export async function bodyOf(command: CommandRow, parsed: Parsed): Promise<unknown> {
  const { sends, options } = command
  if (sends === undefined) return undefined
  if (!isJson(sends)) return rawBody(lastOf(parsed.shared, 'body'), sends)
  const body = await fieldsOf(command, parsed)
  refuseMissing(options.filter((row) => isMissing(row, body)).map(howToGive))
  return body
}

/** The parameters of the query. */
export function queryOf(command: CommandRow, parsed: Parsed): Fields {
  const rows = command.options.filter((row) => row.in === 'query')
  refuseMissing(rows.filter((row) => row.required && !parsed.values.has(row)).map((row) => `--${row.option}`))
  return Object.fromEntries(
    rows.flatMap((row) => (parsed.values.has(row) ? [[row.path[0] ?? '', parsed.values.get(row)]] : [])),
  )
}
