import { RE2JS, RE2JSException } from 're2js'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext } from './builtin.ts'
import { allowText } from './charging.ts'
import { estimateInstructions } from './re2-size.ts'

/*
 * Regular expressions of policies use RE2 syntax and run in linear time. JavaScript's own engine backtracks, so a
 * pattern could block the process, and its syntax differs. The engine is large: only deferred groups import this.
 */

/** One character and one instruction cost at most this fraction of a step. */
const WORK_PER_STEP = 25

/**
 * A match: for each group the positions of its start and end in UTF-16 units, -1 if the group did not take part; group
 * 0 is the whole match.
 */
export type Match = readonly (readonly [start: number, end: number])[]

export interface Regex {
  /** Non-overlapping matches from the left, at most `most`; charged during the search. */
  readonly matches: (text: string, most: number, context: BuiltinContext) => Match[]
  /** Whether it matches anywhere. */
  readonly test: (text: string, context: BuiltinContext) => boolean
  /** The number of a named group. */
  readonly groupNumber: (name: string) => number | undefined
}

/** A pattern that matches `text` literally. */
export const quoteRegex = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')

/**
 * Compiles a pattern, once per evaluation.
 * @throws BuiltinError with the syntax error; LimitError for a pattern that is too long or compiles to too much
 */
export function compileRegex(pattern: string, context: BuiltinContext): Regex {
  return context.remember(`regex ${pattern}`, () => {
    const { regexPatternUnits, regexInstructions } = context.limits
    if (pattern.length > regexPatternUnits) return context.exceed('a regular expression is too long')
    const size = estimateInstructions(pattern)
    if (size > regexInstructions) return context.exceed('a regular expression compiles to too many instructions')
    context.charge(10 + pattern.length + size)
    const compiled = parse(pattern)
    if (compiled.programSize() > regexInstructions)
      return context.exceed('a regular expression compiles to too many instructions')
    return wrap(compiled)
  })
}

function parse(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (error instanceof RE2JSException) throw new BuiltinError(error.message)
    throw error
  }
}

function wrap(compiled: RE2JS): Regex {
  const size = compiled.programSize()
  const names = new Map(Object.entries(compiled.namedGroups()))
  const chargeRun = (text: string, from: number, context: BuiltinContext): void =>
    context.charge(1 + Math.ceil(((text.length - from + 1) * size) / WORK_PER_STEP))
  return {
    groupNumber: (name) => names.get(name),
    test: (text, context) => {
      admit(text, context)
      chargeRun(text, 0, context)
      return compiled.matcher(text).find()
    },
    matches: (text, most, context) => {
      admit(text, context)
      const matcher = compiled.matcher(text)
      const found: Match[] = []
      let previousEnd = -1
      for (let from = 0; from <= text.length && found.length < most;) {
        chargeRun(text, from, context)
        if (!matcher.find(from)) break
        const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group): [number, number] => [
          matcher.start(group),
          matcher.end(group),
        ])
        const [[start, end] = [0, 0]] = groups
        // An empty match directly after the previous match does not count.
        if (end > from || start !== previousEnd) {
          context.allocate(groups.length)
          found.push(groups)
        }
        previousEnd = end
        from = end > from ? end : from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1)
      }
      return found
    },
  }
}

function admit(text: string, context: BuiltinContext): void {
  if (text.length > context.limits.regexTextUnits) context.exceed('a text for a regular expression is too long')
}

const NAME = /^(?:\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/u

/**
 * `template` with `$1`, `$name`, `${name}` replaced by the text of the groups, and `$$` by a dollar. A name is as long
 * as possible, an unknown name is replaced by an empty text, and a dollar before any other character stays.
 */
export function expand(template: string, text: string, match: Match, regex: Regex, context: BuiltinContext): string {
  let result = ''
  for (let at = 0; at < template.length;) {
    const dollar = template.indexOf('$', at)
    result += template.slice(at, dollar < 0 ? undefined : dollar)
    if (dollar < 0) break
    const rest = template.slice(dollar + 1)
    const name = rest.startsWith('$') ? null : NAME.exec(rest)
    at = dollar + 1 + (name?.[0].length ?? (rest.startsWith('$') ? 1 : 0))
    if (name === null) result += '$'
    else {
      const [start, end] = match[groupOf(name[1] ?? name[2] ?? '', regex)] ?? [-1, -1]
      if (start >= 0) result += text.slice(start, end)
    }
    context.charge(1 + Math.ceil(rest.length / 32))
    if (result.length > context.limits.stringUnits) allowText(context, result.length)
  }
  return result
}

const groupOf = (name: string, regex: Regex): number =>
  /^(?:0|[1-9]\d{0,7})$/.test(name) ? Number(name) : (regex.groupNumber(name) ?? -1)
