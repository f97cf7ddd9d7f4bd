import type { Answer, AnswerOf, Given, InitOf, PathOf, UntypedInit, Verb } from './calls.ts'
import { entries, type Entries, type EntryOf, type ListPath, type Page } from './pages.ts'
import { requestsOf } from './requests.ts'
import type { Method } from './method.ts'
import { RETRIES, type Retries } from './retries.ts'
import type { TokenOf } from './send.ts'
import { realTime, type Timing } from './timing.ts'
import { lookUntil, type Waiting } from './until.ts'

export interface KeymgrOptions {
  /** ends in `/api`; a page of the service itself may use `/api` alone */
  readonly baseUrl: string
  /** the bearer token of each call, such as `token` of a log-in; without it, calls are made without a token */
  readonly token?: TokenOf
  /** sends requests, for example with a client certificate */
  readonly fetch?: typeof fetch
  /** override `RETRIES` */
  readonly retries?: Partial<Retries>
  readonly timing?: Timing
}

/**
 * The API of a service, typed by its description. Every call throws ProblemError, UnreachableError or the reason of its
 * signal, and TypeError for a value of `path` that is empty, `.`, `..` or has a `?`.
 */
export interface Keymgr {
  readonly get: Verb<'get'>
  readonly post: Verb<'post'>
  readonly put: Verb<'put'>
  readonly patch: Verb<'patch'>
  readonly delete: Verb<'delete'>
  /**
   * All entries of a list, loaded page by page as they are consumed: `query.limit` is the size of a page, `query.skip`
   * the first entry.
   */
  readonly pages: <P extends ListPath>(path: P, ...init: Given<'get', P>) => Entries<EntryOf<P>>
  /** Reads `path` repeatedly until `isOver`, and returns the last answer. @throws WaitedTooLong too */
  readonly until: <P extends PathOf<'get'>>(
    path: P,
    init: InitOf<'get', P>,
    isOver: (seen: AnswerOf<'get', P>) => boolean,
    waiting?: Waiting<AnswerOf<'get', P>>,
  ) => Promise<AnswerOf<'get', P>>
  /**
   * A call without types, for callers that read the description at run time, or need status and headers.
   * @param path template of the description, with its `{names}`
   */
  readonly request: (method: Method, path: string, init?: UntypedInit) => Promise<Answer>
}

/** @throws TypeError when `baseUrl` does not end in `/api` */
export function createKeymgr(options: KeymgrOptions): Keymgr {
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  if (!baseUrl.endsWith('/api')) throw new TypeError('baseUrl ends in /api, such as https://keymgr.example.com/api')
  const timing = options.timing ?? realTime
  const request = requestsOf(baseUrl, {
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    token: options.token,
    retries: { ...RETRIES, ...options.retries },
    timing,
  })
  const verb =
    (method: Method) =>
    async (path: string, init?: UntypedInit): Promise<unknown> =>
      (await request(method, path, init)).body
  const get = verb('get')
  return {
    // The types come from the description, which the service enforces for requests and answers.
    get: get as Verb<'get'>,
    post: verb('post') as Verb<'post'>,
    put: verb('put') as Verb<'put'>,
    patch: verb('patch') as Verb<'patch'>,
    delete: verb('delete') as Verb<'delete'>,
    pages: <P extends ListPath>(path: P, init?: UntypedInit) =>
      entries((asked) => get(path, asked) as Promise<Page<EntryOf<P>>>, init),
    until: <P extends PathOf<'get'>>(
      path: P,
      init: UntypedInit,
      isOver: (seen: AnswerOf<'get', P>) => boolean,
      waiting?: Waiting<AnswerOf<'get', P>>,
    ) => {
      const signal = waiting?.signal ?? init.signal
      const asked = { ...init, ...(signal && { signal }) }
      return lookUntil(
        () => get(path, asked) as Promise<AnswerOf<'get', P>>,
        isOver,
        { ...waiting, ...(signal && { signal }) },
        timing,
      )
    },
    request,
  }
}
