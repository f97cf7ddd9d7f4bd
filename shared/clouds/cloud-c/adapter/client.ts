import type * as z from 'zod'
import { CloudFailure, retryAfterMs, Unreadable } from '../../../cloud/adapter/failures.ts'
import { pauseBefore } from '../../../cloud/adapter/waiting.ts'
import { bearerOf, forgetBearer } from './bearer.ts'
import { addressOf, type CloudCService } from './endpoints.ts'
import { codeOf, failure, isPassing, mayHaveTakenEffect, refusalFrom, wait } from './errors.ts'
import { send, type CloudReply } from './transport.ts'
import type { CloudCEntry } from './types.ts'
import { Failure } from './wire.ts'

/** One call to a service. */
export interface Call<Reply extends z.ZodType> {
  readonly service: CloudCService
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** begins with the version of the service, such as `/v1/projects/…`; consists of checked parts */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly body?: object | undefined
  /** Creates something new each time: not repeated when it may have taken effect. */
  readonly makesNew?: boolean
  readonly reply: Reply
}

/** Most attempts of a call: a job backs off longer. */
const ATTEMPTS: Readonly<Record<CloudCEntry['patience'], number>> = { request: 5, job: 10 }
/** Time limit of one call: a job reads large logs, whose pages may take half a minute. */
const ANSWER_MS: Readonly<Record<CloudCEntry['patience'], number>> = { request: 10_000, job: 60_000 }

function urlOf({ service, path, query = {} }: Pick<Call<z.ZodType>, 'service' | 'path' | 'query'>): URL {
  const url = new URL(`${addressOf(service)}${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

/** @throws CloudFailure, Unreadable */
function read<Reply extends z.ZodType>({ status, text, retryAfter }: CloudReply, reply: Reply): z.infer<Reply> {
  const pauseMs = retryAfterMs(retryAfter)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    if (status === 429 || status >= 500) throw failure('', '', status, pauseMs)
    throw new Unreadable(`no JSON, status ${status}`, { cause: error })
  }
  if (status !== 200) {
    const { status: code, message } = Failure.safeParse(json).data?.error ?? { status: '', message: '' }
    throw failure(code, message, status, pauseMs)
  }
  const parsed = reply.safeParse(json)
  if (parsed.success) return parsed.data
  throw new Unreadable('another answer than the documents promise', { cause: parsed.error })
}

async function once<Reply extends z.ZodType>(entry: CloudCEntry, call: Call<Reply>): Promise<z.infer<Reply>> {
  const { method, body, reply } = call
  const bearer = await bearerOf(entry.connection)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const answerWithinMs = ANSWER_MS[entry.patience]
  return read(await send({ method, url: urlOf(call), bearer, body: text, answerWithinMs }, entry.budget), reply)
}

/** Repeats the call once with a new token when the cloud rejects the cached one. */
async function authorised<Reply extends z.ZodType>(entry: CloudCEntry, call: Call<Reply>): Promise<z.infer<Reply>> {
  try {
    return await once(entry, call)
  } catch (error) {
    if (codeOf(error) !== 'UNAUTHENTICATED' || !forgetBearer(entry.connection)) throw error
    return await once(entry, call)
  }
}

const mayRepeat = (error: unknown, call: Call<z.ZodType>): boolean =>
  isPassing(error) && !(call.makesNew === true && mayHaveTakenEffect(error))

/**
 * Makes one call within the budget. Repeats it while a failure may be temporary, and turns every failure into a
 * refusal.
 * @returns the reply, parsed with the given schema
 */
export async function ask<Reply extends z.ZodType>(entry: CloudCEntry, call: Call<Reply>): Promise<z.infer<Reply>> {
  const { budget, patience } = entry
  try {
    for (let attempt = 1; ; attempt++) {
      budget.throwIfAborted()
      try {
        return await authorised(entry, call)
      } catch (error) {
        if (budget.aborted || attempt >= ATTEMPTS[patience] || !mayRepeat(error, call)) throw error
        await wait(pauseBefore(attempt, error instanceof CloudFailure ? error.retryAfterMs : undefined), budget)
      }
    }
  } catch (error) {
    throw refusalFrom(error, budget)
  }
}
