/**
 * The floor of a refresh: every key of a place listed and described with the official client, straight from its package
 * and with its own settings, in a process of its own. Nothing is compared or kept.
 */
import { fork } from 'node:child_process'
import { answerParent, apart } from './apart.ts'

/** As in `shared/work/synchronize/reading.ts`. */
export const KEYS_AT_ONCE = 5

/** All that a refresh asks for. */
export const WHOLE = 'whole'

export interface BareSurvey {
  /** @param depth `WHOLE`, or another that the cloud's part names. @returns the milliseconds it took */
  readonly run: (depth: string) => Promise<number>
  readonly stop: () => Promise<void>
}

interface Survey {
  readonly place: unknown
  readonly depth: string
  readonly keys: number
}

/** @param file the module that calls `answerSurveys` when it is started by itself. @param keys the expected number */
export function startSurvey(file: string, place: unknown, keys: number): BareSurvey {
  const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { ask, stop } = apart(child)
  return { run: async (depth) => (await ask({ place, depth, keys } satisfies Survey)) as number, stop }
}

/**
 * The other side, for a forked process.
 * @param open makes the client, once
 * @param survey how many keys there are
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
