import { byName } from './by-name.ts'

/** An object with one member, or an empty one when `value` is undefined: optional members are absent, not undefined. */
export const given = <Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> => (value === undefined ? {} : byName([name], () => value))
