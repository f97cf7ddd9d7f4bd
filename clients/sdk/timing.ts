/** Time and chance, as far as calls need them. Tests bring their own. */
export interface Timing {
  /** milliseconds since any fixed moment */
  readonly now: () => number
  /** @throws the reason of `signal` */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** from 0 up to, not including, 1 */
  readonly random: () => number
}

function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error) // as fetch does, whatever the owner of the signal gave
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

const random = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32

/** `performance` counts on where the time of day is set; a token that ended while a machine slept is renewed on its 401. */
export const realTime: Timing = { now: () => performance.now(), wait, random }
