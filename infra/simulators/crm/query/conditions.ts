import type { Call } from '../wire/call.ts'
import type { Condition, Literal } from './soql.ts'
import { fieldOf, type Row, type Table } from './table.ts'

type Comparable = string | number | boolean | null

const TIME = /^\d{4}-\d\d-\d\d(?:T.*)?$/

/** Texts are compared without case, times by their instant. */
function comparable(value: unknown): Comparable {
  if (typeof value === 'string') return TIME.test(value) ? Date.parse(value.replace('+0000', 'Z')) : value.toLowerCase()
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}

const isOrdered = (left: Comparable, right: Comparable): boolean => left !== null && right !== null

const OPERATORS: Readonly<Record<string, (value: Comparable, literals: readonly Comparable[]) => boolean>> = {
  '=': (value, [literal]) => value === literal,
  '!=': (value, [literal]) => value !== literal,
  '<': (value, [literal = null]) => isOrdered(value, literal) && Number(value) < Number(literal),
  '<=': (value, [literal = null]) => isOrdered(value, literal) && Number(value) <= Number(literal),
  '>': (value, [literal = null]) => isOrdered(value, literal) && Number(value) > Number(literal),
  '>=': (value, [literal = null]) => isOrdered(value, literal) && Number(value) >= Number(literal),
  IN: (value, literals) => literals.includes(value),
  LIKE: (value, [pattern]) => {
    const source = String(pattern)
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('%', '.*')
    return new RegExp(`^${source}$`).test(String(value))
  },
}

/** Whether a row fulfils a condition. @throws ApiError INVALID_FIELD */
export function matches(table: Table, call: Call, condition: Condition | undefined, row: Row): boolean {
  if (condition === undefined) return true
  const holds = (part: Condition): boolean => matches(table, call, part, row)
  if (condition.kind === 'not') return !holds(condition.part)
  if (condition.kind !== 'compare') return condition.parts[condition.kind === 'and' ? 'every' : 'some'](holds)
  const value = comparable(row.value(fieldOf(table, call, condition.field)))
  const literals = condition.values.map((each: Literal) => comparable(each))
  return OPERATORS[condition.operator]?.(value, literals) === true
}
