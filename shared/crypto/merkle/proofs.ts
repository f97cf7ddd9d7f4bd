import type { LeafRange } from './compact-range.ts'
import { nodeHash } from './hash.ts'

/** The largest power of two below `count`, which is at least 2. */
function split(count: number): number {
  let half = 1
  while (half * 2 < count) half *= 2
  return half
}

/**
 * The ranges whose roots prove that a leaf is in a tree of `size`, starting with the leaf's neighbour.
 * @throws RangeError unless `0 <= index < size`
 * @see RFC 9162 §2.1.3.1
 */
export function inclusionPath(index: number, size: number): LeafRange[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`A tree of ${size} has no leaf ${index}`)
  const path: LeafRange[] = []
  let [begin, end] = [0, size]
  while (end - begin > 1) {
    const middle = begin + split(end - begin)
    if (index < middle) {
      path.push({ begin: middle, end })
      end = middle
    } else {
      path.push({ begin, end: middle })
      begin = middle
    }
  }
  return path.reverse()
}

/**
 * The ranges whose roots prove that a tree of `to` leaves begins with that of `from` leaves.
 * @throws RangeError unless `0 < from <= to`
 * @see RFC 9162 §2.1.4.1
 */
export function consistencyPath(from: number, to: number): LeafRange[] {
  if (!(from > 0 && from <= to)) throw new RangeError(`There is no consistency from ${from} to ${to}`)
  const path: LeafRange[] = []
  let [begin, end] = [0, to]
  while (end !== from) {
    const middle = begin + split(end - begin)
    if (from <= middle) {
      path.push({ begin: middle, end })
      end = middle
    } else {
      path.push({ begin, end: middle })
      begin = middle
    }
  }
  if (begin !== 0) path.push({ begin, end })
  return path.reverse()
}

const isOdd = (n: number): boolean => n % 2 === 1
const half = (n: number): number => Math.floor(n / 2)

/**
 * Whether `path` proves that `leaf` is at `index` of the tree with `size` and `root`.
 * @see RFC 9162 §2.1.3.2
 */
export function provesInclusion(
  { index, size, leaf, root }: { index: number; size: number; leaf: Buffer; root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (!(index >= 0 && index < size)) return false
  let [fn, sn, node] = [index, size - 1, leaf]
  for (const hash of path) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      node = nodeHash(hash, node)
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else node = nodeHash(node, hash)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 && node.equals(root)
}

/** A tree's size and root. */
export interface TreeRoot {
  readonly size: number
  readonly root: Buffer
}

/**
 * Whether `path` proves that the tree `second` begins with the tree `first`. Every tree begins with the empty one.
 * @see RFC 9162 §2.1.4.2
 */
export function provesConsistency(first: TreeRoot, second: TreeRoot, path: readonly Buffer[]): boolean {
  if (first.size === second.size) return path.length === 0 && first.root.equals(second.root)
  if (first.size === 0) return path.length === 0
  if (!(first.size > 0 && first.size < second.size)) return false
  // A tree whose size is a power of two is a subtree of every larger one: the path omits it.
  const isPerfect = Number.isInteger(Math.log2(first.size))
  const [seed, ...rest] = isPerfect ? [first.root, ...path] : path
  if (seed === undefined || rest.length === 0) return false
  let [fn, sn] = [first.size - 1, second.size - 1]
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)]
  let [fr, sr] = [seed, seed]
  for (const hash of rest) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      fr = nodeHash(hash, fr)
      sr = nodeHash(hash, sr)
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else sr = nodeHash(sr, hash)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 && fr.equals(first.root) && sr.equals(second.root)
}
