import { AsyncLocalStorage } from 'node:async_hooks'

/** Thrown in place of a write, inside `withoutWrites`. */
export class WriteStopped extends Error {
  override readonly name = 'WriteStopped'
}

const isStopped = new AsyncLocalStorage<true>()

/** Runs work whose first write to the table throws WriteStopped, wherever it is. */
export const withoutWrites = <T>(work: () => Promise<T>): Promise<T> => isStopped.run(true, work)

/** Called before each write. @throws WriteStopped inside `withoutWrites` */
export function assertMayWrite(): void {
  if (isStopped.getStore() === true) throw new WriteStopped('This work may not write')
}
