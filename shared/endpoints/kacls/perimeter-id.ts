/** Bytes of a perimeter's id in UTF-8. */
export const PERIMETER_BYTES = 128

/** What calls that open keys without a token of the suite name in place of a perimeter: reserved for them. */
export const TAKEOUT = 'takeout'
