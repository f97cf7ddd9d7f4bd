import type { OptionRow } from '../command.ts'
import { didYouMean } from './suggest.ts'
import { readTime } from './times.ts'

/** A value, or a sentence that states its error. */
export type Read = { readonly value: unknown } | { readonly wrong: string }

const wholeNumber = (text: string): Read =>
  /^-?\d+$/.test(text) ? { value: Number(text) } : { wrong: `takes a whole number, not ${JSON.stringify(text)}` }

const number = (text: string): Read =>
  text.trim() !== '' && Number.isFinite(Number(text))
    ? { value: Number(text) }
    : { wrong: `takes a number, not ${JSON.stringify(text)}` }

const boolean = (text: string): Read =>
  text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { wrong: `takes true or false, not ${JSON.stringify(text)}` }

/** The value of JSON, or a text that is not JSON. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const MEMBER = /^([A-Za-z_][\w.-]*)=([^]*)$/

/** An object in JSON or as `name=value,name=value`; any other text means itself. */
function json(text: string, members: OptionRow['members'] = {}): Read {
  const value = jsonOrText(text)
  const pairs = text.split(',').map((pair) => MEMBER.exec(pair))
  if (value !== text || pairs.includes(null)) return { value }
  const read = (name: string, member: string): unknown => (members[name] === 'string' ? member : jsonOrText(member))
  return { value: Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', read(pair?.[1] ?? '', pair?.[2] ?? '')])) }
}

const READERS = {
  string: (text: string): Read => ({ value: text }),
  integer: wholeNumber,
  number,
  boolean,
  json,
} as const

/** One value of an option, checked against its kind and its choices. */
export function readValue(
  { type, enum: choices, members, time, in: place, option = '' }: Pick<OptionRow, 'type'> & Partial<OptionRow>,
  text: string,
): Read {
  if (time) return readTime(text, place === 'query' && !option.startsWith('expires'))
  const read = READERS[type](text, members)
  if ('wrong' in read || choices === undefined || choices.some((choice) => choice === read.value)) return read
  const names = choices.map(String)
  return { wrong: `takes ${names.join(', ')}; not ${JSON.stringify(text)}.${didYouMean(text, names)}` }
}

/** `name=value` of a map. */
export function readMember(row: OptionRow, text: string): { readonly name: string; readonly read: Read } {
  const at = text.indexOf('=')
  if (at <= 0) return { name: '', read: { wrong: `takes name=value, not ${JSON.stringify(text)}` } }
  const value = text.slice(at + 1)
  const read = row.type === 'json' ? { value: jsonOrText(value) } : readValue({ type: row.type }, value)
  return { name: text.slice(0, at), read }
}
