import { divide, toInteger } from '../number.ts'
import type { Num } from '../number.ts'
import { compare, isNumber } from '../value.ts'
import type { RegoObject, Value } from '../value.ts'
import { bounded } from './bounded.ts'
import type { BuiltinContext } from './builtin.ts'
import { chargeCharacters } from './charging.ts'
import { writeJson } from './json-write.ts'
import { compileRegex } from './re2.ts'

/** The place and the reason of a mismatch. */
export interface SchemaFault {
  /** members and indexes joined by dots, `(root)` for the document itself */
  readonly field: string
  readonly type: string
  readonly desc: string
}

/** A keyword whose value is a small number; undefined where the schema does not have it. */
export function countOf(schema: RegoObject, name: string): number | undefined {
  const count = schema.get(name)
  return typeof count === 'number' ? count : undefined
}

/** Faults of a text: lengths in code points, pattern. */
export function stringFaults(value: string, schema: RegoObject, field: string, context: BuiltinContext): SchemaFault[] {
  const found: SchemaFault[] = []
  const add = (type: string, desc: string): void => void found.push({ field, type, desc })
  const [least, most] = [countOf(schema, 'minLength'), countOf(schema, 'maxLength')]
  const length = least === undefined && most === undefined ? 0 : Array.from(value).length
  chargeCharacters(context, length)
  if (least !== undefined && length < least)
    add('string_gte', `String length must be greater than or equal to ${least}`)
  if (most !== undefined && length > most) add('string_lte', `String length must be less than or equal to ${most}`)
  const pattern = schema.get('pattern')
  if (typeof pattern === 'string' && !compileRegex(pattern, context).test(value, context))
    add('pattern', `Does not match pattern '${pattern}'`)
  return found
}

/** A bound of numbers: its keywords, the comparison that violates it, and its message. */
interface Bound {
  readonly name: string
  readonly exclusive: string
  readonly breaks: (order: number) => boolean
  readonly inclusiveFault: readonly [type: string, desc: string]
  readonly exclusiveFault: readonly [type: string, desc: string]
}

const BOUNDS: readonly Bound[] = [
  {
    name: 'maximum',
    exclusive: 'exclusiveMaximum',
    breaks: (order) => order > 0,
    inclusiveFault: ['number_lte', 'Must be less than or equal to '],
    exclusiveFault: ['number_lt', 'Must be less than '],
  },
  {
    name: 'minimum',
    exclusive: 'exclusiveMinimum',
    breaks: (order) => order < 0,
    inclusiveFault: ['number_gte', 'Must be greater than or equal to '],
    exclusiveFault: ['number_gt', 'Must be greater than '],
  },
]

/** Faults of a number: factor and bounds. In draft 4 the exclusive keyword is a flag of the other one. */
export function numberFaults(value: Num, schema: RegoObject, field: string, context: BuiltinContext): SchemaFault[] {
  const found: SchemaFault[] = []
  const shown = (bound: Value): string => writeJson(bound, context)
  const factor = schema.get('multipleOf')
  if (factor !== undefined && isNumber(factor)) {
    const quotient = bounded(context, () => divide(value, factor))
    if (quotient !== undefined && toInteger(quotient) === undefined)
      found.push({ field, type: 'multiple_of', desc: `Must be a multiple of ${shown(factor)}` })
  }
  for (const { name, exclusive, breaks, inclusiveFault, exclusiveFault } of BOUNDS) {
    const [limit, sharp] = [schema.get(name), schema.get(exclusive)]
    const check = (bound: Value, isExclusive: boolean): void => {
      const order = compare(value, bound)
      const [type, desc] = isExclusive ? exclusiveFault : inclusiveFault
      if (breaks(order) || (isExclusive && order === 0)) found.push({ field, type, desc: desc + shown(bound) })
    }
    if (limit !== undefined) check(limit, sharp === true)
    if (sharp !== undefined && typeof sharp !== 'boolean') check(sharp, true)
  }
  return found
}
