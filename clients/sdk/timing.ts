/** Time and random numbers for calls. Tests replace them. */
export interface Timing {
  /** milliseconds since any fixed moment */
  readonly now: () => number
  /** @throws the reason of `signal` */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** from 0 (inclusive) to 1 (exclusive) */
  readonly random: () => number
}

function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error) // like fetch, with any value from the owner of the signal
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

const random = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32

/**
 * `performance` is not affected by changes of the system clock. A token that expired while the machine slept is renewed
 * after its 401.
 */
export const realTime: Timing = { now: () => performance.now(), wait, random }
