import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  type AttributeValue,
  type QueryCommandInput,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb'
import { environment } from '../environment.ts'
import { Refusal } from '../errors.ts'

/** An item as the table returns it. */
export type Attributes = Record<string, AttributeValue>
export interface Key {
  readonly pk: string
  readonly sk: string
}

const CONNECT_TIMEOUT_MS = 1_000
const CALL_TIMEOUT_MS = 3_000
/** The SDK's own attempts per call; a transaction that lost a race is tried again by `commit`, not here. */
const CALL_ATTEMPTS = 4
const BATCH_GET_KEYS = 100

let client: DynamoDBClient | undefined

/** One client per function instance, its connections kept alive between invocations. */
function dynamo(): DynamoDBClient {
  client ??= new DynamoDBClient({
    maxAttempts: CALL_ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: CALL_TIMEOUT_MS },
  })
  return client
}

const tableName = (): string => environment().KEYMGR_TABLE

/** What the table itself could not do after the SDK's attempts: the caller may try again, nothing was written. */
const OUTAGES = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
])

const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
export const isOutage = (error: unknown): boolean => OUTAGES.has(nameOf(error)) || OUTAGES.has((error as Error).name)

const unavailable = (cause: unknown): Refusal =>
  new Refusal('UNAVAILABLE', 'The store did not answer in time; nothing was changed. Try again.', { cause })

async function outageAsRefusal<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw isOutage(error) ? unavailable(error) : error
  }
}

/** One consistent read. `undefined` when nothing is there. */
export async function getItem({ pk, sk }: Key): Promise<Attributes | undefined> {
  const reply = await outageAsRefusal(
    dynamo().send(
      new GetItemCommand({ TableName: tableName(), Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }),
    ),
  )
  return reply.Item
}

/** Items by key, consistent, in the order of `keys`; those that are not there are left out. */
export async function getItems(keys: readonly Key[]): Promise<Attributes[]> {
  const found = new Map<string, Attributes>()
  for (let at = 0; at < keys.length; at += BATCH_GET_KEYS) {
    let wanted: Record<string, AttributeValue>[] = keys
      .slice(at, at + BATCH_GET_KEYS)
      .map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }))
    // A batch may come back in parts (16 MB, or throttled partitions); each part makes progress or the SDK throws.
    while (wanted.length > 0) {
      const reply = await outageAsRefusal(
        dynamo().send(
          new BatchGetItemCommand({ RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead: true } } }),
        ),
      )
      for (const item of reply.Responses?.[tableName()] ?? [])
        found.set(`${text(item, 'pk')}\n${text(item, 'sk')}`, item)
      wanted = reply.UnprocessedKeys?.[tableName()]?.Keys ?? []
    }
  }
  return keys.map(({ pk, sk }) => found.get(`${pk}\n${sk}`)).filter((item) => item !== undefined)
}

export interface Range {
  readonly pk: string
  /** lowest sort key, included */
  readonly from?: string | undefined
  /** highest sort key, excluded */
  readonly to?: string | undefined
  readonly descending?: boolean
  readonly limit?: number | undefined
  /** sort key to continue after, as `last` of the page before */
  readonly after?: string | undefined
  /** bring the sort keys and leave the rest where it is */
  readonly keysOnly?: boolean
}

const SMALLEST = ' '
/** Above every sort key we write: they are ASCII. */
const LARGEST = '\u{10FFFF}'

function queryInput({ pk, from, to, descending, limit, after, keysOnly }: Range): QueryCommandInput {
  return {
    TableName: tableName(),
    ConsistentRead: true,
    // BETWEEN includes its upper end, which no stored key equals once the smallest character is cut off below it.
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': { S: pk },
      ':from': { S: from ?? SMALLEST },
      ':to': { S: to === undefined ? LARGEST : below(to) },
    },
    ScanIndexForward: descending !== true,
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(keysOnly === true ? { ProjectionExpression: 'sk' } : {}),
    ...(after === undefined ? {} : { ExclusiveStartKey: { pk: { S: pk }, sk: { S: after } } }),
  }
}

/** The greatest string below `key` among ASCII sort keys. */
const below = (key: string): string => {
  const last = key.charCodeAt(key.length - 1)
  return `${key.slice(0, -1)}${String.fromCharCode(last - 1)}${LARGEST}`
}

export interface Page {
  readonly items: Attributes[]
  /** sort key of the last item read, when there may be more */
  readonly last: string | undefined
}

/** One page of a partition, at most 1 MB of it, in order of sort key; consistent. */
export async function queryPage(range: Range): Promise<Page> {
  const reply = await outageAsRefusal(dynamo().send(new QueryCommand(queryInput(range))))
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
 * Steps over `count` rows of the range without carrying them here.
 * @returns the sort key of the last row stepped over, `undefined` if the range ended before
 */
export async function stepOver(range: Range, count: number): Promise<string | undefined> {
  let left = count
  let after = range.after
  while (left > 0) {
    const reply = await outageAsRefusal(
      dynamo().send(new QueryCommand({ ...queryInput({ ...range, limit: left, after }), Select: 'COUNT' })),
    )
    left -= reply.Count ?? 0
    if (reply.LastEvaluatedKey === undefined) return undefined
    after = text(reply.LastEvaluatedKey, 'sk')
  }
  return after
}

/** Keys of the rows whose `due` is this and whose time has come, oldest first. Eventually consistent: an index. */
export async function queryDue(due: string, until: Date, limit: number): Promise<Key[]> {
  const reply = await outageAsRefusal(
    dynamo().send(
      new QueryCommand({
        TableName: tableName(),
        IndexName: 'due',
        KeyConditionExpression: 'due = :due AND due_at <= :until',
        ExpressionAttributeValues: { ':due': { S: due }, ':until': { S: until.toISOString() } },
        Limit: limit,
      }),
    ),
  )
  return (reply.Items ?? []).map((item) => ({ pk: text(item, 'pk'), sk: text(item, 'sk') }))
}

/** What a write is made of; the table's name is added here. */
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

/** How a transaction ended: done, or why not. `refused` lists the positions whose condition failed. */
export type Outcome = { done: true } | { done: false; refused: readonly number[]; conflict: boolean }

/**
 * All of `writes`, or none.
 * @param token the same token means the same transaction: repeating one that was carried out changes nothing more
 * @throws Refusal UNAVAILABLE after the SDK's attempts
 */
export async function transact(writes: readonly Write[], token: string): Promise<Outcome> {
  try {
    await dynamo().send(
      new TransactWriteItemsCommand({ TransactItems: writes.map(transactItem), ClientRequestToken: token }),
    )
    return { done: true }
  } catch (error) {
    if (error instanceof Error && error.name === 'TransactionCanceledException' && 'CancellationReasons' in error) {
      const codes = (error.CancellationReasons as { Code?: string }[]).map(({ Code }) => Code ?? 'None')
      const refused = codes.flatMap((code, at) => (code === 'ConditionalCheckFailed' ? [at] : []))
      if (codes.includes('ValidationError') || codes.includes('ItemCollectionSizeLimitExceeded')) throw error
      return { done: false, refused, conflict: refused.length === 0 }
    }
    if (error instanceof Error && error.name === 'TransactionInProgressException')
      return { done: false, refused: [], conflict: true }
    throw isOutage(error) ? unavailable(error) : error
  }
}

/** A text attribute. @throws Error, a fault, if it is not one */
export function text(item: Attributes, name: string): string {
  const value = item[name]?.S
  if (value === undefined) throw new Error(`The item has no text attribute ${name}`)
  return value
}

/** A whole-number attribute, 0 when absent. */
export const whole = (item: Attributes, name: string): number => Number(item[name]?.N ?? 0)
