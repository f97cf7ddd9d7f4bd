/**
 * Objects whose fields are made when a schema is first used. A function declares thousands of schemas, of which its
 * first call uses few dozens; making all of them took a sixth of a cold start (docs/decisions/0021-cold-starts.md).
 */
import * as z from 'zod'
import { once } from './once.ts'

type Shape = z.core.$ZodLooseShape

/** Like `z.object`. @param fields called once, at the first use */
export function object<const S extends Shape>(fields: () => S): z.ZodObject<S> {
  const made = once(fields)
  return new z.ZodObject({
    type: 'object',
    get shape() {
      return made()
    },
  }) as unknown as z.ZodObject<S> // its constructor has no type parameters
}

/** Like `z.strictObject`. @param fields called once, at the first use */
export const strictObject = <const S extends Shape>(fields: () => S): z.ZodObject<S, z.core.$strict> =>
  object(fields).strict()

/** Like `base.extend`. @param fields called once, at the first use */
export function extended<B extends Shape, C extends z.core.$ZodObjectConfig, const S extends Shape>(
  base: z.ZodObject<B, C>,
  fields: () => S,
): z.ZodObject<z.util.Extend<B, S>, C> {
  const shape = { get: once(() => ({ ...base.shape, ...fields() })), enumerable: true, configurable: true }
  const def = Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(base.def), shape })
  return base.clone(def as typeof base.def) as unknown as z.ZodObject<z.util.Extend<B, S>, C> // `clone` keeps the type
}
