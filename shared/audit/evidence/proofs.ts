import { notThere, Refusal } from '../../base/errors.ts'
import { consistencyPath, inclusionPath } from '../../crypto/merkle/proofs.ts'
import { defined } from '../../base/fields.ts'
import { auditRecords, withoutPlace } from '../../http/audit/store.ts'
import type { Context } from '../../http/context.ts'
import { domainAsked } from '../domain-asked.ts'
import { headsBetween, newestHead } from '../log/heads.ts'
import { leavesOf, treeSize } from '../log/read.ts'
import { rootAt, rootsOf } from '../log/tree.ts'
import { recordBytes } from '../platform-record.ts'
import type { ConsistencyProof, ConsistencyQuery, InclusionProof, InclusionQuery } from './model.ts'

const hex = (hash: Buffer): string => hash.toString('hex')

/** The tree of this size: its root, and its signed head if there is one. */
async function treeOf(domain: string, size: number): Promise<InclusionProof['tree']> {
  const [head] = await headsBetween(domain, size, size, 1)
  return { size, root: hex(await rootAt(domain, size)), ...(head && { head: head.jws }) }
}

/**
 * The newest signed tree, with the proof that it extends the tree of the given size; `undefined` without a head that
 * large.
 */
async function signedAfter(domain: string, size: number): Promise<InclusionProof['signed']> {
  const newest = await newestHead(domain)
  if (newest === undefined || newest.size < size) return undefined
  const path = (await rootsOf(domain, consistencyPath(size, newest.size))).map(hex)
  return { size: newest.size, root: hex(await rootAt(domain, newest.size)), head: newest.jws, path }
}

/** @throws Refusal QUERY_INVALID */
function assertSize(parameter: string, size: number, least: number, most: number): void {
  if (size >= least && size <= most) return
  const detail = least > most ? 'needs a larger tree' : `must be from ${least} to ${most}`
  throw new Refusal('QUERY_INVALID', `The tree has ${most} records.`, { errors: [{ parameter, detail }] })
}

/**
 * The proof that a record is in the tree of its domain. Without `size`, the tree of the newest signed head, or the
 * present tree if that head does not cover the record.
 * @throws Refusal NOT_FOUND for a record that does not exist or is not in the tree, QUERY_INVALID for a size that the
 * tree does not have
 */
export async function proveInclusion(context: Context, query: InclusionQuery): Promise<InclusionProof> {
  const domain = await domainAsked(context, query.domain)
  const stored = await auditRecords.get(domain, query.record)
  if (stored === undefined) throw notThere('There is no such record.', { parameter: 'record', detail: 'is not there' })
  const { position } = stored.item
  if (position === undefined)
    throw notThere(
      'The record is not in the tree: it comes there within a minute, and one of a former version never.',
      {
        parameter: 'record',
        detail: 'is not in the tree',
      },
    )
  const present = await treeSize(domain)
  const signed = (await newestHead(domain))?.size ?? 0
  const size = query.size ?? (signed > position ? signed : present)
  assertSize('size', size, position + 1, present)
  const [leaf] = await leavesOf(domain, position, 1)
  if (leaf === undefined) throw new Error(`The log of ${domain} lacks position ${position}`)
  const path = (await rootsOf(domain, inclusionPath(position, size))).map(hex)
  const tree = await treeOf(domain, size)
  const later = tree.head === undefined ? await signedAfter(domain, size) : undefined
  const record_bytes = recordBytes(withoutPlace(stored.item)).toString('base64')
  return {
    record: query.record,
    position,
    leaf: hex(leaf.hash),
    record_bytes,
    tree,
    path,
    ...defined({ signed: later }),
  }
}

/**
 * The proof that the tree of size `to` (default: that of the newest signed head) begins with the tree of size `from`:
 * none of its records was altered, removed or moved since.
 * @throws Refusal QUERY_INVALID for sizes that the tree does not have
 */
export async function proveConsistency(context: Context, query: ConsistencyQuery): Promise<ConsistencyProof> {
  const domain = await domainAsked(context, query.domain)
  const present = await treeSize(domain)
  assertSize('from', query.from, 1, present)
  const to = query.to ?? Math.max(query.from, (await newestHead(domain))?.size ?? 0)
  assertSize('to', to, query.from, present)
  const path = (await rootsOf(domain, consistencyPath(query.from, to))).map(hex)
  return { from: await treeOf(domain, query.from), to: await treeOf(domain, to), path }
}
