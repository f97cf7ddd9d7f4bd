import * as z from 'zod'
import { ANSWER_MS, patiently, readJson } from '../../../cloud/adapter/asking.ts'
import { CloudFailure, retryAfterMs, Unreadable } from '../../../cloud/adapter/failures.ts'
import { send, type CloudReply } from '../../../cloud/adapter/transport.ts'
import { object } from '../../../base/lazy-fields.ts'
import { failureIn, failures } from './errors.ts'
import { forgetSession, sessionOf } from './session.ts'
import type { CrmEntry, Session } from './types.ts'
import { Id } from './wire.ts'

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

/**
 * Sends a call with the connection's session. If the cloud has ended the session, logs in again and repeats the call. A
 * session of other instances may have ended too, so a second repetition is possible.
 */
async function inSession(entry: CrmEntry, call: Call): Promise<CloudReply> {
  let session = await sessionOf(entry.connection)
  let reply = await sent(call, session, entry)
  for (let isOurs = false; hasEnded(reply) && !isOurs; isOurs = session.isOfOthers !== true) {
    await forgetSession(entry.connection, session)
    session = await sessionOf(entry.connection, session)
    reply = await sent(call, session, entry)
  }
  return reply
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
const Page = object(() => ({
  records: z.array(z.unknown()),
  done: z.boolean(),
  nextRecordsUrl: z.string().max(1_024).nullish(),
}))

/** Only paths of the API: a token is sent there. */
const NEXT = /^\/services\/data\/v\d+\.0\/(tooling\/)?query\/[\w-]+$/

/** Records of a query. */
export interface Rows<T> {
  readonly rows: readonly T[]
  /** ids of records of another form than the documents promise */
  readonly odd: readonly string[]
}

const Identified = z.object({ Id })

/** Each record is parsed separately, so that an odd one does not affect the others. @throws Refusal CLOUD_UNREADABLE */
function rowsAmong<Schema extends z.ZodType>(records: readonly unknown[], schema: Schema): Rows<z.infer<Schema>> {
  const rows: z.infer<Schema>[] = []
  const odd: string[] = []
  for (const record of records) {
    const parsed = schema.safeParse(record)
    if (parsed.success) rows.push(parsed.data)
    else odd.push(failures.formed(Identified, record).Id)
  }
  return { rows, odd }
}

/** The refusal of a record of another form. */
export const oddRecord = ({ budget }: CrmEntry): unknown =>
  failures.refusalFrom(new Unreadable('a record of an unexpected form'), budget)

const queryPath = (entry: CrmEntry, soql: string, isTooling = false): string =>
  `${dataPath(entry)}/${isTooling ? 'tooling/' : ''}query/?q=${encodeURIComponent(soql)}`

/** One page of a query. @throws Refusal CLOUD_… */
async function pageAt(entry: CrmEntry, path: string) {
  const { records, done, nextRecordsUrl } = await calling(entry, { method: 'GET', path }, jsonIn(Page))
  const following = done ? undefined : (nextRecordsUrl ?? undefined)
  return { records, next: following && failures.formed(z.string().regex(NEXT), following) }
}

/** One page of a query. @param next of the page before. @throws Refusal CLOUD_… */
export async function rowsOf<Schema extends z.ZodType>(
  entry: CrmEntry,
  soql: string,
  schema: Schema,
  next?: string,
): Promise<Rows<z.infer<Schema>> & { readonly next?: string | undefined }> {
  const page = await pageAt(entry, next ?? queryPath(entry, soql))
  return { ...rowsAmong(page.records, schema), next: page.next }
}

/** Ours: more rows than any organization has; they are in memory together. */
const ROWS_MOST = 100_000

/** All records of a query. A page is parsed while the next one is being read. @throws Refusal CLOUD_… */
export async function everyRecord<Schema extends z.ZodType>(
  entry: CrmEntry,
  soql: string,
  schema: Schema,
  isTooling = false,
): Promise<Rows<z.infer<Schema>>> {
  const all: z.infer<Schema>[] = []
  const odd: string[] = []
  let coming: ReturnType<typeof pageAt> | undefined = pageAt(entry, queryPath(entry, soql, isTooling))
  while (coming !== undefined && all.length < ROWS_MOST) {
    const { records, next }: Awaited<typeof coming> = await coming
    coming = next === undefined ? undefined : pageAt(entry, next)
    coming?.catch(() => undefined) // thrown where it is awaited
    const page = rowsAmong(records, schema)
    all.push(...page.rows)
    odd.push(...page.odd)
  }
  return { rows: all, odd }
}

/** All records of a query. A malformed record fails the query. @throws Refusal CLOUD_… */
export async function everyRow<Schema extends z.ZodType>(
  entry: CrmEntry,
  soql: string,
  schema: Schema,
): Promise<readonly z.infer<Schema>[]> {
  const { rows, odd } = await everyRecord(entry, soql, schema)
  if (odd.length > 0) throw oddRecord(entry)
  return rows
}
