/** The names of the rows of a table. Pass a literal only: another value may have more members than its type. */
export const namesOf = <T extends object>(table: T): (keyof T & string)[] => Object.keys(table) as (keyof T & string)[]

/** An object with these members. */
export const byName = <const N extends string, V>(names: readonly N[], valueOf: (name: N) => V): Record<N, V> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<N, V> // one member for each name
