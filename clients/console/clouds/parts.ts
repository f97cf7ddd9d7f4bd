/** Splits items into parts of at most `most`, in order. */
export const inParts = <T>(items: readonly T[], most: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / most) }, (_, at) => items.slice(at * most, (at + 1) * most))
