import { Refusal } from '../base/errors.ts'

/**
 * Ours: RSA keys are made and their primes tested, and keys are derived from passwords of files, two at a time in one
 * instance. OpenSSL does all of it on the four threads that log-ins need too, so more at a time would delay every log-in;
 * more that wait would outlast their requests.
 */
const AT_A_TIME = 2
const WAITING_MOST = 8

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs work that keeps a thread busy for long, when it is its turn.
 * @throws Refusal TOO_MANY_REQUESTS when too much is waiting already, and what `work` throws
 */
export async function fewAtATime<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= WAITING_MOST)
    throw new Refusal(
      'TOO_MANY_REQUESTS',
      'Too many keys are being made, imported or exported; try again in a few seconds.',
    )
  if (running >= AT_A_TIME) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next() // takes over the place
  }
}
