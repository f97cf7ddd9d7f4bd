import { expect, test } from 'vitest'
import { isIncluded, type Proof } from '../../../clients/console/pages/audit/inclusion.ts'
import { leafHash, nodeHash } from '../../../shared/crypto/merkle/hash.ts'
import { inclusionPath } from '../../../shared/crypto/merkle/proofs.ts'

const LARGEST = 18
const leaves = Array.from({ length: LARGEST }, (_, at) => leafHash(Buffer.from(`record ${at}`)))

/** Root of the leaves of a range. @see RFC 9162 §2.1.1 */
function rootOf(begin: number, end: number): Buffer {
  const count = end - begin
  if (count === 1) return leaves[begin] ?? Buffer.of()
  const half = 2 ** Math.ceil(Math.log2(count) - 1)
  return nodeHash(rootOf(begin, begin + half), rootOf(begin + half, end))
}

/** The proof of a record as the service returns it. */
function proofOf(position: number, size: number): Proof {
  const path = inclusionPath(position, size).map(({ begin, end }) => rootOf(begin, end).toString('hex'))
  const tree = { size, root: rootOf(0, size).toString('hex') }
  return { position, leaf: leaves[position]?.toString('hex') ?? '', path, tree } as Proof
}

/** The same hash with one bit flipped. */
const flipped = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)

test('every record of every tree is included', async () => {
  for (let size = 1; size <= LARGEST; size++)
    for (let position = 0; position < size; position++)
      expect(await isIncluded(proofOf(position, size)), `${position} of ${size}`).toBe(true)
})

test.each<[string, (proof: Proof) => Proof]>([
  ['another leaf', (proof) => ({ ...proof, leaf: flipped(proof.leaf) })],
  ['another root', (proof) => ({ ...proof, tree: { ...proof.tree, root: flipped(proof.tree.root) } })],
  ['another neighbour', (proof) => ({ ...proof, path: [flipped(proof.path[0] ?? ''), ...proof.path.slice(1)] })],
  ['a shorter path', (proof) => ({ ...proof, path: proof.path.slice(1) })],
  ['a longer path', (proof) => ({ ...proof, path: [...proof.path, proof.leaf] })],
  ['another position', (proof) => ({ ...proof, position: proof.position ^ 1 })],
  ['a position behind the tree', (proof) => ({ ...proof, position: proof.position + proof.tree.size })],
  ['a position before the tree', (proof) => ({ ...proof, position: proof.position - proof.tree.size })],
])('with %s a record is not included', async (_what, change) => {
  for (const size of [6, 11, LARGEST])
    for (let position = 0; position < size; position++)
      expect(await isIncluded(change(proofOf(position, size))), `${position} of ${size}`).toBe(false)
})
