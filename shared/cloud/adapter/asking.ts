import type * as z from 'zod'
import { CloudFailure, Garbled, Unreadable, type CloudFailures } from './failures.ts'
import type { CloudReply } from './transport.ts'
import { pauseBefore } from './waiting.ts'

/** The limits of a call. */
export interface Patience {
  /** aborts every call in progress */
  readonly budget: AbortSignal
  /** A request stops after a few attempts; a job backs off longer. */
  readonly patience: 'request' | 'job'
}

const ATTEMPTS: Readonly<Record<Patience['patience'], number>> = { request: 5, job: 10 }
/** Time limit of one call: a job reads large logs, whose pages may take half a minute. */
export const ANSWER_MS: Readonly<Record<Patience['patience'], number>> = { request: 10_000, job: 60_000 }

/**
 * Makes a call within the budget, again while the failure may pass.
 * @param mayRepeat whether a call that failed in passing may be made again
 * @throws Refusal; every failure of the cloud is one
 */
export async function patiently<T>(
  { refusalFrom, isPassing, wait }: Pick<CloudFailures, 'refusalFrom' | 'isPassing' | 'wait'>,
  { budget, patience }: Patience,
  call: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = () => true,
): Promise<T> {
  try {
    for (let attempt = 1; ; attempt++) {
      budget.throwIfAborted()
      try {
        return await call()
      } catch (error) {
        if (budget.aborted || attempt >= ATTEMPTS[patience] || !isPassing(error) || !mayRepeat(error)) throw error
        await wait(pauseBefore(attempt, error instanceof CloudFailure ? error.retryAfterMs : undefined), budget)
      }
    }
  } catch (error) {
    throw refusalFrom(error, budget)
  }
}

/**
 * The JSON of an answer, in the expected shape.
 * @param failureOf converts an unsuccessful answer to a failure, from its JSON if it has any
 * @throws CloudFailure, Unreadable
 */
export function readJson<Schema extends z.ZodType>(
  { status, text }: Pick<CloudReply, 'status' | 'text'>,
  schema: Schema,
  failureOf: (json: unknown) => CloudFailure,
): z.infer<Schema> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    if (status === 429 || status >= 500) throw failureOf(undefined)
    throw new Garbled(`no JSON, status ${status}`, { cause: error })
  }
  if (status !== 200) throw failureOf(json)
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw new Unreadable('another answer than the documents promise', { cause: parsed.error })
}
