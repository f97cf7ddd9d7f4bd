/*
 * Each await of a value that is known already takes its part of a warm call's time. So steps and verbs of a data plane may
 * return what they know instead of a promise of it. They join such values with `after`, and only the pipeline awaits them.
 */

export type MaybePromise<T> = T | Promise<T>

/** `next` of the value: at once if it is known. */
export const after = <T, U>(value: MaybePromise<T>, next: (known: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** `next` of two values that are read side by side. */
export const afterBoth = <A, B, U>(
  first: MaybePromise<A>,
  second: MaybePromise<B>,
  next: (first: A, second: B) => MaybePromise<U>,
): MaybePromise<U> =>
  first instanceof Promise || second instanceof Promise
    ? Promise.all([first, second]).then(([a, b]) => next(a, b))
    : next(first, second)
