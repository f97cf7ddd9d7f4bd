import { createHash } from 'node:crypto'
import { DAY_MS } from '../state/held.ts'
import type { Reply } from './reply.ts'
import { ApiError } from './errors.ts'

interface Remembered {
  readonly request: string
  readonly reply: Promise<Reply>
  readonly endsAt: number
}

/** Answers by retry token, for a day. */
export interface RetryTokens {
  /**
   * Runs a request once.
   * @param request must be the same when it is repeated
   * @throws ApiError InvalidatedRetryToken when another request has used the token, or its result is deleted
   */
  readonly once: (
    asked: { readonly token: string; readonly tenancyId: string; readonly request: string | Buffer },
    run: () => Promise<Reply>,
  ) => Promise<Reply>
}

/**
 * @param now in milliseconds
 * @param isUndone whether the result of an answer was deleted since then
 */
export function createRetryTokens(now: () => number, isUndone: (reply: Reply) => boolean): RetryTokens {
  const remembered = new Map<string, Remembered>()
  return {
    once: async ({ token, tenancyId, request }, run) => {
      const name = `${tenancyId} ${token}`
      const digest = createHash('sha256').update(request).digest('hex')
      const known = remembered.get(name)
      if (known !== undefined && known.endsAt > now()) {
        if (known.request === digest && !isUndone(await known.reply)) return known.reply
        throw new ApiError(
          'InvalidatedRetryToken',
          'The retry token was used, with another request or a former result.',
        )
      }
      const reply = run()
      remembered.set(name, { request: digest, reply, endsAt: now() + DAY_MS })
      reply.catch(() => remembered.delete(name))
      return reply
    },
  }
}
