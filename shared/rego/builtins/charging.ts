import type { BuiltinContext } from './builtin.ts'

/** Characters that native operations (copies, scans, maps) process in the time of a step. */
const UNITS_PER_STEP = 32

/** Searching a pattern up to this length takes about one pass; a longer one may take a multiple. */
const PLAIN_PATTERN = 128

/** Charges for work that is linear in `units` of text. */
export function chargeText(context: BuiltinContext, units: number): void {
  context.charge(1 + Math.ceil(units / UNITS_PER_STEP))
}

/** Charges for work that processes each character separately. */
export function chargeCharacters(context: BuiltinContext, units: number): void {
  context.charge(1 + Math.ceil(units / 4))
}

/** Charges for searching `pattern` in `text`: at worst the product of the two, as texts and patterns can be crafted. */
export function chargeSearch(context: BuiltinContext, text: string, pattern: string): void {
  chargeText(context, Math.ceil((text.length + pattern.length) * (1 + pattern.length / PLAIN_PATTERN)))
}

/** Most characters that one character becomes when it is escaped: `\\u0001`. */
const ESCAPE_GROWTH = 6

/** Charges for escaping `units` of text one by one, and for the largest possible result. */
export function chargeEscapes(context: BuiltinContext, units: number): void {
  context.charge(1 + (units >> 1))
  context.allocate(0, units * ESCAPE_GROWTH)
}

/** Reserves space for a string of `units` that is about to be built. @throws LimitError above `stringUnits` */
export function allowText(context: BuiltinContext, units: number): void {
  if (units > context.limits.stringUnits) context.exceed('a string that a built-in builds is too long')
  chargeText(context, units)
  context.allocate(1, units)
}

/** Reserves space for a collection of `nodes` values that are created, or only collected if they have no text. */
export function allowValues(context: BuiltinContext, nodes: number, textUnits = 0): void {
  context.charge(nodes + 1)
  context.allocate(nodes + 1, textUnits)
}
