/**
 * The minimum of a refresh: every key of a place is listed and described with the official client, directly from its
 * package and with its own settings, in a process of its own. Nothing is compared or stored.
 */
import { fork } from 'node:child_process'
import { answerParent, apart } from './apart.ts'

/** As in `shared/work/synchronize/reading.ts`. */
export const KEYS_AT_ONCE = 5

/** All calls of a refresh. */
export const WHOLE = 'whole'

export interface BareSurvey {
  /** @param depth `WHOLE`, or another one that the cloud's part defines @returns milliseconds */
  readonly run: (depth: string) => Promise<number>
  readonly stop: () => Promise<void>
}

interface Survey {
  readonly place: unknown
  readonly depth: string
  readonly keys: number
}

/** @param file the module that calls `answerSurveys` when it is started as a process @param keys the expected number */
export function startSurvey(file: string, place: unknown, keys: number): BareSurvey {
  const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { ask, stop } = apart(child)
  return { run: async (depth) => (await ask({ place, depth, keys } satisfies Survey)) as number, stop }
}

/**
 * The other side, for a forked process.
 * @param open creates the client, once
 * @param survey returns the number of keys
 */
export function answerSurveys<Client>(
  open: (place: unknown) => Client,
  survey: (client: Client, depth: string) => Promise<number>,
): void {
  let client: Client | undefined
  answerParent(async (question) => {
    const { place, depth, keys } = question as Survey
    client ??= open(place)
    const from = performance.now()
    const found = await survey(client, depth)
    if (found !== keys) throw new Error(`${found} keys instead of ${keys}`)
    return performance.now() - from
  })
}
