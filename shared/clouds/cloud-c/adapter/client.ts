import type * as z from 'zod'
import { ANSWER_MS, patiently, readJson } from '../../../cloud/adapter/asking.ts'
import { retryAfterMs } from '../../../cloud/adapter/failures.ts'
import { send } from '../../../cloud/adapter/transport.ts'
import { bearerOf, forgetBearer } from './bearer.ts'
import { addressOf, type CloudCService } from './endpoints.ts'
import { codeOf, failure, failures } from './errors.ts'
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

function urlOf({ service, path, query = {} }: Pick<Call<z.ZodType>, 'service' | 'path' | 'query'>): URL {
  const url = new URL(`${addressOf(service)}${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

async function once<Reply extends z.ZodType>(entry: CloudCEntry, call: Call<Reply>): Promise<z.infer<Reply>> {
  const { method, body } = call
  const headers = { authorization: `Bearer ${await bearerOf(entry.connection)}` }
  const text = body === undefined ? undefined : JSON.stringify(body)
  const answerWithinMs = ANSWER_MS[entry.patience]
  const reply = await send({ method, url: urlOf(call), headers, body: text, answerWithinMs }, entry.budget)
  return readJson(reply, call.reply, (json) => {
    const { status: code, message } = Failure.safeParse(json).data?.error ?? { status: '', message: '' }
    return failure(code, message, reply.status, retryAfterMs(reply.headers['retry-after']))
  })
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

/**
 * Makes one call within the budget. Repeats it while a failure may be temporary, and turns every failure into a
 * refusal.
 * @returns the reply, parsed with the given schema
 */
export const ask = <Reply extends z.ZodType>(entry: CloudCEntry, call: Call<Reply>): Promise<z.infer<Reply>> =>
  patiently(
    failures,
    entry,
    () => authorised(entry, call),
    (error) => !(call.makesNew === true && failures.mayHaveTakenEffect(error)),
  )
