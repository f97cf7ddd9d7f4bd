import { ownText } from '../../base/json.ts'
import { HASH_BYTES } from '../../crypto/merkle/hash.ts'
import { logBatchKey } from '../../store/layout.ts'
import { bytesIn, putNew, queryPage, text, type Attributes, type Range } from '../../store/table.ts'
import { packedIds, unpackedIds } from './packed-ids.ts'

/** The state of a batch without its records. */
export interface BatchFacts {
  /** position of its first record: the size of the tree before it */
  readonly start: number
  readonly count: number
  /** creation time, RFC 3339; never before that of the previous batch */
  readonly at: string
  /** the earliest and the latest `createdAt` of its records */
  readonly earliest: string
  readonly latest: string
  /** maximum in milliseconds by which a record of this or a previous batch was older than its batch */
  readonly mostLate: number
  /** maximum in milliseconds by which a record of this or a previous batch was newer than its batch: clocks differ */
  readonly mostAhead: number
}

/** Records that were appended together to the log of a domain. A batch never changes. */
export interface Batch extends BatchFacts {
  readonly ids: readonly string[]
  /** leaf hashes, in the order of `ids` */
  readonly hashes: readonly Buffer[]
  /** compact range of the tree before it: any node of the tree can be computed from one batch */
  readonly frontier: readonly Buffer[]
}

export const endOfBatch = ({ start, count }: BatchFacts): number => start + count

const FACTS_TEXT = ownText<Omit<BatchFacts, 'start'>>()

/**
 * Appends a batch, which commits its records to the log.
 * @returns whether it was put; `false`: a batch at its start exists, another one or, after a lost answer, this one
 */
export async function putBatch(domain: string, batch: Batch): Promise<boolean> {
  const { start, ids, hashes, frontier, ...facts } = batch
  const { pk, sk } = logBatchKey(domain, start)
  return putNew({
    pk: { S: pk },
    sk: { S: sk },
    facts: { S: FACTS_TEXT.write(facts) },
    ids: { B: packedIds(ids) },
    hashes: { B: Buffer.concat(hashes) },
    frontier: { B: Buffer.concat(frontier) },
  })
}

const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))

const factsIn = (item: Attributes): BatchFacts => ({
  start: Number(text(item, 'sk')),
  ...FACTS_TEXT.read(text(item, 'facts')),
})

/** A batch in another form than this file writes: the table was changed without the service. */
export class BatchUnreadable extends Error {
  override readonly name = 'BatchUnreadable'
}

/** @throws BatchUnreadable */
function batchIn(item: Attributes): Batch {
  try {
    const facts = factsIn(item)
    return {
      ...facts,
      ids: unpackedIds(bytesIn(item, 'ids'), facts.count),
      hashes: hashesIn(bytesIn(item, 'hashes')),
      frontier: hashesIn(bytesIn(item, 'frontier')),
    }
  } catch (cause) {
    throw new BatchUnreadable(`The batch at ${text(item, 'sk')} cannot be read`, { cause })
  }
}

/** Greater than any position. */
const LAST = 10 ** 12 - 1

const upTo = (domain: string, position: number): Range => {
  const { pk, sk: to } = logBatchKey(domain, position + 1)
  return { pk, to, descending: true, limit: 1 }
}

const FACTS = ['facts']

/**
 * State of the batch that contains a position, or else of the last one before it; `undefined` before the first. One
 * read.
 */
export async function factsAt(domain: string, position: number): Promise<BatchFacts | undefined> {
  const { items } = await queryPage({ ...upTo(domain, position), fields: FACTS })
  return items[0] && factsIn(items[0])
}

/** Like `factsAt`, with the records' ids and leaves. */
export async function batchAt(domain: string, position: number): Promise<Batch | undefined> {
  const { items } = await queryPage(upTo(domain, position))
  return items[0] && batchIn(items[0])
}

/** The last batch of a domain's log. One read. */
export const lastBatch = (domain: string): Promise<Batch | undefined> => batchAt(domain, LAST - 1)

/**
 * Maximum number of batches per read. The number doubles with each read, so that a reader of few records reads few
 * batches.
 */
const BATCHES_A_TIME = 16

async function* walk<B>(
  domain: string,
  range: Omit<Range, 'pk'>,
  read: (item: Attributes) => B,
): AsyncGenerator<B, void> {
  const { pk } = logBatchKey(domain, 0)
  let after: string | undefined
  for (let limit = 1; ; limit = Math.min(BATCHES_A_TIME, limit * 2)) {
    const page = await queryPage({ ...range, pk, limit, after })
    for (const item of page.items) yield read(item)
    if (page.last === undefined) return
    after = page.last
  }
}

/** Batches from the one that starts at this position. */
export const batchesFrom = (domain: string, start: number): AsyncGenerator<Batch, void> =>
  walk(domain, { from: logBatchKey(domain, start).sk }, batchIn)

/** States of the batches that start from `first` (inclusive) to `end` (exclusive), from either end. */
export const factsBetween = (
  domain: string,
  { first, end }: { first: number; end: number },
  order: 'oldest first' | 'newest first',
): AsyncGenerator<BatchFacts, void> => {
  const bounds = { from: logBatchKey(domain, first).sk, to: logBatchKey(domain, end).sk }
  return walk(domain, { ...bounds, descending: order === 'newest first', fields: FACTS }, factsIn)
}
