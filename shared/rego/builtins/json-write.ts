import { numberText } from '../number.ts'
import { RegoObject, RegoSet, compareStrings, isArray, isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import type { BuiltinContext } from './builtin.ts'
import { allowText, chargeEscapes } from './charging.ts'

/** Indentation: every line except the first begins with the prefix and one indent per level. */
export interface Indentation {
  readonly prefix: string
  readonly indent: string
}

/**
 * A value as JSON text: members ordered by name, sets as arrays, keys that are not strings as their own JSON text.
 * Characters with a meaning in HTML are escaped, as in the reference.
 * @throws LimitError above `stringUnits`
 */
export function writeJson(value: Value, context: BuiltinContext, indentation?: Indentation): string {
  const writer = new JsonWriter(context, indentation)
  writer.value(value, 0)
  allowText(context, writer.text.length)
  return writer.text
}

const ESCAPED = /["\\<>&\u2028\u2029\x00-\x1f]/g

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** A string as JSON, with characters that have a meaning in HTML escaped. */
export const jsonString = (text: string): string =>
  `"${text.replace(ESCAPED, (one) => ESCAPES.get(one) ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

const TO_ESCAPE = new RegExp(ESCAPED.source)

/** The same, charged in advance: escaping takes long if there is much to escape, and turns one character into six. */
export function chargedJsonString(text: string, context: BuiltinContext): string {
  if (TO_ESCAPE.test(text)) chargeEscapes(context, text.length)
  return jsonString(text)
}

class JsonWriter {
  text = ''
  private readonly context: BuiltinContext
  private readonly indentation: Indentation | undefined

  constructor(context: BuiltinContext, indentation: Indentation | undefined) {
    this.context = context
    this.indentation = indentation
  }

  private write(piece: string): void {
    if (this.text.length + piece.length > this.context.limits.stringUnits)
      allowText(this.context, this.text.length + piece.length)
    this.text += piece
  }

  value(value: Value, depth: number): void {
    this.context.charge(1)
    if (value instanceof RegoObject) this.members(value, depth)
    else if (value instanceof RegoSet) this.elements(value.elements, depth)
    else if (isArray(value)) this.elements(value, depth)
    else if (isNumber(value)) this.write(numberText(value))
    else this.write(typeof value === 'string' ? chargedJsonString(value, this.context) : String(value))
  }

  private elements(elements: readonly Value[], depth: number): void {
    this.list('[', ']', elements, depth, (element) => this.value(element, depth + 1))
  }

  private members(object: RegoObject, depth: number): void {
    const members = Array.from(object.entries(), ([key, value]): [string, Value] => [
      typeof key === 'string' ? key : writeJson(key, this.context),
      value,
    ]).sort(([a], [b]) => compareStrings(a, b))
    this.list('{', '}', members, depth, ([key, value]) => {
      this.write(`${chargedJsonString(key, this.context)}:${this.indentation === undefined ? '' : ' '}`)
      this.value(value, depth + 1)
    })
  }

  private list<T>(open: string, close: string, items: readonly T[], depth: number, show: (item: T) => void): void {
    this.write(open)
    items.forEach((item, index) => {
      if (index > 0) this.write(',')
      this.line(depth + 1)
      show(item)
    })
    if (items.length > 0) this.line(depth)
    this.write(close)
  }

  private line(depth: number): void {
    if (this.indentation === undefined) return
    const { prefix, indent } = this.indentation
    if (indent.length * depth > this.context.limits.stringUnits) allowText(this.context, indent.length * depth)
    this.write(`\n${prefix}${indent.repeat(depth)}`)
  }
}
