import { hash } from 'node:crypto'
import * as z from 'zod'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { Refusal } from '../../../base/errors.ts'
import { AddressRefused, guardedLookup } from '../../../base/network/guarded-fetch.ts'
import { patiently, readJson } from '../../../cloud/adapter/asking.ts'
import { CloudFailure, retryAfterMs, TokenRefused, Unreadable } from '../../../cloud/adapter/failures.ts'
import { send, type CloudReply } from '../../../cloud/adapter/transport.ts'
import { object } from '../../../base/lazy-fields.ts'
import { allowsLoopback, baseOf } from './addresses.ts'
import { failure, failures } from './errors.ts'
import type { DatacustConnection, DatacustEntry } from './types.ts'
import { Failure, LoggedIn } from './wire.ts'

/** Ours: three tries of a read that fails in passing, each with 15 s for its answer, as little as a busy cloud needs. */
const TRIES = 3
const ANSWER_MS = 15_000
/** Ours: callers share a log-in, so the time of one does not end it. */
const LOG_IN_MS = 10_000

/** One call. */
interface Call<Reply extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** below the address of the key service, its parts encoded; or the whole address of a next page */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly reply: Reply
}

/** `%20` in place of `+`, which is no space for every server. */
const queryOf = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')

function urlOf(base: string, path: string, query: Call<z.ZodType>['query']): URL {
  const url = new URL(path.startsWith('/') ? `${base}${path}` : path)
  if (query !== undefined) url.search = queryOf(query)
  return url
}

/** @throws Late, AddressRefused, and the runtime's error for a failed connection */
const sent = (
  { connection, budget }: DatacustEntry,
  { method, path, query, body }: Call<z.ZodType>,
  headers: Readonly<Record<string, string>>,
): Promise<CloudReply> => {
  const url = urlOf(baseOf(connection.api_endpoint), path, query)
  const request = { method, url, headers, answerWithinMs: ANSWER_MS }
  const text = body === undefined ? undefined : JSON.stringify(body)
  return send({ ...request, body: text, lookup: guardedLookup(url, allowsLoopback()) }, budget)
}

/** @throws CloudFailure, Unreadable */
function read<Reply extends z.ZodType>({ status, headers, text }: CloudReply, reply: Reply): z.infer<Reply> {
  const isSuccess = status >= 200 && status < 300
  const shown = isSuccess ? { status: 200, text: text === '' ? '{}' : text } : { status, text: text || '{}' }
  return readJson(shown, reply, (json) => {
    const { message = '' } = Failure.safeParse(json).data ?? {}
    return failure(message, status, retryAfterMs(headers['retry-after']))
  })
}

/** Access tokens by connection. Their life is not public: each is used until the cloud refuses it. */
const tokens = new BoundedCache<Promise<string>>(1_024)

const nameOf = ({ api_endpoint, technical, standard }: DatacustConnection): string =>
  hash('sha256', JSON.stringify([api_endpoint, technical, standard]))

/** The credentials as the log-in expects them. Ours: the body for a standard user is not public. */
const credentialsOf = ({ technical, standard }: DatacustConnection): object =>
  technical === undefined
    ? { username: standard?.user, password: standard?.secret, tenant: standard?.tenant }
    : { apiKey: technical.api_key, secret: technical.secret }

/** @throws TokenRefused, Unreadable, and as `sent` */
async function logIn(entry: DatacustEntry): Promise<string> {
  const body = credentialsOf(entry.connection)
  const call = { method: 'POST', path: '/auth/request', body, reply: LoggedIn } as const
  try {
    return read(await sent(entry, call, {}), LoggedIn).accessToken
  } catch (error) {
    if (!(error instanceof CloudFailure)) throw error
    const refused = new TokenRefused(error.name, error.message, error.statusCode, error.retryAfterMs)
    throw refused
  }
}

/** The token of a connection: one log-in for all calls that wait for it. */
function tokenOf(entry: DatacustEntry): Promise<string> {
  const name = nameOf(entry.connection)
  const known = tokens.get(name)
  if (known !== undefined) return known
  const token = logIn({ ...entry, budget: AbortSignal.timeout(LOG_IN_MS) })
  tokens.set(name, token)
  token.catch(() => forget(name, token))
  return token
}

function forget(name: string, token: Promise<string>): void {
  if (tokens.get(name) === token) tokens.delete(name)
}

/** A call with a token; after a 401 once more with a new one. A second 401 is final. */
async function authorized(entry: DatacustEntry, call: Call<z.ZodType>): Promise<CloudReply> {
  const bearer = async (token: Promise<string>) => ({ authorization: `Bearer ${await token}` })
  const token = tokenOf(entry)
  const reply = await sent(entry, call, await bearer(token))
  if (reply.status !== 401) return reply
  forget(nameOf(entry.connection), token)
  return sent(entry, call, await bearer(tokenOf(entry)))
}

/** A refusal of the credentials, or of their permissions, with the name of the connection that has them. */
const namingConnection = (error: unknown, { name }: DatacustConnection): unknown =>
  error instanceof Refusal && error.reason === 'CLOUD_DENIED' && name !== undefined
    ? new Refusal(error.reason, `${error.message} (connection ${name})`, { cause: error.cause })
    : error

/** Ours: only reads are repeated, because a change without an answer may have been made. */
async function asked<Reply extends z.ZodType>(
  entry: DatacustEntry,
  call: Call<Reply>,
  reply: () => Promise<CloudReply>,
): Promise<z.infer<Reply>> {
  let tries = 0
  try {
    return await patiently(
      failures,
      entry,
      async () => read(await reply(), call.reply),
      () => ++tries < TRIES && call.method === 'GET',
    )
  } catch (error) {
    if (error instanceof AddressRefused)
      throw new Refusal('RULE_BROKEN', `api_endpoint ${error.message}.`, {
        cause: error,
        errors: [{ pointer: '#/api_endpoint', detail: error.message }],
      })
    throw namingConnection(error, entry.connection)
  }
}

/** @throws Refusal CLOUD_…, RULE_BROKEN for an address that leads to no public server */
export const ask = <Reply extends z.ZodType>(entry: DatacustEntry, call: Call<Reply>): Promise<z.infer<Reply>> =>
  asked(entry, call, () => authorized(entry, call))

/** A call without a token. @throws Refusal as `ask` */
export const askOpen = <Reply extends z.ZodType>(entry: DatacustEntry, call: Call<Reply>): Promise<z.infer<Reply>> =>
  asked(entry, call, () => sent(entry, call, {}))

/** Ours: more items than any list of the cloud has. */
const ITEMS_MOST = 100_000

const unreadable = (what: string, { budget }: DatacustEntry, cause?: unknown): unknown =>
  failures.refusalFrom(new Unreadable(what, { cause }), budget)

/** The address of the next page, which a list may give relative to its own. @throws Refusal for another host */
function nextPage(entry: DatacustEntry, next: string): { readonly path: string } {
  const base = new URL(`${baseOf(entry.connection.api_endpoint)}/`)
  const url = URL.parse(next, base.href)
  if (url?.origin !== base.origin) throw unreadable('a next page at another host', entry)
  return { path: url.href }
}

const Page = object(() => ({ value: z.array(z.unknown()), '@odata.nextLink': z.string().max(4_096).optional() }))

/**
 * All items of a list, page by page. A next page is followed only at the same host.
 * @param leave gets each item of an unexpected form, which is then left out; without it one such item is a refusal
 * @throws Refusal as `ask`
 */
export async function everyPage<Item extends z.ZodType>(
  entry: DatacustEntry,
  item: Item,
  first: { readonly path: string; readonly query?: Readonly<Record<string, string>> },
  leave?: (odd: unknown) => void,
): Promise<z.infer<Item>[]> {
  const all: z.infer<Item>[] = []
  let page: typeof first | undefined = first
  for (let count = 0; page !== undefined && count < ITEMS_MOST;) {
    const { value, '@odata.nextLink': next }: z.infer<typeof Page> = await ask(entry, {
      method: 'GET',
      ...page,
      reply: Page,
    })
    count += value.length
    for (const one of value) {
      const parsed = item.safeParse(one)
      if (parsed.success) all.push(parsed.data)
      else if (leave === undefined) throw unreadable('an item of an unexpected form', entry, parsed.error)
      else leave(one)
    }
    page = next === undefined ? undefined : nextPage(entry, next)
  }
  return all
}

/** The reply of a call whose body is ignored. */
export const Nothing = z.unknown()
