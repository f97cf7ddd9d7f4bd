import { ONCE } from '../../sdk/described.ts'
import type { Parsed } from '../arguments/parse.ts'
import { didYouMean } from '../arguments/suggest.ts'
import { readTime } from '../arguments/times.ts'
import type { CommandRow, Group, OptionRow } from '../command.ts'
import { misused } from '../failures.ts'
import { shownName } from '../names.ts'
import type { Tool } from './protocol.ts'

/** The argument that confirms a change. */
export const CONFIRM = 'confirm'

type Fields = Readonly<Record<string, unknown>>

/** A tool with the command that it calls. */
export interface CommandTool {
  readonly tool: Tool
  readonly row: CommandRow
}

export const isReading = ({ method }: CommandRow): boolean => method === 'GET'

const isSecret = ({ secret }: OptionRow): boolean => secret === true

/**
 * Whether a command can be a tool: it needs no secret, its answer is no secret and no bytes, and it accepts the token of
 * the log-in. Operations that return or create secrets are those that take no `Idempotency-Key`.
 */
const canBeTool = ({ path, method, answers, sends = 'json', options }: CommandRow): boolean =>
  !path.startsWith('/platform/') &&
  !(method === 'POST' && ONCE.includes(path)) &&
  /json|^text\//.test(answers) &&
  /json|form-urlencoded/.test(sends) &&
  !options.some((row) => isSecret(row) && row.required === 'always')

/** The options that a tool accepts: a secret would be in the conversation. */
const optionsOf = ({ options }: CommandRow): readonly OptionRow[] => options.filter((row) => !isSecret(row))

function schemaOf(row: OptionRow): object {
  const { type, many, enum: choices, least, most, about, lookup, time } = row
  const one = {
    ...(type !== 'json' && { type }),
    ...(choices && { enum: choices }),
    ...(least !== undefined && { minimum: least }),
    ...(most !== undefined && { maximum: most }),
  }
  const description = [
    ...(about === undefined ? [] : [about]),
    ...(lookup === undefined ? [] : [`id or ${lookup.filter}`]),
    ...(time ? ['time: RFC 3339, a date, now, or a distance such as 30d or -12h'] : []),
  ].join('; ')
  const whole =
    many === 'list'
      ? { type: 'array', items: one }
      : many === 'map'
        ? { type: 'object', additionalProperties: one }
        : one
  return { ...whole, ...(description !== '' && { description }) }
}

const CONFIRMATION = {
  type: 'string',
  description: 'the code that the first call with the same arguments returned; without it, the change is only shown',
}

function inputOf(row: CommandRow): object {
  const own = optionsOf(row)
  const places = row.positions.map((position) => ({ name: shownName(position), choices: position.enum }))
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        places.map(({ name, choices }) => [name, { type: 'string', ...(choices && { enum: choices }) }]),
      ),
      ...Object.fromEntries(own.map((each) => [each.option, schemaOf(each)])),
      ...(!isReading(row) && { [CONFIRM]: CONFIRMATION }),
    },
    required: [
      ...places.map(({ name }) => name),
      ...own.filter(({ required }) => required === 'always').map(({ option }) => option),
    ],
    additionalProperties: false,
  }
}

const nameOf = (word: string, { words }: CommandRow): string =>
  [word, ...words.map((each) => each.replace(/[<>]/g, ''))].join('_')

/** The tools of groups of commands; only those that read, unless changes are allowed. */
export function toolsOf(groups: readonly Group[], allowsChanges: boolean): CommandTool[] {
  const rows = groups.flatMap(({ word, commands }) => commands.map((row) => ({ word, row })))
  return rows
    .filter(({ row }) => canBeTool(row) && (allowsChanges || isReading(row)))
    .map(({ word, row }) => ({
      row,
      tool: {
        name: nameOf(word, row),
        title: row.summary,
        description: [`${row.summary}.`, row.about, row.rules ?? ''].filter((part) => part !== '').join(' '),
        inputSchema: inputOf(row),
        annotations: {
          readOnlyHint: isReading(row),
          destructiveHint: row.lost !== undefined,
        },
      },
    }))
}

/** The value of an argument, with times in words made times. */
function valueOf(row: OptionRow, value: unknown): unknown {
  if (row.time !== true || typeof value !== 'string') return value
  const read = readTime(value, row.in === 'query' && !row.option.startsWith('expires'))
  if ('wrong' in read) throw misused(`${row.option} ${read.wrong}.`)
  return read.value
}

/** The arguments of a tool as those of its command. @throws Failure for an argument that it does not have */
export function parsedOf(row: CommandRow, given: Fields): { values: readonly string[]; parsed: Parsed } {
  const places = row.positions.map(shownName)
  const options = optionsOf(row)
  const names = [...places, ...options.map(({ option }) => option), CONFIRM]
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) throw misused(`There is no argument ${unknown} here.${didYouMean(unknown, names)}`)
  const values = places.map((name) => given[name])
  const missing = places.find((_, at) => typeof values[at] !== 'string')
  if (missing !== undefined) throw misused(`Required and not given: ${missing}.`)
  const read = options.flatMap((each) =>
    given[each.option] === undefined ? [] : [[each, valueOf(each, given[each.option])] as const],
  )
  return {
    values: values.map(String),
    parsed: { shared: new Map(), values: new Map(read), secrets: new Map() },
  }
}
