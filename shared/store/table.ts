import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactionInProgressException,
  TransactWriteItemsCommand,
  type AttributeValue,
  type QueryCommandInput,
  type QueryCommandOutput,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb'
import { environment } from '../base/environment.ts'
import { atOnce } from '../base/at-once.ts'
import { Refusal } from '../base/errors.ts'
import type { Key } from './layout.ts'
import { assertMayWrite } from './without-writes.ts'

/** An item as the table returns it. */
export type Attributes = Record<string, AttributeValue>

const CONNECT_TIMEOUT_MS = 1_000
const CALL_TIMEOUT_MS = 5_000
/** Attempts of the SDK before the store's own retries. The SDK stops early when many calls fail. */
const CALL_ATTEMPTS = 3
/** How long a read is retried while the table throttles or fails; a request has 29 seconds in all. */
const READ_BUDGET_MS = 4_000
const LONGEST_PAUSE_MS = 300
const BATCH_GET_KEYS = 100
/** Ours: batches of one read that are asked for in parallel. */
const BATCHES_AT_ONCE = 4

let client: DynamoDBClient | undefined

/** One client per function instance, with connections kept alive between invocations. */
const dynamo = (): DynamoDBClient => (client ??= newClient())

function newClient(): DynamoDBClient {
  const made = new DynamoDBClient({
    maxAttempts: CALL_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: CALL_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  })
  // Without a logger the SDK still copies every input and output for one.
  made.middlewareStack.remove('loggerMiddleware')
  return made
}

const tableName = (): string => environment().KEYMGR_TABLE

/** Errors of the table itself after the SDK's attempts. Nothing was written, and the caller may retry. */
const OUTAGES = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
])

/** Cancellation codes of a transaction that may succeed when repeated. */
const TRANSIENT = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
const isOutage = (error: unknown): boolean =>
  OUTAGES.has(nameOf(error)) || (error instanceof Error && OUTAGES.has(error.name))

/** Waits a random time that grows with the number of failed attempts. */
export const backOff = (attempt: number): Promise<void> =>
  pause(randomInt(1, Math.min(LONGEST_PAUSE_MS, 8 * 2 ** attempt) + 1))

/** A local engine reports this in an error of its own. Deployed tables do not fill up. */
const isFull = (error: unknown): boolean => error instanceof Error && /disk is full/.test(error.message)

const storeFull = (cause: unknown): Refusal =>
  new Refusal('UNAVAILABLE', 'The disk of the store is full: nothing was changed. Free some space and try again.', {
    cause,
  })

/**
 * Retries a call while the table fails; the call may take effect twice. @throws Refusal UNAVAILABLE when the failure
 * lasts
 */
async function withRetries<T>(call: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + READ_BUDGET_MS
  for (let attempt = 0; ; attempt++) {
    try {
      return await call()
    } catch (cause) {
      if (!isOutage(cause)) throw cause
      if (isFull(cause)) throw storeFull(cause)
      if (performance.now() > deadline)
        throw new Refusal('UNAVAILABLE', 'The store does not answer at the moment. Try again.', { cause })
      await backOff(attempt)
    }
  }
}

/** One consistent read; `undefined` if there is no such item. */
export async function getItem({ pk, sk }: Key): Promise<Attributes | undefined> {
  const reply = await withRetries(() =>
    dynamo().send(
      new GetItemCommand({ TableName: tableName(), Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }),
    ),
  )
  return reply.Item
}

/** A batch of items, consistent, in no order. DynamoDB may return it in parts (16 MB, or throttled partitions). */
async function getBatch(keys: readonly Key[]): Promise<Attributes[]> {
  const items: Attributes[] = []
  let wanted: Record<string, AttributeValue>[] = keys.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }))
  // Each part makes progress or the SDK throws.
  while (wanted.length > 0) {
    const reply = await withRetries(() =>
      dynamo().send(
        new BatchGetItemCommand({ RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead: true } } }),
      ),
    )
    items.push(...(reply.Responses?.[tableName()] ?? []))
    wanted = reply.UnprocessedKeys?.[tableName()]?.Keys ?? []
  }
  return items
}

/** Items by key, consistent, in the order of `keys`, without missing ones. */
export async function getItems(keys: readonly Key[]): Promise<Attributes[]> {
  const once = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()] // a batch refuses repetitions
  const batches: Key[][] = []
  for (let at = 0; at < once.length; at += BATCH_GET_KEYS) batches.push(once.slice(at, at + BATCH_GET_KEYS))
  const found = new Map<string, Attributes>()
  for (const item of (await atOnce(batches, BATCHES_AT_ONCE, getBatch)).flat())
    found.set(`${text(item, 'pk')}\n${text(item, 'sk')}`, item)
  return keys.map(({ pk, sk }) => found.get(`${pk}\n${sk}`)).filter((item) => item !== undefined)
}

export interface Range {
  readonly pk: string
  /** lowest sort key, inclusive */
  readonly from?: string | undefined
  /** highest sort key, exclusive */
  readonly to?: string | undefined
  readonly descending?: boolean
  readonly limit?: number | undefined
  /** sort key after which to continue: `last` of the previous page */
  readonly after?: string | undefined
  /** return sort keys only */
  readonly keysOnly?: boolean
  /** return sort keys and these attributes only */
  readonly fields?: readonly string[]
}

const SMALLEST = ' '
/** Above every stored sort key: they are ASCII. */
const LARGEST = '\u{10FFFF}'

function queryInput({
  pk,
  from,
  to,
  descending,
  limit,
  after,
  keysOnly,
  fields,
}: Range): Omit<QueryCommandInput, 'TableName'> {
  return {
    ConsistentRead: true,
    // BETWEEN includes its upper end, so the end is lowered to just below it.
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': { S: pk },
      ':from': { S: from ?? SMALLEST },
      ':to': { S: to === undefined ? LARGEST : below(to) },
    },
    ScanIndexForward: descending !== true,
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(keysOnly === true ? { ProjectionExpression: 'sk' } : {}),
    ...(fields === undefined ? {} : { ProjectionExpression: ['sk', ...fields].join(', ') }),
    ...(after === undefined ? {} : { ExclusiveStartKey: { pk: { S: pk }, sk: { S: after } } }),
  }
}

/** The greatest string below `key` among ASCII sort keys. */
const below = (key: string): string => {
  const last = key.charCodeAt(key.length - 1)
  return `${key.slice(0, -1)}${String.fromCharCode(last - 1)}${LARGEST}`
}

/** Sends a query, again while the table fails. @throws Refusal UNAVAILABLE when the failure lasts */
export const query = (input: Omit<QueryCommandInput, 'TableName'>): Promise<QueryCommandOutput> =>
  withRetries(() => dynamo().send(new QueryCommand({ ...input, TableName: tableName() })))

export interface Page {
  readonly items: Attributes[]
  /** sort key of the last item read, if there may be more */
  readonly last: string | undefined
}

/** One page of a partition, at most 1 MB of it, in order of sort key; consistent. */
export async function queryPage(range: Range): Promise<Page> {
  const reply = await query(queryInput(range))
  const last = reply.LastEvaluatedKey
  return { items: reply.Items ?? [], last: last && text(last, 'sk') }
}

/** Every item of the range, page after page. */
export async function queryAll(range: Range): Promise<Attributes[]> {
  const items: Attributes[] = []
  let page = await queryPage(range)
  items.push(...page.items)
  while (page.last !== undefined && (range.limit === undefined || items.length < range.limit)) {
    page = await queryPage({ ...range, after: page.last })
    items.push(...page.items)
  }
  return items
}

/**
 * Skips `count` rows of the range without transferring them.
 * @returns the sort key of the last skipped row; `undefined` if the range has fewer rows
 */
export async function skipRows(range: Range, count: number): Promise<string | undefined> {
  let left = count
  let after = range.after
  while (left > 0) {
    const reply = await query({ ...queryInput({ ...range, limit: left, after }), Select: 'COUNT' })
    left -= reply.Count ?? 0
    if (reply.LastEvaluatedKey === undefined) return undefined
    after = text(reply.LastEvaluatedKey, 'sk')
  }
  return after
}

/**
 * Writes a single item unless one exists under its key, at half the cost of a transaction.
 * @returns whether none existed. After a lost answer the retry may find the item that it wrote itself: then `false` as
 * well
 * @throws Refusal UNAVAILABLE
 */
export async function putNew(item: Attributes): Promise<boolean> {
  assertMayWrite()
  try {
    await withRetries(() =>
      dynamo().send(
        new PutItemCommand({ TableName: tableName(), Item: item, ConditionExpression: 'attribute_not_exists(pk)' }),
      ),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** One write of a transaction. The table's name is added here. */
export type Write =
  | { put: Attributes; condition?: string; names?: Record<string, string>; values?: Attributes }
  | { update: Key; expression: string; condition?: string; names?: Record<string, string>; values?: Attributes }
  | { remove: Key; condition?: string; names?: Record<string, string>; values?: Attributes }
  | { check: Key; condition: string; names?: Record<string, string>; values?: Attributes }

function transactItem(write: Write): TransactWriteItem {
  const shared = {
    TableName: tableName(),
    ...(write.names && { ExpressionAttributeNames: write.names }),
    ...(write.values && { ExpressionAttributeValues: write.values }),
  }
  const conditional = write.condition === undefined ? {} : { ConditionExpression: write.condition }
  if ('put' in write) return { Put: { ...shared, ...conditional, Item: write.put } }
  if ('update' in write)
    return { Update: { ...shared, ...conditional, Key: keyOf(write.update), UpdateExpression: write.expression } }
  if ('remove' in write) return { Delete: { ...shared, ...conditional, Key: keyOf(write.remove) } }
  return { ConditionCheck: { ...shared, ConditionExpression: write.condition, Key: keyOf(write.check) } }
}

const keyOf = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } })

/**
 * How a transaction ended: done; `refused`, with the positions of the failed conditions; `conflict`, when other writers
 * held the same items and nothing was written; `unknown`, when the answer was lost.
 */
export type Outcome =
  | { readonly end: 'done' | 'conflict' }
  | { readonly end: 'refused'; readonly refused: readonly number[] }
  | { readonly end: 'unknown'; readonly cause: unknown }

/**
 * Carries out all of `writes`, or none.
 * @param token identifies the transaction: repeating one that succeeded changes nothing
 * @throws Refusal UNAVAILABLE when the store has no space left: repeating it would fail again
 */
export async function transact(writes: readonly Write[], token: string): Promise<Outcome> {
  assertMayWrite()
  try {
    await dynamo().send(
      new TransactWriteItemsCommand({ TransactItems: writes.map(transactItem), ClientRequestToken: token }),
    )
    return { end: 'done' }
  } catch (error) {
    if (error instanceof TransactionCanceledException) return cancelled(error)
    if (isFull(error)) throw storeFull(error)
    // A transaction with this token is still in progress: its answer was lost and is requested again.
    if (error instanceof TransactionInProgressException || isOutage(error)) return { end: 'unknown', cause: error }
    throw error
  }
}

function cancelled(error: TransactionCanceledException): Outcome {
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None')
  const refused = codes.flatMap((code, at) => (code === 'ConditionalCheckFailed' ? [at] : []))
  if (refused.length > 0) return { end: 'refused', refused }
  if (codes.every((code) => code === 'None' || TRANSIENT.has(code))) return { end: 'conflict' }
  throw error
}

/** A string attribute. @throws Error, a fault, if it is not one */
export function text(item: Attributes, name: string): string {
  const value = item[name]?.S
  if (value === undefined) throw new Error(`The item has no text attribute ${name}`)
  return value
}

/** The bytes of an attribute. @throws Error, a fault, if it has none */
export function bytesIn(item: Attributes, name: string): Buffer {
  const value = item[name]?.B
  if (value === undefined) throw new Error(`The item has no bytes ${name}`)
  return Buffer.from(value)
}

/** A whole-number attribute, 0 when absent. */
export const whole = (item: Attributes, name: string): number => Number(item[name]?.N ?? 0)
