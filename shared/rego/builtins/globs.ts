import { isArray } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { allowText, chargeText } from './charging.ts'
import { compileGlob, quoteGlob } from './glob-match.ts'
import { GlobSyntaxError } from './glob-pattern.ts'
import { elementError, mustBeOneOf, stringOperand } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** One character in one state costs this fraction of a step. */
const WORK_PER_STEP = 8

/** Null means no delimiter, the empty array a dot. */
function delimitersOperand(operands: readonly Value[], context: BuiltinContext): ReadonlySet<string> {
  const value = operands[1] ?? null
  if (value === null) return new Set()
  if (!isArray(value)) throw new OperandError(2, mustBeOneOf(['array', 'null'], value))
  if (value.length === 0) return new Set('.')
  context.charge(2 * value.length)
  return new Set(
    value.map((element) => {
      if (typeof element !== 'string') throw elementError(2, value, element, 'string')
      if (Array.from(element).length !== 1) throw elementError(2, value, element, 'rune')
      return element
    }),
  )
}

const match: Evaluate = (operands, context) => {
  const pattern = stringOperand(operands, 1)
  const delimiters = delimitersOperand(operands, context)
  const text = stringOperand(operands, 3)
  if (pattern.length > context.limits.globPatternUnits) return context.exceed('a glob is too long')
  const glob = context.remember(`glob ${JSON.stringify([pattern, ...delimiters])}`, () => {
    context.charge(10 + pattern.length)
    try {
      return compileGlob(pattern, delimiters)
    } catch (error) {
      if (error instanceof GlobSyntaxError) throw new BuiltinError(error.message)
      throw error
    }
  })
  context.charge(1 + Math.ceil((text.length * glob.size) / WORK_PER_STEP))
  return glob.matches(text)
}

const quoteMeta: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  chargeText(context, text.length * 4)
  allowText(context, text.length * 2)
  return quoteGlob(text)
}

export const GLOBS: readonly FunctionBuiltin[] = [
  { name: 'glob.match', arity: 3, evaluate: match },
  { name: 'glob.quote_meta', arity: 1, evaluate: quoteMeta },
]
