import { atOnce } from '../../base/at-once.ts'
import {
  CompactRange,
  endOf,
  foldedRoot,
  subtreesOf,
  type LeafRange,
  type Subtree,
} from '../../crypto/merkle/compact-range.ts'
import { batchAt, endOfBatch, type Batch } from './batches.ts'

const BATCHES_AT_ONCE = 8

/** @throws RangeError when the tree does not have this leaf */
async function batchWith(domain: string, position: number): Promise<Batch> {
  const batch = await batchAt(domain, position)
  if (batch === undefined || position >= endOfBatch(batch)) throw new RangeError(`The tree has no leaf ${position}`)
  return batch
}

const rangeBefore = ({ start, frontier }: Batch): CompactRange => new CompactRange({ begin: 0, end: start }, frontier)

/**
 * The compact range [0, at): hashes of the perfect subtrees, largest first. One read.
 * @throws RangeError when the tree is smaller
 */
export async function frontierAt(domain: string, at: number): Promise<Buffer[]> {
  if (at === 0) return []
  const batch = await batchWith(domain, at - 1)
  const range = rangeBefore(batch)
  for (const hash of batch.hashes.slice(0, at - batch.start)) range.append(hash)
  return [...range.hashes]
}

const nameOf = ({ begin, level }: Subtree): string => `${begin}/${level}`

/** Nodes that a batch completes, by name. */
function nodesIn(batch: Batch, wanted: ReadonlySet<string>): [string, Buffer][] {
  const range = rangeBefore(batch)
  const found: [string, Buffer][] = []
  for (const hash of batch.hashes)
    range.append(hash, 0, (subtree, node) => {
      if (wanted.has(nameOf(subtree))) found.push([nameOf(subtree), node])
    })
  return found
}

/**
 * Hashes of perfect subtrees. The batch with the last leaf of a subtree contains its hash: one read per batch.
 * @throws RangeError when the tree is smaller
 */
async function hashesOf(domain: string, subtrees: readonly Subtree[]): Promise<Buffer[]> {
  const wanted = new Set(subtrees.map(nameOf))
  const known = new Map<string, Buffer>()
  const lasts = [...new Set(subtrees.map((subtree) => endOf(subtree) - 1))]
  const batches = new Map<number, Batch>()
  await atOnce(lasts, BATCHES_AT_ONCE, async (last) => {
    const batch = await batchWith(domain, last)
    batches.set(batch.start, batch)
  })
  for (const batch of batches.values()) for (const [name, hash] of nodesIn(batch, wanted)) known.set(name, hash)
  return subtrees.map((subtree) => {
    const hash = known.get(nameOf(subtree))
    if (hash === undefined) throw new Error(`The batches lack the node ${nameOf(subtree)}`)
    return hash
  })
}

/** The compact decomposition of [from, size). @throws RangeError when the tree is smaller */
export const subtreesBetween = (domain: string, from: number, size: number): Promise<Buffer[]> =>
  hashesOf(domain, subtreesOf({ begin: from, end: size }))

/** Roots of the ranges in a proof's path. @throws RangeError when the tree is smaller */
export async function rootsOf(domain: string, path: readonly LeafRange[]): Promise<Buffer[]> {
  const parts = path.map(subtreesOf)
  const hashes = await hashesOf(domain, parts.flat())
  let at = 0
  return parts.map(({ length }) => foldedRoot(hashes.slice(at, (at += length))))
}

/** Root of the tree with `size` leaves. @throws RangeError when the tree is smaller */
export const rootAt = async (domain: string, size: number): Promise<Buffer> =>
  foldedRoot(await frontierAt(domain, size))
