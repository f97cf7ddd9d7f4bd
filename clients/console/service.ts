/** The service: one session, one client and one cache of answers for all pages. */
import { QueryClient } from '@tanstack/preact-query'
import type { AnswerOf, PathOf, UntypedInit } from '../sdk/calls.ts'
import { createKeymgr } from '../sdk/client.ts'
import { entries, type EntryOf, type ListPath, type Page } from '../sdk/pages.ts'
import { isProblem, type ProblemError } from '../sdk/problem.ts'
import type { PageOf } from './list/pages.ts'
import { Refused } from '../web/api.ts'
import { Session } from '../web/session.ts'
import { forgetApprovals, refusalOf, withChosen } from './approval.ts'
import type { Call } from './calls.ts'
import { forgetRecent } from './search/recent.ts'

/** Age at which an answer is loaded again when a page needs it. */
const FRESH_MS = 10_000
/** Answers that no page shows are dropped after this time. */
const KEPT_MS = 60_000
const RETRIES = 2

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      gcTime: KEPT_MS,
      refetchOnWindowFocus: false,
      networkMode: 'always', // the service may be on this machine
      retry: (failures, error) => failures < RETRIES && !isProblem(error) && !(error instanceof Refused),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

let ended: (why: string) => void = () => undefined

/** The session of this page. Its end forgets every answer. */
export const session = new Session((why) => {
  queries.clear()
  forgetRecent()
  forgetApprovals()
  ended(why)
})

/** @param listener is called at the end of the session, with a sentence for the user or an empty text */
export function whenEnded(listener: (why: string) => void): void {
  ended = listener
}

export const keymgr = createKeymgr({ baseUrl: `${location.origin}/api`, token: () => session.token() })

/** Reads a path of the description, with an untyped query: the service checks the names of its parameters. */
export async function read<P extends PathOf<'get'>>(path: P, init: UntypedInit = {}): Promise<AnswerOf<'get', P>> {
  const { body } = await keymgr.request('get', path, init)
  return body as AnswerOf<'get', P> // type of the described answer
}

/** A record or a page of the description, as far as it is known where its path is. */
type Untyped = Readonly<Record<string, unknown>>

/** Reads one record: the description has nothing but objects below its lists. */
export const readRecord = async (path: PathOf<'get'>, init?: UntypedInit): Promise<Untyped> => await read(path, init)

/** Reads a page of a list. */
export async function readPage(path: PathOf<'get'>, init?: UntypedInit): Promise<PageOf<Untyped>> {
  return (await read(path, init)) as unknown as PageOf<Untyped> // every list of the description is a page of records
}

/** Maximum number of choices that are loaded. */
const CHOICES_MOST = 1_000

/** The first 1,000 records of a list, joined from as many answers as their size requires. */
export async function firstOf<P extends ListPath>(
  path: P,
  query: Query = {},
  signal?: AbortSignal,
): Promise<{ readonly total: number; readonly resources: EntryOf<P>[] }> {
  const init = { query: { ...query, limit: CHOICES_MOST }, ...(signal && { signal }) }
  const ask = (asked: UntypedInit) => read(path, asked) as Promise<Page<EntryOf<P>>>
  const resources: EntryOf<P>[] = []
  let total = 0
  for await (const page of entries(ask, init).pages()) {
    total = page.total
    resources.push(...page.resources)
    if (resources.length >= CHOICES_MOST) break
  }
  return { total, resources: resources.slice(0, CHOICES_MOST) }
}

export type Query = Readonly<Record<string, unknown>>

type RecordPath<P extends string> = Extract<PathOf<'get'>, `${P}/{id}`>
/** Paths of lists that have records below them, by id. */
type RecordsPath = { [P in PathOf<'get'>]: [RecordPath<P>] extends [never] ? never : P }[PathOf<'get'>]

/** Reads a list, and its records one by one. */
export const recordsAt = <P extends RecordsPath>(at: P) => ({
  list: (query: Query, signal?: AbortSignal) => read(at, { query, ...(signal && { signal }) }),
  get: (id: string, signal: AbortSignal) => read(`${at}/{id}` as RecordPath<P>, { path: { id }, signal }),
})

/** Makes a change, with the approval that was chosen for it. @throws as `send` */
async function make(call: Call): Promise<unknown> {
  const { method, path, init } = withChosen(call)
  try {
    return (await keymgr.request(method, path, init)).body
  } catch (error) {
    throw refusalOf(call, error)
  }
}

/**
 * Sends a call and reloads everything on the page.
 * @throws ProblemError, among them NeedsApproval, UnreachableError or Refused
 */
export async function send(call: Call): Promise<unknown> {
  const body = await make(call)
  void queries.invalidateQueries()
  return body
}

/**
 * Sends calls one after another; a refused call does not stop the following ones.
 * @param answered receives the body of each answer, and the position of its call
 * @param sent receives the number of finished calls
 * @throws Error with the number of refused calls, and the reason of the first
 */
export async function sendAll(
  calls: readonly Call[],
  answered: (body: unknown, at: number) => void,
  sent: (calls: number) => void = () => undefined,
): Promise<void> {
  const refusals: ProblemError[] = []
  for (const [at, call] of calls.entries()) {
    try {
      answered(await make(call), at)
    } catch (error) {
      if (!isProblem(error)) throw error
      refusals.push(error)
    }
    sent(at + 1)
  }
  void queries.invalidateQueries()
  const [first] = refusals
  if (first === undefined) return
  if (calls.length === 1) throw first // its errors have pointers to fields, or it needs an approval
  throw new Error(`${refusals.length} of ${calls.length} calls were refused. The first: ${first.detail}`)
}
