import { fieldsOf, isAmong } from './json.ts'

type Patch<T> = { readonly [F in keyof T]?: T[F] | null | undefined }

/** `item` with the fields of a PATCH: absent ones stay, `null` removes. */
export function patched<T extends object>(item: T, patch: Patch<T>): T {
  const merged = Object.entries({ ...item, ...defined(patch) }).filter(([, value]) => value !== null)
  return Object.fromEntries(merged) as T // only optional fields can be null in a body
}

type Undefinable<T> = { [F in keyof T]-?: undefined extends T[F] ? F : never }[keyof T]

/** `T` in which fields that may be `undefined` are optional instead. */
export type Defined<T> = Omit<T, Undefinable<T>> & { [F in Undefinable<T>]?: Exclude<T[F], undefined> }

/** The fields that have a value: a record, an answer or a request omits a field instead of containing `undefined`. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T> // by this filter

/** The names of the rows of a table. Pass a literal only: another value may have more members than its type. */
export const namesOf = <T extends object>(table: T): [keyof T & string, ...(keyof T & string)[]] =>
  Object.keys(table) as [keyof T & string, ...(keyof T & string)[]] // a table has at least one row

/** An object with these members. */
export const byName = <const N extends string, V>(names: readonly N[], valueOf: (name: N) => V): Record<N, V> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<N, V> // one member for each name

/** `item` without some of its fields. */
export function without<T extends object, F extends keyof T & string>(item: T, ...fields: readonly F[]): Omit<T, F> {
  const left = Object.entries(item).filter(([field]) => !isAmong(fields, field))
  return Object.fromEntries(left) as Omit<T, F> // these are the fields left
}

/** Whether two states of a record are equal. Comparing identical members costs nothing. */
export function sameFields<T extends object>(a: T, b: T): boolean {
  const isSame = (field: string): boolean => {
    const [one, other] = [fieldsOf(a)[field], fieldsOf(b)[field]]
    return one === other || JSON.stringify(one) === JSON.stringify(other)
  }
  return Object.keys({ ...a, ...b }).every(isSame)
}

/** Some of the fields of `item`. */
export const picked = <T extends object, F extends keyof T & string>(item: T, ...fields: readonly F[]): Pick<T, F> =>
  Object.fromEntries(fields.map((field) => [field, item[field]])) as Pick<T, F> // these are the fields picked

/** The fields in which two states of a record differ, with both values, for its audit record. */
export function differences<T extends object>(
  before: Partial<T>,
  after: Partial<T>,
  fields: readonly (keyof T & string)[],
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  const of = (state: Partial<T>): Record<string, unknown> =>
    Object.fromEntries(changed.map((field) => [field, state[field]]))
  return { before: of(before), after: of(after) }
}
