import { Worker } from 'node:worker_threads'
import { CompactRange } from '../../shared/crypto/merkle/compact-range.ts'
import { LEAF_BYTES } from './matching.ts'

/** A tree, and the sizes at which its root is needed. */
export interface TreeTask {
  /** shared with the thread that hashes records */
  readonly leaves: SharedArrayBuffer
  readonly first: number
  /** hex: the compact range before the first leaf, the subtrees after the last leaf, and the tree's size with them */
  readonly frontier: readonly string[]
  readonly after: readonly string[]
  readonly size: number
  readonly sizes: readonly number[]
}

/** Roots in hex, by size; an error when the hashes do not fit the sizes. */
export type TreeAnswer = { readonly roots: ReadonlyMap<number, string> } | { readonly error: string }

const bytesOf = (hashes: readonly string[]): Buffer[] => hashes.map((hash) => Buffer.from(hash, 'hex'))
const ID_BYTES = 16

/** Computes the roots of the tree. */
export function rootsOf({ leaves, first, frontier, after, size, sizes }: TreeTask): TreeAnswer {
  try {
    const bytes = Buffer.from(leaves)
    const end = first + bytes.length / LEAF_BYTES
    const wanted = new Set(sizes)
    const roots = new Map<number, string>()
    const range = new CompactRange({ begin: 0, end: first }, bytesOf(frontier))
    const note = (): void => {
      if (wanted.has(range.end)) roots.set(range.end, range.root().toString('hex'))
    }
    note()
    for (let at = ID_BYTES; at < bytes.length; at += LEAF_BYTES) {
      range.append(bytes.subarray(at, at + LEAF_BYTES - ID_BYTES))
      note()
    }
    if (size >= end) range.appendRange({ begin: end, end: size }, bytesOf(after))
    note()
    return { roots }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** The same in another thread. @param program the module that answers tasks (`main.ts`) */
export async function rootsBeside(program: URL, task: TreeTask): Promise<TreeAnswer> {
  const worker = new Worker(program, { workerData: task })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}
