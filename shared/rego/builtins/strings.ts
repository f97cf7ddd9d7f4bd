import { Float } from '../number.ts'
import type { Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { isAscii, lowerCase, upperCase } from './case-mapping.ts'
import { allowText, allowValues, chargeCharacters, chargeSearch, chargeText } from './charging.ts'
import { numberOperand, objectOperand, positionOperand, stringOperand, stringsOperand } from './operands.ts'
import { countOf, replaceAllOf } from './replacing.ts'
import { sprintf } from './sprintf.ts'
import { isSpace, trimEnd, trimStart } from './trimming.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** A built-in with two strings that searches for the second in the first. */
const search =
  (find: (text: string, pattern: string, context: BuiltinContext) => Value): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    const pattern = stringOperand(operands, 2)
    chargeSearch(context, text, pattern)
    return find(text, pattern, context)
  }

/** A built-in with two strings that checks for the second at one end of the first. */
const atEnd =
  (answer: (text: string, part: string) => Value): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    const part = stringOperand(operands, 2)
    chargeText(context, Math.min(text.length, part.length))
    return answer(text, part)
  }

const caseOf =
  (map: (text: string, isPlain: boolean) => string): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    const isPlain = isAscii(text)
    // Letters of a text that is not ASCII are mapped one by one.
    if (isPlain) chargeCharacters(context, text.length)
    else context.charge(1 + text.length)
    allowText(context, text.length)
    return map(text, isPlain)
  }

/** `trim`, `trim_left`, `trim_right`: characters of the second operand are removed from the ends of the first. */
const trimming =
  (start: boolean, end: boolean): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    const cutset = new Set(stringOperand(operands, 2))
    chargeCharacters(context, text.length + cutset.size)
    const isCut = (character: string): boolean => cutset.has(character)
    const rest = start ? trimStart(text, isCut) : text
    return end ? trimEnd(rest, isCut) : rest
  }

const trimSpace: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  chargeCharacters(context, text.length)
  return trimEnd(trimStart(text, isSpace), isSpace)
}

const concat: Evaluate = (operands, context) => {
  const join = stringOperand(operands, 1)
  const parts = stringsOperand(operands, 2)
  context.charge(parts.length)
  allowText(
    context,
    parts.reduce((total, part) => total + part.length, join.length * Math.max(parts.length - 1, 0)),
  )
  return parts.join(join)
}

/**
 * Parts between `delimiter`; an empty one separates all characters. Charged by the number of parts before they are
 * built.
 */
function split(text: string, delimiter: string, context: BuiltinContext): string[] {
  chargeSearch(context, text, delimiter)
  allowValues(context, delimiter === '' ? text.length : countOf(text, delimiter) + 1, text.length)
  return delimiter === '' ? Array.from(text) : text.split(delimiter)
}

/** An empty string split by an empty delimiter has no parts, as in the reference; otherwise there is at least one. */
const splitAll: Evaluate = (operands, context) => split(stringOperand(operands, 1), stringOperand(operands, 2), context)

/** The first n parts, or with a negative n the last; the others are dropped. */
const splitSome: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  const delimiter = stringOperand(operands, 2)
  const count = positionOperand(operands, 3)
  const parts = split(text, delimiter, context)
  return count < 0 ? parts.slice(count) : parts.slice(0, count)
}

const substring: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  const offset = positionOperand(operands, 2)
  const length = positionOperand(operands, 3)
  if (offset < 0) throw new BuiltinError('negative offset')
  chargeCharacters(context, text.length)
  context.allocate(1, text.length)
  const characters = Array.from(text)
  return characters.slice(offset, length < 0 ? undefined : offset + length).join('')
}

/** Code points of `text` before the UTF-16 position `end`. */
function codePointsBefore(text: string, end: number, start = 0): number {
  let count = 0
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0xdc00 || unit > 0xdfff) count += 1
  }
  return count
}

const indexOf = search((text, pattern) => {
  if (pattern === '') throw new BuiltinError('empty search character')
  const at = text.indexOf(pattern)
  return at < 0 ? -1 : codePointsBefore(text, at)
})

/** Every position, including overlapping ones. */
const indexOfAll = search((text, pattern, context) => {
  if (pattern === '') throw new BuiltinError('empty search character')
  const found: number[] = []
  let position = 0
  let counted = 0
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) {
    context.charge(1 + Math.ceil(pattern.length / 32))
    context.allocate(1)
    position += codePointsBefore(text, at, counted)
    counted = at
    found.push(position)
  }
  return found
})

const count = search((text, pattern) =>
  pattern === '' ? codePointsBefore(text, text.length) + 1 : countOf(text, pattern),
)

const replace: Evaluate = (operands, context) =>
  replaceAllOf(stringOperand(operands, 1), [[stringOperand(operands, 2), stringOperand(operands, 3)]], context)

/** If several patterns match at one place, the first in the order of the keys wins. */
const replaceMany: Evaluate = (operands, context) => {
  const patterns = objectOperand(operands, 1)
  const text = stringOperand(operands, 2)
  const pairs = Array.from(patterns.entries(), ([key, value]): [string, string] => {
    if (typeof key !== 'string') throw new OperandError(1, 'non-string key found in pattern object')
    if (typeof value !== 'string') throw new OperandError(1, 'non-string value found in pattern object')
    return [key, value]
  })
  return replaceAllOf(text, pairs, context)
}

const reverse: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  chargeCharacters(context, text.length)
  context.allocate(1, text.length)
  return Array.from(text).reverse().join('')
}

/** A string is treated as a collection of itself. */
function stringOrStrings(operands: readonly Value[], position: number): readonly string[] {
  const value = operands[position - 1] ?? null
  return typeof value === 'string' ? [value] : stringsOperand(operands, position, ['string', 'set', 'array'])
}

const anyMatch =
  (matches: (text: string, part: string) => boolean): Evaluate =>
  (operands, context) => {
    const texts = stringOrStrings(operands, 1)
    const parts = stringOrStrings(operands, 2)
    const longest = parts.reduce((units, part) => Math.max(units, part.length), 0)
    context.charge(texts.length * parts.length * (1 + Math.ceil(longest / 32)))
    return texts.some((text) => parts.some((part) => matches(text, part)))
  }

/** Fractions are truncated towards zero. */
const formatInteger: Evaluate = (operands, context) => {
  const number = numberOperand(operands, 1)
  const base = numberOperand(operands, 2)
  if (base !== 2 && base !== 8 && base !== 10 && base !== 16) throw new OperandError(2, 'must be one of {2, 8, 10, 16}')
  if (!(number instanceof Float)) {
    context.allocate(1, 4_100)
    return number.toString(base)
  }
  const bits = BigInt(Math.abs(number.exponent))
  if (number.exponent > 4_096) return context.exceed('integer of over 4096 bits')
  const size = number.mantissa < 0n ? -number.mantissa : number.mantissa
  const whole = number.exponent < 0 ? size >> bits : size << bits
  return (number.mantissa < 0n ? -whole : whole).toString(base)
}

export const STRINGS: readonly FunctionBuiltin[] = [
  { name: 'concat', arity: 2, evaluate: concat },
  { name: 'contains', arity: 2, evaluate: search((text, part) => text.includes(part)) },
  { name: 'endswith', arity: 2, evaluate: atEnd((text, part) => text.endsWith(part)) },
  { name: 'startswith', arity: 2, evaluate: atEnd((text, part) => text.startsWith(part)) },
  { name: 'lower', arity: 1, evaluate: caseOf(lowerCase) },
  { name: 'upper', arity: 1, evaluate: caseOf(upperCase) },
  { name: 'split', arity: 2, evaluate: splitAll },
  { name: 'trim', arity: 2, evaluate: trimming(true, true) },
  { name: 'trim_left', arity: 2, evaluate: trimming(true, false) },
  { name: 'trim_right', arity: 2, evaluate: trimming(false, true) },
  {
    name: 'trim_prefix',
    arity: 2,
    evaluate: atEnd((text, part) => (text.startsWith(part) ? text.slice(part.length) : text)),
  },
  {
    name: 'trim_suffix',
    arity: 2,
    evaluate: atEnd((text, part) => (text.endsWith(part) ? text.slice(0, text.length - part.length) : text)),
  },
  { name: 'trim_space', arity: 1, evaluate: trimSpace },
  { name: 'replace', arity: 3, evaluate: replace },
  { name: 'strings.replace_n', arity: 2, evaluate: replaceMany },
  { name: 'strings.reverse', arity: 1, evaluate: reverse },
  { name: 'strings.count', arity: 2, evaluate: count },
  { name: 'strings.split_n', arity: 3, evaluate: splitSome },
  { name: 'strings.any_prefix_match', arity: 2, evaluate: anyMatch((text, part) => text.startsWith(part)) },
  { name: 'strings.any_suffix_match', arity: 2, evaluate: anyMatch((text, part) => text.endsWith(part)) },
  { name: 'substring', arity: 3, evaluate: substring },
  { name: 'indexof', arity: 2, evaluate: indexOf },
  { name: 'indexof_n', arity: 2, evaluate: indexOfAll },
  { name: 'sprintf', arity: 2, evaluate: sprintf },
  { name: 'format_int', arity: 2, evaluate: formatInteger },
]
