import { emptyRoot, nodeHash } from './hash.ts'

/** Leaves `begin` up to, but not including, `end`. */
export interface LeafRange {
  readonly begin: number
  readonly end: number
}

/** A perfect subtree: 2^`level` leaves starting at `begin`, which is a multiple of that number. */
export interface Subtree {
  readonly begin: number
  readonly level: number
}

export const endOf = ({ begin, level }: Subtree): number => begin + 2 ** level

/** The fewest perfect subtrees that make up a range, from left to right: at most two of each level. */
export function subtreesOf({ begin, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = begin; at < end;) {
    let level = 0
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level++
    subtrees.push({ begin: at, level })
    at += 2 ** level
  }
  return subtrees
}

/** Root over the hashes of the subtrees of a range that starts at a multiple of its largest subtree. */
export function foldedRoot(hashes: readonly Buffer[]): Buffer {
  const last = hashes.at(-1)
  if (last === undefined) return emptyRoot()
  return hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last)
}

/**
 * A range of the tree's leaves, represented by the hashes of its fewest perfect subtrees (`hashes`, from left to
 * right). It grows to the right: by leaves, by perfect subtrees, by adjacent ranges. A range that starts at 0 is what a
 * log stores in order to continue (its frontier).
 */
export class CompactRange {
  readonly begin: number
  #end: number
  readonly #hashes: Buffer[]
  readonly #levels: number[]

  /** @throws RangeError unless there is a hash for each subtree of the range */
  constructor(range: LeafRange = { begin: 0, end: 0 }, hashes: readonly Buffer[] = []) {
    this.begin = range.begin
    this.#end = range.end
    this.#hashes = [...hashes]
    this.#levels = subtreesOf(range).map(({ level }) => level)
    if (this.#levels.length !== hashes.length)
      throw new RangeError(`A range of ${this.#levels.length} subtrees comes with ${hashes.length} hashes`)
  }

  get end(): number {
    return this.#end
  }

  get hashes(): readonly Buffer[] {
    return this.#hashes
  }

  /**
   * Appends a leaf's hash, or that of a perfect subtree.
   * @param formed is called with each subtree that it completes, itself included
   * @throws RangeError for a subtree that is not adjacent
   */
  append(hash: Buffer, level = 0, formed?: (subtree: Subtree, hash: Buffer) => void): void {
    if (this.#end % 2 ** level !== 0) throw new RangeError(`No subtree of level ${level} begins at ${this.#end}`)
    let node = hash
    let at = { begin: this.#end, level }
    formed?.(at, node)
    while (this.#levels.at(-1) === at.level && at.begin % 2 ** (at.level + 1) !== 0) {
      const left = this.#hashes.pop()
      this.#levels.pop()
      if (left === undefined) break
      node = nodeHash(left, node)
      at = { begin: at.begin - 2 ** at.level, level: at.level + 1 }
      formed?.(at, node)
    }
    this.#hashes.push(node)
    this.#levels.push(at.level)
    this.#end = endOf(at)
  }

  /** Appends the adjacent range. @throws RangeError for another range, or for a wrong number of hashes */
  appendRange(range: LeafRange, hashes: readonly Buffer[]): void {
    const subtrees = subtreesOf(range)
    if (range.begin !== this.#end || subtrees.length !== hashes.length)
      throw new RangeError(`${hashes.length} hashes from ${range.begin} on do not follow ${this.#end}`)
    for (const [at, hash] of hashes.entries()) this.append(hash, subtrees[at]?.level)
  }

  /** Root of the tree. @throws RangeError for a range that does not begin at 0 */
  root(): Buffer {
    if (this.begin !== 0) throw new RangeError('Only a range from 0 on has a root')
    return foldedRoot(this.#hashes)
  }
}
