import { isObject, jsonOf, type Fields } from '../../shared/base/json.ts'
import { leafHash } from '../../shared/crypto/merkle/hash.ts'
import { provesConsistency, provesInclusion, type TreeRoot } from '../../shared/crypto/merkle/proofs.ts'
import { HEAD_TYPE, hashIn, reasonOf, verified, type KeySet } from './passport.ts'

/** The result of an offline check of the proof of one audit record. */
export interface ProofCheck {
  /** Whether the record's bytes lead to a tree whose head the given keys signed. */
  readonly isProven: boolean
  /** errors, one sentence each */
  readonly faults: readonly string[]
  /** the record, of the bytes that are proven */
  readonly record: Fields | undefined
  /** time of the signed head */
  readonly time: string | undefined
}

class Fault extends Error {}

const treeIn = (value: unknown): TreeRoot | undefined => {
  const { size, root } = isObject(value) ? value : {}
  const hash = hashIn(root)
  return typeof size === 'number' && hash !== undefined ? { size, root: hash } : undefined
}

function pathIn(value: unknown): Buffer[] {
  const path = Array.isArray(value) ? value.map(hashIn) : [undefined]
  const hashes = path.filter((one) => one !== undefined)
  if (hashes.length < path.length) throw new Fault('The proof has no path of hashes.')
  return hashes
}

/** The record of the proof, and its leaf. @throws Fault */
function leafIn({ record: id, record_bytes: text, leaf }: Fields): { record: Fields; hash: Buffer } {
  if (typeof text !== 'string') throw new Fault('The proof has no bytes of the record.')
  const bytes = Buffer.from(text, 'base64')
  const record = jsonOf(bytes.toString())
  const hash = leafHash(bytes)
  if (!isObject(record) || !isObject(record.meta) || record.meta.id !== id)
    throw new Fault('The bytes are not those of the record.')
  if (hashIn(leaf)?.equals(hash) !== true) throw new Fault('The record was altered after it was logged.')
  return { record, hash }
}

/** The tree with a signed head: the tree of the proof, or a later one that begins with it. @throws Fault */
function signedTree({ tree, signed }: Fields): { head: string; tree: TreeRoot } {
  const own = treeIn(tree)
  if (own === undefined || !isObject(tree)) throw new Fault('The proof names no tree.')
  if (typeof tree.head === 'string') return { head: tree.head, tree: own }
  const later = treeIn(signed)
  if (later === undefined || !isObject(signed) || typeof signed.head !== 'string')
    throw new Fault('No signed head comes with the proof: ask for it again a minute later, without a size.')
  if (!provesConsistency(own, later, pathIn(signed.path)))
    throw new Fault('The signed tree does not begin with the tree of the proof.')
  return { head: signed.head, tree: later }
}

/** @throws Fault */
function headTime(jws: string, { size, root }: TreeRoot, { tenantID }: Fields, keys: KeySet): string {
  let head: Fields
  try {
    head = verified(jws, keys, HEAD_TYPE)
  } catch (error) {
    throw new Fault(`The head of the audit log ${reasonOf(error)}.`)
  }
  if (head.size !== size || hashIn(head.root)?.equals(root) !== true) throw new Fault('The head is of another tree.')
  if (head.domain !== tenantID) throw new Fault('The head is of another domain than the record.')
  return String(head.time)
}

/**
 * Checks the answer of a proof of inclusion offline, with only the public keys.
 * @param text JSON of GET /v1/audit/proofs/inclusion
 * @param keys of the domain, from a source other than the proof
 */
export function verifyProof(text: string, keys: KeySet): ProofCheck {
  let record: Fields | undefined
  try {
    const proof = jsonOf(text)
    if (!isObject(proof)) throw new Fault('The file is no proof of inclusion.')
    const leaf = leafIn(proof)
    record = leaf.record
    const tree = treeIn(proof.tree)
    const { position } = proof
    const isIn =
      tree !== undefined &&
      typeof position === 'number' &&
      provesInclusion({ index: position, leaf: leaf.hash, ...tree }, pathIn(proof.path))
    if (!isIn) throw new Fault('The record is not in the tree.')
    const signed = signedTree(proof)
    const time = headTime(signed.head, signed.tree, record, keys)
    return { isProven: true, faults: [], record, time }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { isProven: false, faults: [error.message], record, time: undefined }
  }
}
