import { Refusal } from '../../../base/errors.ts'
import type { Journal } from '../../../base/journal.ts'
import type { KeySaga } from '../../../cloud/keys/kind.ts'
import { creatingKey, type Makes } from '../../../cloud/keys/make-key.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudBPlace } from '../adapter/types.ts'
import type { ItemTypes } from './kind.ts'
import type { Making } from './making.ts'

const absent = (): Refusal =>
  new Refusal(
    'STATE_CONFLICT',
    'What the request brought is not stored, so the work ended with the request: repeat it.',
  )

/** A value that is kept with the request alone: work that is resumed without the request does not have it. */
export interface Carrier<V> {
  /** @param take makes the value from the request; once for a request */
  readonly carry: (context: Pick<Context, 'once'>, take: () => Promise<V>) => Promise<V>
  readonly of: (context: Pick<Context, 'once'>) => Promise<V | undefined>
}

/** @param name of the value within a request */
export const carrier = <V>(name: string): Carrier<V> => ({
  carry: ({ once }, take) => once(name, take),
  of: ({ once }) => once<V | undefined>(name, () => Promise.resolve(undefined)),
})

/**
 * Makes a version of a value that is never stored, not even in the saga. Resumed without its request, it looks for what
 * was made, and is refused when there is nothing.
 * @param name of the saga
 */
export const making = <T extends ItemTypes, V>(
  name: string,
  makes: Makes<T, Making<T>>,
  carried: Carrier<V>,
  make: (place: CloudBPlace, spec: T['spec'], value: V, journal: Journal) => Promise<T['read']>,
): KeySaga<T, Making<T>, T['whole']> => ({
  ...creatingKey<T, Making<T>>(name, makes),
  run: async (context, input, journal) => {
    const place = await makes.reach(context, input)
    const value = await carried.of(context)
    if (value !== undefined) return makes.wholeOf(place, await make(place, input.spec, value, journal))
    const made = await (await makes.kind.cloud()).made(place, input.spec)
    if (made === undefined) throw absent()
    return makes.wholeOf(place, made)
  },
})
