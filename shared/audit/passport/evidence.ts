import { defined } from '../../base/fields.ts'
import { newestHead } from '../log/heads.ts'
import { rootsOf } from '../log/tree.ts'
import { leafOf } from '../platform-record.ts'
import { inclusionPath } from '../../crypto/merkle/proofs.ts'
import { withoutPlace, type StoredAuditRecord } from '../../http/audit/store.ts'

/** An audit record that supports a statement, with the values by which an auditor finds it. */
export interface ProvenRecord {
  readonly id: string
  /** time of the call */
  readonly time: string
  readonly action: string
  readonly resource?: string
  /** index of its leaf in the domain's tree; absent until the record is in the tree */
  readonly position?: number
  /** leaf of the tree, hex */
  readonly leaf?: string
  /**
   * hashes from the leaf's neighbour up to the head, hex: RFC 9162 §2.1.3.1. Absent until a signed head covers the
   * record.
   */
  readonly inclusion?: readonly string[]
  /** the record in the table differs from its leaf in the tree */
  readonly altered?: true
}

/** Records with their proofs, and the signed head of these proofs. */
export interface Evidence {
  readonly records: readonly ProvenRecord[]
  /** signed head of the tree, a compact JWS */
  readonly head?: string
}

const hex = (bytes: Buffer): string => bytes.toString('hex')

const named = ({ id, createdAt, message, details: { resource_uri } }: StoredAuditRecord): ProvenRecord => ({
  id,
  time: createdAt,
  action: message,
  ...defined({ resource: resource_uri }),
})

/**
 * Proofs that records are in the log of their domain. Takes a few reads per record at most; shared nodes are read once.
 */
export async function evidenceFor(domain: string, records: readonly StoredAuditRecord[]): Promise<Evidence> {
  const head = await newestHead(domain)
  const isCovered = ({ position }: StoredAuditRecord): boolean => position !== undefined && position < (head?.size ?? 0)
  const ranges = records.filter(isCovered).map(({ position = 0 }) => [
    { begin: position, end: position + 1 }, // the leaf itself
    ...inclusionPath(position, head?.size ?? 0),
  ])
  const hashes = await rootsOf(domain, ranges.flat())
  let at = 0
  const proven = records.map((record): ProvenRecord => {
    const { position } = record
    if (!isCovered(record)) return { ...named(record), ...defined({ position }) }
    const [leaf = Buffer.alloc(0), ...inclusion] = hashes.slice(
      at,
      (at += inclusionPath(position ?? 0, head?.size ?? 0).length + 1),
    )
    const isAltered = !leafOf(withoutPlace(record)).equals(leaf)
    return {
      ...named(record),
      ...defined({ position }),
      leaf: hex(leaf),
      inclusion: inclusion.map(hex),
      ...(isAltered && { altered: true }),
    }
  })
  return { records: proven, ...(head && { head: head.jws }) }
}
