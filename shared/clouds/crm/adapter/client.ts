import * as z from 'zod'
import { ANSWER_MS, patiently, readJson } from '../../../cloud/adapter/asking.ts'
import { CloudFailure, retryAfterMs } from '../../../cloud/adapter/failures.ts'
import { send, type CloudReply } from '../../../cloud/adapter/transport.ts'
import { failureIn, failures } from './errors.ts'
import { forgetSession, sessionOf, type Session } from './session.ts'
import type { CrmEntry } from './types.ts'

/** One call. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** below the instance, with a leading slash; with its query */
  readonly path: string
  /** a function for a body that contains the token */
  readonly body?: string | ((token: string) => string) | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** The cloud's recommendation for failures that may pass. */
const TRIES = 3

const sent = (call: Call, { token, instance }: Session, { patience, budget }: CrmEntry): Promise<CloudReply> =>
  send(
    {
      method: call.method,
      url: new URL(`${instance}${call.path}`),
      headers: { authorization: `Bearer ${token}`, ...call.headers },
      body: typeof call.body === 'function' ? call.body(token) : call.body,
      answerWithinMs: ANSWER_MS[patience],
    },
    budget,
  )

/** The metadata API reports an ended session in a fault, with another status than the others. */
const hasEnded = ({ status, text }: CloudReply): boolean =>
  status === 401 || (status === 500 && text.includes('INVALID_SESSION_ID'))

/** Sends a call with the connection's session; logs in once more when the cloud has ended it. */
async function inSession(entry: CrmEntry, call: Call): Promise<CloudReply> {
  const session = await sessionOf(entry.connection)
  const reply = await sent(call, session, entry)
  if (!hasEnded(reply)) return reply
  await forgetSession(entry.connection, session)
  return sent(call, await sessionOf(entry.connection), entry)
}

/** The cloud refused to work at all, so nothing was done. */
const wasNotDone = (error: unknown): boolean =>
  !failures.mayHaveTakenEffect(error) || (error instanceof CloudFailure && error.statusCode === 503)

/**
 * Repeats a call while its failure may pass: one that creates something only if it had no effect.
 * @param read reads an answer, or throws a failure
 * @throws Refusal; every failure of the cloud is one
 */
export function calling<T>(entry: CrmEntry, call: Call, read: (reply: CloudReply) => T): Promise<T> {
  let tries = 0
  return patiently(
    failures,
    entry,
    async () => read(await inSession(entry, call)),
    (error) => ++tries < TRIES && (call.method !== 'POST' || wasNotDone(error)),
  )
}

/** The JSON of an answer. @throws CloudFailure, Unreadable */
export const jsonIn =
  <Schema extends z.ZodType>(schema: Schema) =>
  ({ status, headers, text }: CloudReply): z.infer<Schema> => {
    const isSuccess = status >= 200 && status < 300
    const shown = isSuccess ? { status: 200, text: text === '' ? '{}' : text } : { status, text }
    return readJson(shown, schema, (json) => failureIn(json, status, retryAfterMs(headers['retry-after'])))
  }

const dataPath = ({ connection: { api_version } }: CrmEntry): string => `/services/data/v${api_version}`

const JSON_BODY = { 'content-type': 'application/json' }

/** A call to an object of the API. @param path below the version */
export const ask = <Schema extends z.ZodType>(
  entry: CrmEntry,
  method: Call['method'],
  path: string,
  schema: Schema,
  body?: object,
): Promise<z.infer<Schema>> =>
  calling(
    entry,
    {
      method,
      path: `${dataPath(entry)}/${path}`,
      ...(body !== undefined && { body: JSON.stringify(body), headers: JSON_BODY }),
    },
    jsonIn(schema),
  )

/** A page of the rows of a query, and where the next begins. */
const Page = z.object({
  records: z.array(z.unknown()),
  done: z.boolean(),
  nextRecordsUrl: z.string().max(1_024).nullish(),
})

/** Only paths of the API: a token is sent there. */
const NEXT = /^\/services\/data\/v\d+\.0\/(tooling\/)?query\/[\w-]+$/

export interface Rows<T> {
  readonly rows: readonly T[]
  readonly next?: string | undefined
}

/** One page of a query. @param next of the page before. @throws Refusal CLOUD_… */
export async function rowsOf<Schema extends z.ZodType>(
  entry: CrmEntry,
  soql: string,
  schema: Schema,
  { next, isTooling = false }: { readonly next?: string | undefined; readonly isTooling?: boolean } = {},
): Promise<Rows<z.infer<Schema>>> {
  const first = `${dataPath(entry)}/${isTooling ? 'tooling/' : ''}query/?q=${encodeURIComponent(soql)}`
  const page = await calling(entry, { method: 'GET', path: next ?? first }, jsonIn(Page))
  const rows = failures.formed(z.array(schema), page.records)
  const following = page.done ? undefined : (page.nextRecordsUrl ?? undefined)
  return { rows, next: following === undefined ? undefined : failures.formed(z.string().regex(NEXT), following) }
}

/** Ours: more rows than any organization has; they are in memory together. */
const ROWS_MOST = 100_000

/** All rows of a query. @throws Refusal CLOUD_… */
export async function everyRow<Schema extends z.ZodType>(
  entry: CrmEntry,
  soql: string,
  schema: Schema,
  isTooling = false,
): Promise<z.infer<Schema>[]> {
  const all: z.infer<Schema>[] = []
  let next: string | undefined
  do {
    const page = await rowsOf(entry, soql, schema, { next, isTooling })
    all.push(...page.rows)
    next = page.next
  } while (next !== undefined && all.length < ROWS_MOST)
  return all
}
