import { Refusal } from '../../base/errors.ts'

type Verb = (...args: readonly unknown[]) => Promise<unknown>

/** The refusal of a verb that a cloud's adapter lacks. */
export const cannot = (name: string, verb: string): Refusal => new Refusal('NOT_SUPPORTED', `${name} cannot ${verb}.`)

/**
 * An adapter that is imported at its first call: SDKs are large, and most requests call no cloud. Every verb of an
 * adapter returns a promise; a verb that the adapter lacks throws.
 * @param name of the cloud, for refusals
 * @throws Refusal NOT_SUPPORTED, naming the verb
 */
export const lazyAdapter = <Adapter extends object>(name: string, load: () => Promise<Adapter>): Adapter =>
  new Proxy<Adapter>(Object.create(null) as Adapter, {
    get: (_target, verb) => {
      if (verb === 'then') return undefined // an adapter is not a promise
      return async (...args: readonly unknown[]) => {
        const found: unknown = Reflect.get(await load(), verb)
        if (typeof found !== 'function') throw cannot(name, String(verb))
        return (found as Verb)(...args)
      }
    },
  })
