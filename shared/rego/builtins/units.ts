import { parseNumber, integer } from '../number.ts'
import type { Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { chargeCharacters } from './charging.ts'
import { lowerCase } from './case-mapping.ts'
import { stringOperand } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

const PREFIXES = ['k', 'm', 'g', 't', 'p', 'e'] as const

/** `k` 1000, `ki` 1024 and so on, each with or without a `b`. */
const BYTES: ReadonlyMap<string, bigint> = new Map(
  PREFIXES.flatMap((prefix, index): [string, bigint][] => {
    const [decimal, binary] = [10n ** BigInt(3 * index + 3), 2n ** BigInt(10 * index + 10)]
    return [
      [prefix, decimal],
      [`${prefix}b`, decimal],
      [`${prefix}i`, binary],
      [`${prefix}ib`, binary],
    ]
  }),
)

/** As above without `b`. The first letter may be in either case, except that `m` is a thousandth and `M` a million. */
const UNITS: ReadonlyMap<string, bigint> = new Map(
  PREFIXES.flatMap((prefix, index): [string, bigint][] => {
    const [decimal, binary] = [10n ** BigInt(3 * index + 3), 2n ** BigInt(10 * index + 10)]
    const upper = prefix.toUpperCase()
    return [
      [upper, decimal],
      [`${prefix}i`, binary],
      [`${upper}i`, binary],
      ...(prefix === 'm' ? [] : [[prefix, decimal] satisfies [string, bigint]]),
    ]
  }),
)

/** Longest text of an amount, exponents written out. */
const MAX_AMOUNT_UNITS = 1_024
const MAX_EXPONENT = 1_200
const DECIMALS = 10

interface Amount {
  /** the number as a fraction */
  readonly numerator: bigint
  readonly denominator: bigint
  readonly unit: string
}

/** Splits `1.5e3Mi` into number and unit. @param what `byte amount` or `amount`, for the messages */
function amountIn(text: string, what: string, context: BuiltinContext): Amount {
  if (text.length > MAX_AMOUNT_UNITS) return context.exceed('an amount is too long')
  chargeCharacters(context, text.length)
  if (text.includes(' ')) throw new BuiltinError('spaces not allowed in resource strings')
  // An `e` belongs to the number only if digits or a sign follow.
  const number = /^(?:[\d.+-]|[eE](?:[+-]|(?=\d)))*/.exec(text)?.[0] ?? ''
  if (number === '') throw new BuiltinError(`no ${what} provided`)
  if (/[eE][+-]?\d{7}/.test(number)) throw new BuiltinError('exponent too large')
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  if (whole + fraction === '') throw new BuiltinError(`could not parse ${what} to a number`)
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  if (power > MAX_EXPONENT && digits !== 0n) return context.exceed('integer of over 4096 bits')
  return {
    numerator: (sign === '-' ? -digits : digits) * 10n ** BigInt(Math.max(Math.min(power, MAX_EXPONENT), 0)),
    // Smaller exponents count as this one, which is far below the last shown digit.
    denominator: 10n ** BigInt(Math.max(Math.min(-power, 2 * MAX_EXPONENT), 0)),
    unit: text.slice(number.length),
  }
}

/** Whole bytes; a fraction is truncated. */
const parseBytes: Evaluate = (operands, context) => {
  const text = lowerCase(stringOperand(operands, 1)).replaceAll('"', '')
  const { numerator, denominator, unit } = amountIn(text, 'byte amount', context)
  const factor = unit === '' ? 1n : BYTES.get(unit)
  if (factor === undefined) throw new BuiltinError(`byte unit ${unit} not recognized`)
  return integer((numerator * factor) / denominator)
}

/** An integer if possible, otherwise ten decimals; thousandths always have decimals, as in the reference. */
const parse: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1).replaceAll('"', '')
  const amount = amountIn(text, 'amount', context)
  const unit = amount.unit.slice(0, 1) + lowerCase(amount.unit.slice(1))
  if (unit === 'm') return decimal(amount.numerator, amount.denominator * 1000n)
  const factor = unit === '' ? 1n : UNITS.get(unit)
  if (factor === undefined) throw new BuiltinError(`unit ${unit} not recognized`)
  const numerator = amount.numerator * factor
  if (numerator % amount.denominator === 0n) return integer(numerator / amount.denominator)
  return decimal(numerator, amount.denominator)
}

/** Halves are rounded away from zero. */
function decimal(numerator: bigint, denominator: bigint): Value {
  if (numerator === 0n) return 0
  const size = numerator < 0n ? -numerator : numerator
  const scaled = (2n * size * 10n ** BigInt(DECIMALS) + denominator) / (2n * denominator)
  const digits = scaled.toString().padStart(DECIMALS + 1, '0')
  const text = `${numerator < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
  return parseNumber(text) ?? 0
}

export const UNIT_ROWS: readonly FunctionBuiltin[] = [
  { name: 'units.parse', arity: 1, evaluate: parse },
  { name: 'units.parse_bytes', arity: 1, evaluate: parseBytes },
]
