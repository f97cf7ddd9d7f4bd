import type { Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { allowText, allowValues } from './charging.ts'
import type { Evaluations } from './deferred.ts'
import { globsOverlap } from './glob-overlap.ts'
import { quoted } from './go-quote.ts'
import { positionOperand, stringOperand } from './operands.ts'
import { compileRegex, expand, quoteRegex } from './re2.ts'
import type { Match } from './re2.ts'

type Evaluate = FunctionBuiltin['evaluate']

const match: Evaluate = (operands, context) => {
  const pattern = stringOperand(operands, 1)
  const text = stringOperand(operands, 2)
  return compileRegex(pattern, context).test(text, context)
}

/** Whether it parses; false for anything but a string. */
const isValid: Evaluate = ([pattern = null], context) => {
  if (typeof pattern !== 'string') return false
  try {
    compileRegex(pattern, context)
    return true
  } catch (error) {
    if (error instanceof BuiltinError) return false
    throw error
  }
}

const taken = (text: string, [start, end]: readonly [number, number]): string =>
  start < 0 ? '' : text.slice(start, end)

/** The parts between matches; an empty match at the very start does not split, and an empty text stays as it is. */
const split: Evaluate = (operands, context) => {
  const pattern = stringOperand(operands, 1)
  const text = stringOperand(operands, 2)
  const regex = compileRegex(pattern, context)
  if (pattern !== '' && text === '') return ['']
  const parts: string[] = []
  let begin = 0
  let end = 0
  for (const [[start, stop] = [0, 0]] of regex.matches(text, Infinity, context)) {
    end = start
    if (stop !== 0) parts.push(text.slice(begin, end))
    begin = stop
  }
  if (end !== text.length) parts.push(text.slice(begin))
  allowValues(context, parts.length, text.length)
  return parts
}

const replace: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  const regex = compileRegex(stringOperand(operands, 2), context)
  const template = stringOperand(operands, 3)
  let result = ''
  let kept = 0
  for (const found of regex.matches(text, Infinity, context)) {
    const [[start, end] = [0, 0]] = found
    result += text.slice(kept, start) + expand(template, text, found, regex, context)
    kept = end
    if (result.length > context.limits.stringUnits) allowText(context, result.length)
  }
  result += text.slice(kept)
  allowText(context, result.length)
  return result
}

const finding =
  (show: (text: string, found: Match) => Value): Evaluate =>
  (operands, context) => {
    const pattern = stringOperand(operands, 1)
    const text = stringOperand(operands, 2)
    const most = positionOperand(operands, 3)
    const found = compileRegex(pattern, context).matches(text, most < 0 ? Infinity : most, context)
    allowValues(
      context,
      found.length,
      found.reduce((units, groups) => units + groups.reduce((sum, [start, end]) => sum + end - start, 0), 0),
    )
    return found.map((groups) => show(text, groups))
  }

/** Parts of the template in delimiters are regular expressions; the rest is literal. The whole text must match. */
const templateMatch: Evaluate = (operands, context) => {
  const template = stringOperand(operands, 1)
  const text = stringOperand(operands, 2)
  const [start, end] = [delimiter(operands, 3, 'start'), delimiter(operands, 4, 'end')]
  if (template.length > context.limits.regexPatternUnits) return context.exceed('a regular expression is too long')
  return compileRegex(templatePattern(template, start, end, context), context).test(text, context)
}

function delimiter(operands: readonly Value[], position: number, which: string): string {
  const text = stringOperand(operands, position)
  const bytes = Buffer.byteLength(text)
  if (bytes === 1) return text
  throw new BuiltinError(`${which} delimiter has to be exactly one character long but is ${bytes} long`)
}

function templatePattern(template: string, start: string, end: string, context: BuiltinContext): string {
  let pattern = '^'
  let depth = 0
  let from = 0
  const unbalanced = (): never => {
    throw new BuiltinError(`unbalanced braces in ${quoted(template)}`)
  }
  for (let at = 0; at < template.length; at += 1) {
    if (template[at] === start) {
      depth += 1
      if (depth > 1) continue
      pattern += quoteRegex(template.slice(from, at))
      from = at + 1
    } else if (template[at] === end) {
      depth -= 1
      if (depth < 0) unbalanced()
      if (depth > 0) continue
      const part = template.slice(from, at)
      compileRegex(`^${part}$`, context) // separately, so that its groups cannot include the surrounding text
      pattern += `(${part})`
      from = at + 1
    }
  }
  if (depth !== 0) unbalanced()
  return `${pattern}${quoteRegex(template.slice(from))}$`
}

const globsMatch: Evaluate = (operands, context) => {
  const first = stringOperand(operands, 1)
  const second = stringOperand(operands, 2)
  if (Math.max(first.length, second.length) > context.limits.globPatternUnits)
    return context.exceed('a pattern is too long')
  context.charge(1 + first.length * second.length)
  const overlap = globsOverlap(first, second)
  if (overlap === undefined) throw new BuiltinError('the input provided is invalid')
  return overlap
}

export const REGEX = {
  'regex.match': match,
  re_match: match,
  'regex.is_valid': isValid,
  'regex.split': split,
  'regex.replace': replace,
  'regex.find_n': finding((text, [all = [0, 0]]) => taken(text, all)),
  'regex.find_all_string_submatch_n': finding((text, groups) => groups.map((group) => taken(text, group))),
  'regex.template_match': templateMatch,
  'regex.globs_match': globsMatch,
} satisfies Evaluations
