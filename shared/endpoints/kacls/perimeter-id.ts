/** Bytes of a perimeter's id in UTF-8. */
export const PERIMETER_BYTES = 128

/** The perimeter of calls that open keys without a token of the suite. Reserved: other calls must not use it. */
export const TAKEOUT = 'takeout'
