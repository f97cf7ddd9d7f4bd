import { without } from '../base/fields.ts'
import type { EntityDefinition } from './entity.ts'
import type { Family } from './layout.ts'
import { ifIntact, type Damage } from './salvage.ts'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const mapped = <V>(of: Readonly<Record<string, V>>, change: (value: V) => V): Record<string, V> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]))

/** The definition for a damaged item: its sets, unique values, families and row, as far as they can be derived. */
export const asFarAsIntact = <T, R>(
  { sets, unique, families, row, ...rest }: EntityDefinition<T, R>,
  damage: Damage<T>,
): EntityDefinition<T, R> => ({
  ...rest,
  sets: (item) => [...new Set(ifIntact(damage, () => sets(item), []).filter(isText))],
  unique: (item) =>
    mapped(
      ifIntact(damage, () => unique?.(item) ?? {}, {}),
      (values) => [...new Set(values.filter(isText))],
    ),
  families: (item) => {
    const places = ifIntact(damage, () => families?.(item) ?? [], [])
    const whole = places.filter(({ name, key }) => isText(name) && isText(key))
    const bare = whole.map((place): Family => without(place, 'digest')) // a replacement always writes its digest
    return [...new Map(bare.map((place) => [JSON.stringify([place.name, place.key]), place])).values()]
  },
  row: (item) => ifIntact(damage, () => row(item), {} as R), // never written: the row is removed or replaced
})
