import type { Answer } from './calls.ts'
import type { Method } from './method.ts'
import { UnreachableError } from './problem.ts'
import { Attempts, isRepeatable, mayRepeatAfter, mayRepeatAfterError, type Retries } from './retries.ts'
import type { Timing } from './timing.ts'

/** Returns the bearer token of a call. After a 401 it is called again, with the refused token. */
export type TokenOf = (refused?: string) => string | Promise<string>

export interface Sending {
  readonly fetch: typeof fetch
  readonly token?: TokenOf | undefined
  readonly retries: Retries
  readonly timing: Timing
}

/** An answer with the number of attempts. */
export interface Sent extends Answer {
  readonly attempts: number
}

async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/[/+]json\b/.test(type)) {
    const text = await response.text()
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
  if (type.startsWith('text/')) return response.text()
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.length === 0 ? undefined : bytes
}

type Outcome =
  { readonly answer: Answer; readonly error?: never } | { readonly answer?: never; readonly error: unknown }

/** One attempt, including the read of the body, since a connection may break then too. */
async function attempt(request: Request, { fetch, retries }: Sending): Promise<Outcome> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(retries.attemptMs)])
  try {
    const response = await fetch(request.body === null ? request : request.clone(), { signal })
    return { answer: { status: response.status, headers: response.headers, body: await bodyOf(response) } }
  } catch (error) {
    request.signal.throwIfAborted()
    return { error }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, message } = error
  return cause instanceof Error ? reasonOf(cause) : message
}

const unreachable = (request: Request, attempts: number, error: unknown): UnreachableError =>
  new UnreachableError(`${new URL(request.url).origin} does not answer: ${reasonOf(error)}`, attempts, { cause: error })

/**
 * Ends with the signal of a call, while other callers may continue to wait for the same result. @throws the signal's
 * reason
 */
function orEnded<T>(ask: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = (): void => reject(signal.reason as Error) // any value from the owner of the signal
    signal.addEventListener('abort', stop, { once: true })
    const done = (): void => signal.removeEventListener('abort', stop)
    void Promise.resolve(ask()).then(resolve, reject).finally(done)
  })
}

/** The token of a call, renewed once if it is refused. */
class Bearer {
  #value: string | undefined
  #renewed = false
  readonly #token: TokenOf | undefined

  constructor(token: TokenOf | undefined) {
    this.#token = token
  }

  async putInto({ headers, signal }: Request): Promise<void> {
    const token = this.#token
    if (token === undefined) return
    this.#value ??= await orEnded(() => token(), signal)
    headers.set('authorization', `Bearer ${this.#value}`)
  }

  /** @returns whether there is another token to try */
  async isRenewed({ signal }: Request): Promise<boolean> {
    const [token, refused] = [this.#token, this.#value]
    if (this.#renewed || token === undefined) return false
    this.#renewed = true
    this.#value = await orEnded(() => token(refused), signal)
    return this.#value !== refused
  }
}

/**
 * Sends a call until it is answered, as often as it is safe.
 * @returns the last answer, with any status
 * @throws UnreachableError, or the reason of the request's signal
 */
export async function send(method: Method, request: Request, sending: Sending): Promise<Sent> {
  const attempts = new Attempts(sending.retries, sending.timing)
  const repeatable = isRepeatable(method, request.headers)
  const bearer = new Bearer(request.headers.has('authorization') ? undefined : sending.token)
  for (;;) {
    await bearer.putInto(request)
    request.signal.throwIfAborted()
    attempts.count += 1
    const { answer, error } = await attempt(request, sending)
    if (answer === undefined) {
      if (mayRepeatAfterError(error, repeatable) && (await attempts.again(request.signal))) continue
      throw unreachable(request, attempts.count, error)
    }
    if (answer.status === 401 && (await bearer.isRenewed(request))) continue
    const { status, headers } = answer
    if (mayRepeatAfter(status, headers, repeatable) && (await attempts.again(request.signal, headers))) continue
    return { ...answer, attempts: attempts.count }
  }
}
