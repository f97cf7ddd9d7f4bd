/*
 * Each await of a known value takes part of a warm call's time. So steps and verbs of a data plane may return a known
 * value instead of a promise. They combine such values with `after`, and only the pipeline awaits them.
 */

export type MaybePromise<T> = T | Promise<T>

/** Applies `next` to the value: at once if it is known. */
export const after = <T, U>(value: MaybePromise<T>, next: (known: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** A read whose throw is a rejection. */
const started = async <T>(read: () => MaybePromise<T>): Promise<T> => read()

/**
 * Applies `next` to two values that are read in parallel. A `second` that throws synchronously refuses like one that
 * rejects later: the read of `first` continues, and its rejection must not remain unhandled, which would end the
 * process.
 */
export const afterBoth = <A, B, U>(
  first: MaybePromise<A>,
  second: () => MaybePromise<B>,
  next: (first: A, second: B) => MaybePromise<U>,
): MaybePromise<U> =>
  first instanceof Promise
    ? Promise.all([first, started(second)]).then(([a, b]) => next(a, b))
    : after(second(), (known) => next(first, known))
