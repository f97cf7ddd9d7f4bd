import { numberText, toDouble } from '../number.ts'
import { text } from '../text.ts'
import { RegoObject, RegoSet, isArray, isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import type { BuiltinContext } from './builtin.ts'
import { allowText, chargeEscapes } from './charging.ts'
import { formatText } from './go-format.ts'
import type { FormatArgument } from './go-verbs.ts'
import { arrayOperand, stringOperand } from './operands.ts'

/** `sprintf(format, values)`: it formats integers and numbers with a point as numbers, everything else as text. */
export function sprintf(operands: readonly Value[], context: BuiltinContext): string {
  const format = stringOperand(operands, 1)
  const values = arrayOperand(operands, 2)
  let built = 0
  const grow = (units: number): void => {
    built += units
    // Counted twice, as a piece and as a part of the whole, so a refused text is at most a multiple of the limit.
    if (built > 2 * context.limits.stringUnits) allowText(context, built)
    context.charge(1 + Math.ceil(units / 32))
  }
  grow(format.length)
  const result = formatText(
    format,
    values.map((value) => argument(value, context)),
    grow,
  )
  allowText(context, result.length)
  return result
}

/** Charges for printing a value, in advance: strings by their escapes, integers by their digits. */
function chargeShown(value: Value, context: BuiltinContext): void {
  context.charge(1)
  if (typeof value === 'string') chargeEscapes(context, value.length)
  else if (typeof value === 'bigint') context.charge(1 + (value.toString(16).length >> 4))
  else if (isArray(value)) for (const element of value) chargeShown(element, context)
  else if (value instanceof RegoObject || value instanceof RegoSet) value.parts((part) => chargeShown(part, context))
}

function argument(value: Value, context: BuiltinContext): FormatArgument {
  if (typeof value === 'string') return { type: 'string', value }
  if (typeof value === 'number' || typeof value === 'bigint') return { type: 'int', value: BigInt(value) }
  if (isNumber(value)) {
    const written = numberText(value)
    const double = toDouble(value)
    // As in the reference, a number beyond the range of doubles is formatted as text.
    return written.includes('.') && Number.isFinite(double)
      ? { type: 'float', value: double }
      : { type: 'string', value: written }
  }
  chargeShown(value, context)
  const shown = text(value)
  allowText(context, shown.length)
  return { type: 'string', value: shown }
}
