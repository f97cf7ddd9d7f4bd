/** Bytes of a perimeter's id in UTF-8. */
export const PERIMETER_BYTES = 128

/** The perimeter of calls that open keys without a token of the suite. Reserved: no other call may name it. */
export const TAKEOUT = 'takeout'
