/*
 * Each await of a known value costs part of a warm call's time. So steps and verbs of a data plane may return a known
 * value in place of a promise. They join such values with `after`, and only the pipeline awaits them.
 */

export type MaybePromise<T> = T | Promise<T>

/** Applies `next` to the value: at once if it is known. */
export const after = <T, U>(value: MaybePromise<T>, next: (known: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Applies `next` to two values that are read in parallel. */
export const afterBoth = <A, B, U>(
  first: MaybePromise<A>,
  second: MaybePromise<B>,
  next: (first: A, second: B) => MaybePromise<U>,
): MaybePromise<U> =>
  first instanceof Promise || second instanceof Promise
    ? Promise.all([first, second]).then(([a, b]) => next(a, b))
    : next(first, second)
