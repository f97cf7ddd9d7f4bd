/** The flags, width and precision of a `sprintf` directive. */
export interface Flags {
  sharp: boolean
  zero: boolean
  plus: boolean
  minus: boolean
  space: boolean
  width: number | undefined
  precision: number | undefined
}

/** Larger widths and precisions are errors, as in Go. */
export const TOO_LARGE = 1_000_000n

export const formatFlags = (): Flags => ({
  sharp: false,
  zero: false,
  plus: false,
  minus: false,
  space: false,
  width: undefined,
  precision: undefined,
})

/**
 * The decimal number at `start`.
 * @returns no value if there is no digit, or if it is too large; the latter also skips the rest of the format
 */
export function parseNumber(format: readonly string[], start: number): { value: number | undefined; end: number } {
  let value: number | undefined
  let end = start
  for (; end < format.length; end += 1) {
    const digit = format[end] ?? ''
    if (digit < '0' || digit > '9' || digit.length !== 1) break
    if ((value ?? 0) > TOO_LARGE) return { value: undefined, end: format.length }
    value = (value ?? 0) * 10 + Number(digit)
  }
  return { value, end }
}
