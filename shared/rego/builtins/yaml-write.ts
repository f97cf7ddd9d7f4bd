import { numberText } from '../number.ts'
import { RegoObject, RegoSet, compareStrings, isArray, isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import type { BuiltinContext } from './builtin.ts'
import { allowText, chargeText } from './charging.ts'
import { chargedJsonString, writeJson } from './json-write.ts'

/** Plain texts that a parser would not read as strings. */
const MEANINGFUL = [
  /^(?:~|null|true|false|yes|no|on|off|y|n|<<|=)?$/i,
  /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-f_]+|\d[\d_]*)$/i,
  /^[-+]?(?:\.\d+|\d[\d_]*(?:\.[\d_]*)?)(?:e[-+]?\d+)?$/i,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^[-+]?\.(?:inf|nan)$/i,
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?$/,
]

/** Characters that a plain scalar must not begin with, contain, or end with. */
const MARKED = /^[#,[\]{}&*!|>'"%@`]|^[-?:](?: |$)|^---|^\.\.\.|: |:$| #|^ | $/

const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/

/**
 * A value as YAML, for values that JSON can represent; sets are sequences. Sequences are at the indent of their key.
 * Ours: members are in the order of their names, character by character.
 * @throws LimitError above `stringUnits`
 */
export function writeYaml(value: Value, context: BuiltinContext): string {
  const lines = linesOf(value, context)
  const units = lines.reduce((total, line) => total + line.length + 1, 0)
  allowText(context, units)
  return `${lines.join('\n')}\n`
}

function linesOf(value: Value, context: BuiltinContext): string[] {
  if (value instanceof RegoObject && value.size > 0) return membersOf(value, context)
  const elements = value instanceof RegoSet ? value.elements : isArray(value) ? value : []
  if (elements.length > 0) return elements.flatMap((element) => nested(linesOf(element, context), '- ', '  ', context))
  return [
    value instanceof RegoObject
      ? '{}'
      : typeof value === 'object' && value !== null && !isNumber(value)
        ? '[]'
        : scalar(value, context),
  ]
}

function membersOf(object: RegoObject, context: BuiltinContext): string[] {
  return Array.from(object.entries(), ([key, value]): [string, Value] => [
    typeof key === 'string' ? key : writeJson(key, context),
    value,
  ])
    .sort(([a], [b]) => compareStrings(a, b))
    .flatMap(([key, value]) => {
      const lines = linesOf(value, context)
      const isMapping = value instanceof RegoObject && value.size > 0
      const isSequence = !isMapping && (value instanceof RegoSet ? value.size > 0 : isArray(value) && value.length > 0)
      if (isMapping || isSequence)
        return [
          `${plainOrQuoted(key, context)}:`,
          ...nested(lines, isMapping ? '  ' : '', isMapping ? '  ' : '', context),
        ]
      return nested(lines, `${plainOrQuoted(key, context)}: `, '', context)
    })
}

/** Lines with prefixes for the first and the other lines; each level is charged. */
function nested(lines: readonly string[], first: string, others: string, context: BuiltinContext): string[] {
  context.charge(1 + lines.length)
  context.allocate(0, lines.length * (1 + others.length))
  return lines.map((line, index) => (index === 0 ? first : others) + line)
}

const scalar = (value: Value, context: BuiltinContext): string =>
  typeof value === 'string'
    ? plainOrQuoted(value, context)
    : isNumber(value)
      ? numberText(value)
      : JSON.stringify(value)

function plainOrQuoted(text: string, context: BuiltinContext): string {
  chargeText(context, text.length * (1 + MEANINGFUL.length))
  if (UNPRINTABLE.test(text) || MEANINGFUL.some((pattern) => pattern.test(text)))
    return chargedJsonString(text, context)
  return MARKED.test(text) ? `'${text.replaceAll("'", "''")}'` : text
}
