import { createHash, hash } from 'node:crypto'

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32

const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

/** Hash of a leaf, with a prefix of its own, so that no leaf can pass as a node. 32 bytes. @see RFC 9162 §2.1.1 */
export const leafHash = (bytes: Uint8Array): Buffer => createHash('sha256').update(LEAF).update(bytes).digest()

/** Hash of a node with two children. 32 bytes. @see RFC 9162 §2.1.1 */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([NODE, left, right]), 'buffer')

/** Root of the tree without leaves. @see RFC 9162 §2.1.1 */
export const emptyRoot = (): Buffer => hash('sha256', '', 'buffer')
