import { randomInt, randomUUID } from 'node:crypto'
import { BoundedCache } from '../base/bounded-cache.ts'
import { Refusal } from '../base/errors.ts'
import { rankPartition, rowKey, type Key } from './layout.ts'
import {
  bucketOf,
  bucketRows,
  Directory,
  EMPTY,
  fitting,
  isGrown,
  RANK_BOUNDS,
  withoutEmptied,
  type Bucket,
  type RankBounds,
} from './rank-directory.ts'
import { backOff, queryAll, skipRows, text, transact, whole, type Attributes, type Write } from './table.ts'

/**
 * The number of items in each set of a kind, and the position of the n-th item, from one read regardless of their
 * number.
 *
 * The ids of a kind are divided into buckets of about a thousand, or more beyond some millions. A directory row holds each bucket's lower bound and
 * its settled count in every set. Sixteen shard rows hold the changes since then, so that creates do not contend for
 * one row. Every write changes one shard in its own transaction, on condition that the directory it used is still
 * current (`epoch`). Tidying folds the shards into the directory and splits grown buckets, on condition that nothing
 * was written meanwhile. It increments the epoch, so that writers with the old directory count again.
 */
const SHARDS = 16
/** Splits in one pass: a small number keeps the time between read and commit short. */
const CUTS_PER_PASS = 4
const TIDY_ATTEMPTS = 8
const READ_ATTEMPTS = 6
/** An instance tidies after this many additions of its own. The sweeper covers slower instances. */
const TIDY_EVERY = 400
const DIRECTORIES_CACHED = 512

interface Shard {
  readonly name: string
  readonly epoch: number
  readonly writes: number
  readonly deltas: ReadonlyMap<string, number>
}

/** Directory and shards as of one moment; counts include the shards. */
export interface Rank {
  readonly directory: Directory
  readonly shards: readonly Shard[]
}

const shardName = (n: number): string => `shard#${String(n).padStart(2, '0')}`
const deltaName = (bucket: number, set: string): string => `d|${bucket}|${set}`

const directories = new BoundedCache<Directory>(DIRECTORIES_CACHED)
const additions = new Map<string, number>()

function parseShard(item: Attributes): Shard {
  const deltas = new Map<string, number>()
  for (const name of Object.keys(item)) if (name.startsWith('d|')) deltas.set(name, whole(item, name))
  return { name: text(item, 'sk'), epoch: whole(item, 'epoch'), writes: whole(item, 'writes'), deltas }
}

/** The rank at this moment. One read, or more while another instance is tidying it. */
export async function readRank(domain: string, entity: string): Promise<Rank> {
  const partition = rankPartition(domain, entity)
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    const items = await queryAll({ pk: partition })
    const found = items.find((item) => text(item, 'sk') === 'directory')
    const directory = found ? Directory.parse(JSON.parse(text(found, 'data'))) : EMPTY
    const shards = items.filter((item) => text(item, 'sk') !== 'directory').map(parseShard)
    if (shards.every(({ epoch }) => epoch === directory.epoch)) {
      directories.set(partition, directory)
      return { directory, shards }
    }
    await backOff(attempt)
  }
  throw new Refusal('UNAVAILABLE', 'The list is being reorganized; nothing was changed. Try again.')
}

/** Drops a cached directory that a write found out of date. */
export const forgetRank = (domain: string, entity: string): boolean => directories.delete(rankPartition(domain, entity))

/** Rows of `set` in each bucket, in order of id. */
export function countsOf({ directory, shards }: Rank, set: string): number[] {
  return directory.buckets.map(({ n, counts }) => {
    const name = deltaName(n, set)
    return shards.reduce((sum, { deltas }) => sum + (deltas.get(name) ?? 0), counts[set] ?? 0)
  })
}

/** Bounds of a bucket: lowest id included, highest excluded (`undefined` for the last). */
export function boundsOf({ directory }: Rank, at: number): { from: string | undefined; to: string | undefined } {
  const lo = directory.buckets[at]?.lo
  return { from: lo === '' ? undefined : lo, to: directory.buckets[at + 1]?.lo }
}

/** One more (`by` 1) or one less (-1) item in a set. */
export interface RankChange {
  readonly set: string
  readonly id: string
  readonly by: 1 | -1
}

/**
 * The write that counts `changes`; `undefined` if they cancel out. Reads only if this instance has no directory cached.
 */
export async function rankWrite(
  domain: string,
  entity: string,
  changes: readonly RankChange[],
  now: Date,
): Promise<Write | undefined> {
  const directory = directories.get(rankPartition(domain, entity)) ?? (await readRank(domain, entity)).directory
  return countWrite(domain, entity, directory, changes, now)
}

interface CountWrite extends Readonly<Record<'update', Key>> {
  readonly expression: string
  readonly condition: string
  readonly names: Record<string, string>
  readonly values: Attributes
}

function countWrite(
  domain: string,
  entity: string,
  directory: Directory,
  changes: readonly RankChange[],
  now: Date,
): CountWrite | undefined {
  const sums = new Map<string, number>()
  for (const { set, id, by } of changes) {
    const name = deltaName(bucketOf(directory, id), set)
    sums.set(name, (sums.get(name) ?? 0) + by)
  }
  const deltas = [...sums].filter(([, by]) => by !== 0)
  if (deltas.length === 0) return undefined
  const names: Record<string, string> = {}
  const values: Attributes = {
    ':epoch': { N: String(directory.epoch) },
    ':one': { N: '1' },
    ':tidy': { S: 'tidy-rank' },
    ':now': { S: now.toISOString() },
  }
  const adds = deltas.map(([name, by], at) => {
    names[`#d${at}`] = name
    values[`:d${at}`] = { N: String(by) }
    return `#d${at} :d${at}`
  })
  return {
    update: { pk: rankPartition(domain, entity), sk: shardName(randomInt(SHARDS)) },
    expression: `SET epoch = :epoch, due = if_not_exists(due, :tidy), due_at = if_not_exists(due_at, :now) ADD writes :one, ${adds.join(', ')}`,
    // Before the first tidying there may be no shard; afterwards each has the directory's epoch.
    condition: directory.epoch === 0 ? 'attribute_not_exists(epoch) OR epoch = :epoch' : 'epoch = :epoch',
    names,
    values,
  }
}

/** Counts committed additions and tidies now and then. A failure is harmless: the sweeper tidies too. */
export async function noteAdditions(domain: string, entity: string, count: number): Promise<void> {
  const partition = rankPartition(domain, entity)
  const sum = (additions.get(partition) ?? 0) + count
  additions.set(partition, sum % TIDY_EVERY)
  if (sum >= TIDY_EVERY) await tidyRank(domain, entity, 1)
}

/**
 * Folds shards into the directory and splits grown buckets, until nothing is left to split or other writers interfere.
 * @param passes most passes: a waiting caller has time for one
 */
export async function tidyRank(
  domain: string,
  entity: string,
  passes = Number.MAX_SAFE_INTEGER,
  bounds = RANK_BOUNDS,
): Promise<void> {
  const anyGrown = (directory: Directory): boolean => directory.buckets.some((one) => isGrown(one, directory, bounds))
  let left = passes
  for (let attempt = 0; attempt < TIDY_ATTEMPTS; attempt++) {
    const rank = await readRank(domain, entity)
    if (rank.shards.every(({ deltas }) => deltas.size === 0) && !anyGrown(rank.directory)) return
    const folded = fold(rank, bounds)
    const grown = folded.buckets.findIndex((one) => isGrown(one, folded, bounds))
    const split = grown === -1 ? folded : await cut(domain, entity, folded, grown, bounds)
    const next = fitting(split, bounds)
    const done = await commitDirectory(domain, entity, rank, next)
    // If a split found no boundary, repeating it would not find one either.
    const wasCut = split.buckets.length > folded.buckets.length
    if (done && (--left === 0 || !wasCut || !anyGrown(next))) return
    if (done) attempt = -1
    else await backOff(attempt)
  }
}

function fold(rank: Rank, bounds: RankBounds): Directory {
  const sets = new Set(rank.directory.buckets.flatMap(({ counts }) => Object.keys(counts)))
  for (const { deltas } of rank.shards) for (const name of deltas.keys()) sets.add(name.split('|').slice(2).join('|'))
  const buckets: Bucket[] = rank.directory.buckets.map(({ n, lo }) => ({ n, lo, counts: {} }))
  for (const set of sets)
    for (const [at, count] of countsOf(rank, set).entries()) {
      const bucket = buckets[at]
      if (bucket && count !== 0) bucket.counts[set] = count
    }
  return withoutEmptied({ ...rank.directory, buckets }, bounds)
}

/** Splits parts of about `bucketRows` off the front of a grown bucket, counting each set's rows in each part. */
async function cut(
  domain: string,
  entity: string,
  directory: Directory,
  at: number,
  bounds: RankBounds,
): Promise<Directory> {
  const bucket = directory.buckets[at]
  if (bucket === undefined) return directory
  const to = directory.buckets[at + 1]?.lo
  const largest = Object.entries(bucket.counts).sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
  const partitionOf = (set: string): string => rowKey(domain, entity, set, '').pk
  const rest: Bucket = { ...bucket, counts: { ...bucket.counts } }
  const pieces: Bucket[] = []
  let { next } = directory
  while (pieces.length < CUTS_PER_PASS && isGrown(rest, directory, bounds)) {
    const from = rest.lo === '' ? undefined : rest.lo
    const boundary = await skipRows({ pk: partitionOf(largest), from, to }, bucketRows(directory, bounds) + 1)
    if (boundary === undefined) break
    const counts: Record<string, number> = {}
    for (const set of Object.keys(rest.counts)) {
      const rows = await queryAll({ pk: partitionOf(set), from, to: boundary, keysOnly: true })
      if (rows.length > 0) counts[set] = rows.length
      const left = (rest.counts[set] ?? 0) - rows.length
      if (left > 0) rest.counts[set] = left
      else Reflect.deleteProperty(rest.counts, set)
    }
    pieces.push({ n: rest.n, lo: rest.lo, counts })
    rest.lo = boundary
    rest.n = next++
  }
  return {
    ...directory,
    next,
    buckets: [...directory.buckets.slice(0, at), ...pieces, rest, ...directory.buckets.slice(at + 1)],
  }
}

/**
 * Writes that succeed only if no item of the kind entered or left a set since `rank` was read, and that count
 * `changes`. Without changes, they also succeed if the rank was tidied meanwhile, which creates missing shards.
 */
export function steadyWrites(
  domain: string,
  entity: string,
  { directory, shards }: Rank,
  changes: readonly RankChange[],
  now: Date,
): Write[] {
  const counting = countWrite(domain, entity, directory, changes, now)
  return Array.from({ length: SHARDS }, (_, n): Write => {
    const seen = shards.find(({ name }) => name === shardName(n))?.writes ?? 0
    const isSame = seen === 0 ? '(attribute_not_exists(writes) OR writes = :seen)' : 'writes = :seen'
    const values = { ':seen': { N: String(seen) } }
    if (counting?.update.sk !== shardName(n))
      return { check: { pk: rankPartition(domain, entity), sk: shardName(n) }, condition: isSame, values }
    const condition = `(${counting.condition}) AND ${isSame}`
    return { ...counting, condition, values: { ...counting.values, ...values } }
  })
}

/** Writes the directory and empties the shards, unless anything was written since `rank` was read. */
async function commitDirectory(domain: string, entity: string, rank: Rank, next: Directory): Promise<boolean> {
  const pk = rankPartition(domain, entity)
  const epoch = rank.directory.epoch + 1
  const unchanged = (
    attribute: string,
    seen: number,
    exists: boolean,
  ): Pick<Write & { put: Attributes }, 'condition' | 'values'> =>
    exists
      ? { condition: `${attribute} = :seen`, values: { ':seen': { N: String(seen) } } }
      : { condition: 'attribute_not_exists(pk)' }
  const directory: Directory = { ...next, epoch }
  const writes: Write[] = [
    {
      put: {
        pk: { S: pk },
        sk: { S: 'directory' },
        epoch: { N: String(epoch) },
        data: { S: JSON.stringify(directory) },
      },
      ...unchanged('epoch', rank.directory.epoch, rank.directory.epoch > 0),
    },
    ...Array.from({ length: SHARDS }, (_, n): Write => {
      const shard = rank.shards.find(({ name }) => name === shardName(n))
      const writesSeen = shard?.writes ?? 0
      return {
        put: { pk: { S: pk }, sk: { S: shardName(n) }, epoch: { N: String(epoch) }, writes: { N: String(writesSeen) } },
        ...unchanged('writes', writesSeen, shard !== undefined),
      }
    }),
  ]
  const outcome = await transact(writes, randomUUID())
  const done = outcome.end === 'done'
  if (done) directories.set(pk, directory)
  else directories.delete(pk)
  return done
}
