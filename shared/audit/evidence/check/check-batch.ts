import { createPublicKey, type KeyObject } from 'node:crypto'
import { compactVerify } from 'jose'
import { isObject, jsonOf } from '../../../base/json.ts'
import { foldedRoot, type CompactRange } from '../../../crypto/merkle/compact-range.ts'
import { removalOf, withoutPlace, type StoredAuditRecord } from '../../../http/audit/store.ts'
import { endOfBatch, type Batch } from '../../log/batches.ts'
import { headsByNumber, type Head } from '../../log/heads.ts'
import { storedRecords } from '../../log/read.ts'
import { leafOf } from '../../platform-record.ts'
import { EVIDENCE_ALGORITHM, evidenceJwks } from '../key.ts'
import type { Findings } from './findings.ts'

/** Records of a batch by id. A damaged one is `undefined`: it was altered. */
async function recordsOf(domain: string, ids: readonly string[]): Promise<Map<string, StoredAuditRecord | undefined>> {
  const found = await storedRecords(domain, ids, 'salvage')
  return new Map(found.map(({ item, damage }) => (damage === undefined ? [item.id, item] : [damage.id, undefined])))
}

/** Milliseconds in a UUID version 7. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/**
 * Whether a record may have been deleted because its retention has ended. The record's time is the later of two: the
 * time in its id, and the time of the signed head before it, less the largest delay of a record in this log.
 */
function mayBeGone(id: string, { mostLate }: Batch, headBefore: Head | undefined, now: Date): boolean {
  const least = headBefore === undefined ? 0 : Date.parse(headBefore.at) - mostLate
  const removal = removalOf({ createdAt: new Date(Math.max(timeOf(id), least)).toISOString() })
  return removal !== undefined && removal <= now
}

/** Checks the records of a batch against their leaves. */
export async function checkRecords(
  domain: string,
  batch: Batch,
  headBefore: Head | undefined,
  findings: Findings,
  now: Date,
): Promise<void> {
  const records = await recordsOf(domain, batch.ids)
  for (const [at, hash] of batch.hashes.entries()) {
    const position = batch.start + at
    const id = batch.ids[at] ?? ''
    const record = records.get(id)
    if (!records.has(id)) {
      if (!mayBeGone(id, batch, headBefore, now)) findings.add('Records are missing', position)
    } else if (record === undefined || !leafOf(withoutPlace(record)).equals(hash))
      findings.add('Records are not what they were', position)
    else if (record.position !== position) findings.add('Records name another position', position)
  }
}

/** The public keys of a domain's heads, by `kid`. */
export async function evidenceKeysOf(domain: string): Promise<ReadonlyMap<string, KeyObject>> {
  const jwks = await evidenceJwks(domain)
  return new Map(jwks.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })]))
}

/** Whether a head matches its signature. */
async function isSigned(
  { jws, size, root }: Head,
  domain: string,
  keys: ReadonlyMap<string, KeyObject>,
): Promise<boolean> {
  try {
    const { payload } = await compactVerify(
      jws,
      ({ kid = '' }) => keys.get(kid) ?? Promise.reject(new Error('unknown key')),
      { algorithms: [EVIDENCE_ALGORITHM] },
    )
    const said = jsonOf(Buffer.from(payload).toString())
    return isObject(said) && said.domain === domain && said.size === size && said.root === root
  } catch {
    return false
  }
}

/** Number of heads per read. */
const HEADS_TOGETHER = 100

/**
 * Appends the leaves of a batch to the tree, and compares the tree with the heads that were signed in between.
 * @param from number of the first unchecked head
 * @returns number of the next unchecked head, and the last checked head
 */
export async function checkHeads(
  domain: string,
  { batch, tree, from, count }: { batch: Batch; tree: CompactRange; from: number; count: number },
  keys: ReadonlyMap<string, KeyObject>,
  findings: Findings,
): Promise<{ next: number; last: Head | undefined }> {
  let next = from
  let last: Head | undefined
  let heads = await headsByNumber(domain, next, Math.min(count, next + HEADS_TOGETHER))
  for (const hash of batch.hashes) {
    tree.append(hash)
    for (; heads[0]?.size === tree.end; next++) {
      last = heads.shift()
      if (last !== undefined && !(await isSigned(last, domain, keys)))
        findings.add('Signed heads are not what was signed', tree.end - 1)
      else if (last?.root !== foldedRoot(tree.hashes).toString('hex'))
        findings.add('The tree is not the one whose head was signed', tree.end - 1)
      if (heads.length === 0) heads = await headsByNumber(domain, next + 1, Math.min(count, next + 1 + HEADS_TOGETHER))
    }
  }
  const passed = heads.findIndex(({ size }) => size > endOfBatch(batch))
  const skipped = passed === -1 ? heads.length : passed
  if (skipped > 0) findings.add('Signed heads are not what was signed', tree.end - 1)
  return { next: next + skipped, last }
}
