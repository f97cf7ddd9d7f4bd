import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { Token } from '../../../shared/identity/tokens/model.ts'
import { codeOf } from '../../simulators/toolkit/error-code.ts'
import { DemoFailure } from './failure.ts'
import type { Fields, Narrator } from './narrator.ts'

const ASK_AGAIN_MS = 200
const WAIT_MOST_MS = 60_000

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Asked<S extends z.ZodType> {
  readonly body?: object | string
  /** another caller's token, instead of this caller's */
  readonly bearer?: string
  readonly answers: S
  /** members of the answer to print */
  readonly shows: (answer: z.output<S>) => Fields
}

/** The printed members of a refusal: of a problem, or of an error in a protocol without problems. */
const Refused = z.union([
  z.object({ detail: z.string(), code: z.int(), codeDesc: z.string() }),
  z.object({ message: z.string(), code: z.int() }).transform(({ message, code }) => ({ detail: message, code })),
])

/** A client of the service over HTTP that prints each request and answer. */
export class Caller {
  readonly #baseUrl: string
  readonly #narrator: Narrator
  #token: string | undefined

  constructor(baseUrl: string, narrator: Narrator) {
    this.#baseUrl = baseUrl
    this.#narrator = narrator
  }

  /** The same service, called without a token. */
  withoutToken(): Caller {
    return new Caller(this.#baseUrl, this.#narrator)
  }

  async logIn(name: string, password: string): Promise<void> {
    this.#token = undefined
    const { jwt } = await this.call('POST', '/v1/auth/tokens', {
      body: { name, password },
      answers: Token,
      shows: ({ token_type, duration }) => ({ token_type, duration }),
    })
    this.#token = jwt
  }

  async logOut(): Promise<void> {
    await this.call('POST', '/v1/auth/logout', { answers: z.undefined(), shows: () => ({}) })
  }

  /** A call that must succeed. @throws DemoFailure with the other answer */
  async call<S extends z.ZodType>(method: Method, path: string, asked: Asked<S>): Promise<z.output<S>> {
    this.#narrator.request(`${method} ${path}`, asked.body)
    const { status, answer } = await this.#ask(method, path, asked)
    this.#narrator.answer(status, asked.shows(answer))
    return answer
  }

  /** A call that must be refused with this status. @throws DemoFailure */
  async refused(method: Method, path: string, status: number, body?: object): Promise<void> {
    this.#narrator.request(`${method} ${path}`, body)
    const answered = await this.#send(method, path, body)
    if (answered.status !== status)
      throw new DemoFailure(`${method} ${path} answered ${answered.status}, not ${status}.`)
    const { code, detail } = Refused.parse(answered.body)
    this.#narrator.answer(status, { code, detail })
  }

  /** Polls until the answer is as expected. @throws DemoFailure after a minute */
  async until<S extends z.ZodType>(
    path: string,
    { isThere, ...asked }: Asked<S> & { readonly isThere: (answer: z.output<S>) => boolean },
  ): Promise<z.output<S>> {
    this.#narrator.request(`GET ${path}   (asked until it has ended)`)
    for (const from = performance.now(); performance.now() - from < WAIT_MOST_MS; await pause(ASK_AGAIN_MS)) {
      const { status, answer } = await this.#ask('GET', path, asked)
      if (!isThere(answer)) continue
      this.#narrator.answer(status, asked.shows(answer))
      return answer
    }
    throw new DemoFailure(`GET ${path} did not come to its end within ${WAIT_MOST_MS / 1_000} seconds.`)
  }

  async #ask<S extends z.ZodType>(
    method: Method,
    path: string,
    { body, answers, bearer }: Asked<S>,
  ): Promise<{ status: number; answer: z.output<S> }> {
    const answered = await this.#send(method, path, body, bearer)
    if (answered.status >= 300)
      throw new DemoFailure(`${method} ${path} answered ${answered.status}: ${told(answered)}`)
    const answer = answers.safeParse(answered.body)
    if (!answer.success) {
      const { path: member = [], message = '' } = answer.error.issues[0] ?? {}
      throw new DemoFailure(`${method} ${path} answered another ${member.join('.')} than it promises: ${message}.`)
    }
    return { status: answered.status, answer: answer.data }
  }

  async #send(
    method: Method,
    path: string,
    body: object | string | undefined,
    bearer = this.#token,
  ): Promise<{ status: number; body: unknown }> {
    try {
      const response = await fetch(`${this.#baseUrl}${path}`, {
        method,
        headers: {
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') === true
      return { status: response.status, body: text === '' ? undefined : isJson ? JSON.parse(text) : text }
    } catch (error) {
      const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
      throw new DemoFailure(`There is no answer from ${this.#baseUrl} (${codeOf(cause)}).`, { cause: error })
    }
  }
}

/** The sentence of a refusal; `''` if the answer is not in the service's form. */
function told({ body }: { readonly body: unknown }): string {
  const refused = Refused.safeParse(body)
  return refused.success ? `${refused.data.detail} (code ${refused.data.code})` : 'not an answer of keymgr.'
}
