import type { Use } from '../clouds/uses.ts'
import type { Action } from './actions.tsx'

/**
 * The actions. Those with one of the names ask for the name of the resource, and show its dependents.
 * @param usesOf absent if no other resource depends on such a resource
 */
export const endingBy = <T, A extends Action<T>>(
  actions: readonly A[],
  name: string,
  nameOf: (of: T) => string,
  usesOf?: (of: T, signal: AbortSignal) => Promise<readonly Use[]>,
): readonly A[] =>
  actions.map((action) =>
    action.name === name && action.ends === undefined
      ? { ...action, ends: { nameOf, uses: usesOf ?? (() => Promise.resolve([])) } }
      : action,
  )
