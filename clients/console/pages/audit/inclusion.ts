import type { AnswerOf } from '../../../sdk/calls.ts'

export type Proof = AnswerOf<'get', '/v1/audit/proofs/inclusion'>

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(hex.length / 2)
  bytes.forEach((_, at) => (bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16)))
  return bytes
}

const hexOf = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The hash of an inner node. */
async function nodeOf(left: string, right: string): Promise<string> {
  return hexOf(await crypto.subtle.digest('SHA-256', bytesOf(`01${left}${right}`)))
}

/**
 * Whether the record is in the tree with this root: computes the root from the leaf and the path.
 * @see RFC 9162 §2.1.3.2
 */
export async function isIncluded({ position, leaf, path, tree: { size, root } }: Proof): Promise<boolean> {
  if (!(position >= 0 && position < size)) return false
  let [at, last, node] = [position, size - 1, leaf]
  for (const sibling of path) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      node = await nodeOf(sibling, node)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else node = await nodeOf(node, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 && node === root
}
