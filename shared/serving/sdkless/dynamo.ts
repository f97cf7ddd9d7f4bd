import type { Key } from '../../store/layout.ts'
import { type Attributes, callService, type Service, ServiceRefusal } from './call.ts'
import { sdklessEnvironment } from './environment.ts'

const DYNAMO: Service = { name: 'dynamodb', prefix: 'DynamoDB_20120810', contentType: 'application/x-amz-json-1.0' }
/** The table's own limit of one batch. */
const BATCH_KEYS = 100

interface Batch {
  readonly keys: Map<string, Key>
  readonly found: Promise<ReadonlyMap<string, Attributes>>
}
let gathering: Batch | undefined

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`
const keyOf = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } })

async function readBatch(keys: Iterable<Key>, epochMs: number): Promise<ReadonlyMap<string, Attributes>> {
  const { table } = sdklessEnvironment()
  const found = new Map<string, Attributes>()
  let wanted: readonly Attributes[] = [...keys].map(keyOf)
  // A batch may be answered in parts. Each part is a call with a time limit of its own, and so has each caller.
  while (wanted.length > 0) {
    const input = { RequestItems: { [table]: { Keys: wanted, ConsistentRead: true } } }
    const reply = await callService(DYNAMO, 'BatchGetItem', input, epochMs)
    for (const item of reply.Responses?.[table] ?? [])
      found.set(nameOf({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' }), item)
    wanted = reply.UnprocessedKeys?.[table]?.Keys ?? []
  }
  return found
}

/** Reads requested in the same turn of the event loop share one call: a warm request needs only one. */
function gather(epochMs: number): Batch {
  const keys = new Map<string, Key>()
  const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    if (gathering?.keys === keys) gathering = undefined
    return readBatch(keys.values(), epochMs)
  })
  return { keys, found }
}

/** One consistent read, in one batch with all reads of the same turn. @throws Refusal UNAVAILABLE */
export async function readItem(key: Key, epochMs: number): Promise<Attributes | undefined> {
  if (gathering === undefined || gathering.keys.size >= BATCH_KEYS) gathering = gather(epochMs)
  const { keys, found } = gathering
  keys.set(nameOf(key), key)
  return (await found).get(nameOf(key))
}

/**
 * The content of an entity's item. Ours: not validated against its schema. Only this service writes it, through the
 * schema, and the schema library would be most of a data plane's bundle.
 */
export async function readEntity<T>(key: Key, epochMs: number): Promise<T | undefined> {
  return (await readRevision<T>(key, epochMs))?.item
}

interface Revision<T> {
  readonly item: T
  readonly rev: number
}

/** The same with its revision, on which a conditional write relies. */
export async function readRevision<T>(key: Key, epochMs: number): Promise<Revision<T> | undefined> {
  const { data, rev } = (await readItem(key, epochMs)) ?? {}
  return data?.S === undefined ? undefined : { item: JSON.parse(data.S) as T, rev: Number(rev?.N) }
}

/** The id in a guard or a family's row. */
export const readHolder = async (key: Key, epochMs: number): Promise<string | undefined> =>
  (await readItem(key, epochMs))?.holder?.S

/**
 * Adds to a counter that starts at 0, unless it has reached `limit`.
 * @returns the sum; `undefined` when the limit had been reached
 * @throws Refusal UNAVAILABLE; the sum may have been written nevertheless
 */
export async function addTo(
  key: Key,
  attribute: string,
  { by, limit }: { readonly by: number; readonly limit: number },
  epochMs: number,
): Promise<number | undefined> {
  const input = {
    TableName: sdklessEnvironment().table,
    Key: keyOf(key),
    UpdateExpression: 'ADD #n :by',
    ConditionExpression: 'attribute_not_exists(#n) OR #n < :limit',
    ExpressionAttributeNames: { '#n': attribute },
    ExpressionAttributeValues: { ':by': { N: String(by) }, ':limit': { N: String(limit) } },
    ReturnValues: 'UPDATED_NEW',
  }
  try {
    const reply = await callService(DYNAMO, 'UpdateItem', input, epochMs)
    return Number(reply.Attributes?.[attribute]?.N)
  } catch (error) {
    if (error instanceof ServiceRefusal && error.type === 'ConditionalCheckFailedException') return undefined
    throw error
  }
}

/** The conditions of a write: the item has this revision, or `undefined`, does not exist. */
const unchanged = (rev: number | undefined): object =>
  rev === undefined
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : { ConditionExpression: 'rev = :rev', ExpressionAttributeValues: { ':rev': { N: String(rev) } } }

/** Whether the write was made; not if its condition failed. @throws Refusal UNAVAILABLE; it may have been made nevertheless */
async function written(operation: 'PutItem' | 'DeleteItem', input: object, epochMs: number): Promise<boolean> {
  try {
    await callService(DYNAMO, operation, { TableName: sdklessEnvironment().table, ...input }, epochMs)
    return true
  } catch (error) {
    if (error instanceof ServiceRefusal && error.type === 'ConditionalCheckFailedException') return false
    throw error
  }
}

/**
 * Puts an item in the form of an entity's, with the revision after the one that it replaces.
 * @param before the revision that it replaces; `undefined` for a new item
 * @returns whether it was put @throws Refusal UNAVAILABLE; it may have been put nevertheless
 */
export const putEntity = (
  key: Key,
  item: object,
  {
    before,
    due,
  }: { readonly before: number | undefined; readonly due: { readonly what: string; readonly at: string } },
  epochMs: number,
): Promise<boolean> => {
  const attributes = {
    ...keyOf(key),
    rev: { N: String((before ?? 0) + 1) },
    data: { S: JSON.stringify(item) },
    due: { S: due.what },
    due_at: { S: due.at },
  }
  return written('PutItem', { Item: attributes, ...unchanged(before) }, epochMs)
}

/** Deletes an item that has this revision. @returns whether it was deleted @throws as `putEntity` */
export const deleteEntity = (key: Key, rev: number, epochMs: number): Promise<boolean> =>
  written('DeleteItem', { Key: keyOf(key), ...unchanged(rev) }, epochMs)

/** Makes the item due for a sweeper under `what` from now on, unless it is due already. @throws Refusal UNAVAILABLE */
export async function makeDue(key: Key, what: string, epochMs: number): Promise<void> {
  const input = {
    TableName: sdklessEnvironment().table,
    Key: keyOf(key),
    UpdateExpression: 'SET due = if_not_exists(due, :what), due_at = if_not_exists(due_at, :at)',
    ExpressionAttributeValues: { ':what': { S: what }, ':at': { S: new Date(epochMs).toISOString() } },
  }
  await callService(DYNAMO, 'UpdateItem', input, epochMs)
}
