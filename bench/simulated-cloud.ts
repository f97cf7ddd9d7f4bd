/** A simulated cloud in a process of its own, like a real cloud. */
import { fork } from 'node:child_process'
import { fieldsOf } from '../shared/base/json.ts'
import { answerParent, apart } from './apart.ts'

/** The interface of every simulated cloud. A place is a location of its keys: a region, a vault. */
export interface Simulated {
  readonly address: () => { readonly endpoint: string }
  /** Creates keys 0 to `count` of a place, each with a tag; existing ones stay the same. */
  readonly seed: (place: string, count: number) => Promise<void> | void
  /** Changes every nth key of a place at the cloud, without the service. @returns the number of changed keys */
  readonly changeEvery: (place: string, nth: number) => number
}

/** The same from another process. */
export type Remote<S> = {
  readonly [Name in keyof S]: S[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Awaited<Answer>>
    : never
}
/** A simulated cloud, with the members of its address. */
export type SimulatedCloud<S extends Simulated = Simulated> = Remote<S> &
  ReturnType<S['address']> & { readonly stop: () => Promise<void> }

interface Wish {
  readonly name: string
  readonly given: readonly unknown[]
}

/** @param file the module that calls `answerWishes` when it is started as a process */
export async function startSimulated<S extends Simulated>(file: string): Promise<SimulatedCloud<S>> {
  const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' })
  const { ask, stop } = apart(child)
  const wish = (name: string, ...given: unknown[]): Promise<unknown> => ask({ name, given } satisfies Wish)
  const members: Readonly<Record<string, unknown>> = { ...fieldsOf(await wish('address')), stop }
  const remote = new Proxy(members, {
    get: (own, name) =>
      typeof name === 'symbol' || name === 'then' ? undefined : (own[name] ?? wish.bind(null, name)),
  })
  return remote as SimulatedCloud<S> // every other member is a call to the child
}

/** The other side, for a forked process. */
export function answerWishes(simulated: Simulated): void {
  const granted = simulated as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
  answerParent((question) => {
    const { name, given } = question as Wish
    return new Promise((resolve) => resolve(granted[name]?.(...given)))
  })
}
