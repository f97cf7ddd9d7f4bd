import { Stale } from '../store/changes.ts'
import type { Context } from './context.ts'

/**
 * Runs the work of each name once, even if the operation runs again; work that lost a race is repeated.
 * @param done the results; each name has one type of result
 */
export const onceIn =
  (done: Map<string, Promise<unknown>>): Context['once'] =>
  <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const known = done.get(name) as Promise<T> | undefined
    if (known) return known
    const result = work()
    done.set(name, result)
    result.catch((error: unknown) => error instanceof Stale && done.delete(name))
    return result
  }
