import { Refusal } from '../base/errors.ts'

/**
 * Ours: at most two RSA key generations, prime tests or key derivations from file passwords run at a time in one
 * instance. OpenSSL runs them on the four threads that log-ins need too, so more at a time would delay every log-in,
 * and more in the queue would outlast their requests.
 */
const AT_A_TIME = 2
const WAITING_MOST = 8

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs work that occupies a thread for long, when its turn comes.
 * @throws Refusal TOO_MANY_REQUESTS when the queue is full, and errors of `work`
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
    else next() // takes over the slot
  }
}
