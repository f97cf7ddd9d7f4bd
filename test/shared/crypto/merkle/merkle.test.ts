import fc from '../../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { CompactRange, foldedRoot, subtreesOf, type LeafRange } from '../../../../shared/crypto/merkle/compact-range.ts'
import { leafHash } from '../../../../shared/crypto/merkle/hash.ts'
import {
  consistencyPath,
  inclusionPath,
  provesConsistency,
  provesInclusion,
} from '../../../../shared/crypto/merkle/proofs.ts'
import vectors from '../../../vectors/merkle.json' with { type: 'json' }

const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const LEAVES = vectors.leaves.map((leaf) => leafHash(hex(leaf)))
const manyLeaves = Array.from({ length: 300 }, (_, at) => leafHash(Buffer.from(`leaf ${at}`)))

function grown(leaves: readonly Buffer[], begin = 0): CompactRange {
  const range = new CompactRange({ begin, end: begin })
  for (const leaf of leaves) range.append(leaf)
  return range
}
const rootOf = (leaves: readonly Buffer[]): Buffer => grown(leaves).root()
/** Roots of the ranges of a path, each a separate tree. */
const rootsOf = (leaves: readonly Buffer[], path: readonly LeafRange[]): Buffer[] =>
  path.map(({ begin, end }) => rootOf(leaves.slice(begin, end)))
const rootAt = (size: number): Buffer => hex(vectors.roots[size] ?? '')

test('the trees of 0 to 8 leaves have the published roots', () => {
  for (const [size, root] of vectors.roots.entries())
    expect(rootOf(LEAVES.slice(0, size)).toString('hex'), `size ${size}`).toBe(root)
})

test.each(vectors.inclusion)('leaf $index of $size has the published proof', ({ index, size, path }) => {
  const proof = rootsOf(LEAVES, inclusionPath(index, size))
  expect(proof.map((hash) => hash.toString('hex'))).toEqual(path)
  const leaf = LEAVES[index] ?? Buffer.alloc(0)
  expect(provesInclusion({ index, size, leaf, root: rootAt(size) }, proof)).toBe(true)
})

test.each(vectors.consistency)('the proof from $from to $to is the published one', ({ from, to, path }) => {
  const proof = rootsOf(LEAVES, consistencyPath(from, to))
  expect(proof.map((hash) => hash.toString('hex'))).toEqual(path)
  expect(provesConsistency({ size: from, root: rootAt(from) }, { size: to, root: rootAt(to) }, proof)).toBe(true)
})

test('every leaf of every tree is proven, and no other leaf, place, size, root or path is', () => {
  for (let size = 1; size <= 40; size++) {
    const root = rootOf(manyLeaves.slice(0, size))
    for (let index = 0; index < size; index++) {
      const leaf = manyLeaves[index] as Buffer
      const path = rootsOf(manyLeaves, inclusionPath(index, size))
      const claim = { index, size, leaf, root }
      expect(provesInclusion(claim, path)).toBe(true)
      expect(provesInclusion({ ...claim, leaf: manyLeaves[index + 1] as Buffer }, path)).toBe(false)
      expect(provesInclusion({ ...claim, root: leafHash(root) }, path)).toBe(false)
      expect(provesInclusion({ ...claim, index: size }, path)).toBe(false)
      expect(provesInclusion({ ...claim, index: -1 }, path)).toBe(false)
      if (size > 1) expect(provesInclusion({ ...claim, index: (index + 1) % size }, path)).toBe(false)
      expect(provesInclusion(claim, [...path, root])).toBe(false)
      if (path.length > 0) expect(provesInclusion(claim, path.slice(1))).toBe(false)
    }
  }
})

test('every tree is proven to begin with every smaller one, and with no other', () => {
  for (let to = 1; to <= 40; to++) {
    const second = { size: to, root: rootOf(manyLeaves.slice(0, to)) }
    expect(provesConsistency({ size: 0, root: rootOf([]) }, second, [])).toBe(true)
    for (let from = 1; from <= to; from++) {
      const first = { size: from, root: rootOf(manyLeaves.slice(0, from)) }
      const path = rootsOf(manyLeaves, consistencyPath(from, to))
      expect(provesConsistency(first, second, path), `${from} to ${to}`).toBe(true)
      expect(provesConsistency({ ...first, root: leafHash(first.root) }, second, path)).toBe(false)
      expect(provesConsistency(first, { ...second, root: leafHash(second.root) }, path)).toBe(false)
      expect(provesConsistency(second, first, path)).toBe(from === to)
      expect(provesConsistency(first, second, [...path, first.root])).toBe(false)
      if (path.length > 0) expect(provesConsistency(first, second, path.slice(1))).toBe(false)
    }
  }
})

test('paths are refused for unknown leaves and trees', () => {
  expect(() => inclusionPath(3, 3)).toThrow(RangeError)
  expect(() => inclusionPath(-1, 3)).toThrow(RangeError)
  expect(() => consistencyPath(0, 3)).toThrow(RangeError)
  expect(() => consistencyPath(4, 3)).toThrow(RangeError)
})

test('adjacent ranges form the range of all their leaves, at any division', () => {
  const cuts = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300)).map((all) => all.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(cuts, ([first = 0, middle = 0, end = 0]) => {
      const left = grown(manyLeaves.slice(first, middle), first)
      const right = grown(manyLeaves.slice(middle, end), middle)
      left.appendRange({ begin: middle, end }, right.hashes)
      const whole = grown(manyLeaves.slice(first, end), first)
      expect(left.hashes).toEqual(whole.hashes)
      expect(left.end).toBe(end)
      const subtrees = subtreesOf({ begin: first, end })
      expect(subtrees.map(({ begin, level }) => rootOf(manyLeaves.slice(begin, begin + 2 ** level)))).toEqual(
        whole.hashes,
      )
    }),
  )
})

test('a range reports each subtree that becomes complete', () => {
  const range = new CompactRange()
  const formed: string[] = []
  for (const leaf of LEAVES.slice(0, 4)) range.append(leaf, 0, ({ begin, level }) => formed.push(`${begin}/${level}`))
  expect(formed).toEqual(['0/0', '1/0', '0/1', '2/0', '3/0', '2/1', '0/2'])
})

test('a range refuses hashes that do not belong to it', () => {
  expect(() => new CompactRange({ begin: 0, end: 3 }, [leafHash(Buffer.alloc(0))])).toThrow(RangeError)
  const range = grown(LEAVES.slice(0, 3))
  expect(() => range.append(LEAVES[3] as Buffer, 1)).toThrow(RangeError)
  expect(() => range.appendRange({ begin: 4, end: 5 }, [LEAVES[4] as Buffer])).toThrow(RangeError)
  expect(() => grown(LEAVES.slice(1), 1).root()).toThrow(RangeError)
  expect(foldedRoot(range.hashes).toString('hex')).toBe(vectors.roots[3])
})
