import createClient from 'openapi-fetch'
import type { Answer, Method, UntypedInit, Verb } from './calls.ts'
import { ProblemError, problemOf, UnreachableError } from './problem.ts'

export interface KeymgrOptions {
  /** ends in `/api`; a page of the service itself may say `/api` alone */
  readonly baseUrl: string
  /** the bearer token of each call; without it, calls are made without a token */
  readonly token?: () => string | Promise<string>
  /** sends requests, such as with a client certificate */
  readonly fetch?: typeof fetch
}

/** The interface of a service, typed by its API description. */
export interface Keymgr {
  /** @throws ProblemError, UnreachableError, or the reason of the signal */
  readonly get: Verb<'get'>
  readonly post: Verb<'post'>
  readonly put: Verb<'put'>
  readonly patch: Verb<'patch'>
  readonly delete: Verb<'delete'>
  /**
   * The same without types, for callers that go by the description when they run, or need status and headers.
   * @param path as the description has it, with its `{names}`
   */
  readonly request: (method: Method, path: string, init?: UntypedInit) => Promise<Answer>
}

/** Paths of the description that are below the host itself, not below `/api`. */
const AT_ROOT = /^\/(platform|\.well-known)\//

/** Operations of which nothing is known before they are called. */
type Untyped = Record<
  string,
  Record<
    Method,
    {
      parameters: { path?: Readonly<Record<string, unknown>>; query?: Readonly<Record<string, unknown>> }
      requestBody?: { content: { 'application/json': unknown } }
      responses: Record<200, { content: { 'application/json': unknown } }>
    }
  >
>

async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/[/+]json\b/.test(type)) {
    const text = await response.text()
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
  if (type.startsWith('text/')) return response.text()
  const bytes = await response.bytes()
  return bytes.length === 0 ? undefined : bytes
}

/** @throws TypeError when `baseUrl` does not end in `/api` */
export function createKeymgr(options: KeymgrOptions): Keymgr {
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  if (!baseUrl.endsWith('/api')) throw new TypeError('baseUrl ends in /api, such as https://keymgr.example.com/api')
  const root = baseUrl.slice(0, -'/api'.length)
  const client = createClient<Untyped>({ baseUrl })

  const send = async (request: Request): Promise<Answer> => {
    if (options.token !== undefined && !request.headers.has('authorization'))
      request.headers.set('authorization', `Bearer ${await options.token()}`)
    try {
      const response = await (options.fetch ?? fetch)(request)
      return { status: response.status, headers: response.headers, body: await bodyOf(response) }
    } catch (error) {
      request.signal.throwIfAborted()
      throw new UnreachableError(`${new URL(request.url).origin} does not answer`, 1, { cause: error })
    }
  }

  const request = async (method: Method, path: string, init: UntypedInit = {}): Promise<Answer> => {
    const { path: inPath, query, ...rest } = init
    let answer: Answer | undefined
    await client.request(method, path, {
      ...rest,
      ...(AT_ROOT.test(path) && { baseUrl: root }),
      params: { ...(inPath && { path: inPath }), ...(query && { query }) },
      // The answer is read here, once: openapi-fetch gets an empty one.
      fetch: async (sent: Request) => {
        answer = await send(sent)
        return new Response(null, { status: answer.status < 300 ? 204 : answer.status })
      },
    })
    if (answer === undefined) throw new Error('openapi-fetch made no call')
    if (answer.status >= 300) throw new ProblemError(problemOf(answer.status, answer.body), answer.headers)
    return answer
  }

  const verb =
    (method: Method) =>
    async (path: string, init?: UntypedInit): Promise<unknown> =>
      (await request(method, path, init)).body

  return {
    // The description types what goes in and comes out; the service checks the one and its tests the other.
    get: verb('get') as Verb<'get'>,
    post: verb('post') as Verb<'post'>,
    put: verb('put') as Verb<'put'>,
    patch: verb('patch') as Verb<'patch'>,
    delete: verb('delete') as Verb<'delete'>,
    request,
  }
}
