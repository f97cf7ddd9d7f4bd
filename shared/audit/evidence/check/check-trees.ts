import { log } from '../../../base/log.ts'
import { later, type Sweep } from '../../../base/time.ts'
import { CompactRange } from '../../../crypto/merkle/compact-range.ts'
import { Changes, commitUnlessDone } from '../../../store/changes.ts'
import { workOff } from '../../../store/due.ts'
import type { Stored } from '../../../store/entity.ts'
import { batchesFrom, BatchUnreadable, endOfBatch, factsBetween, type Batch } from '../../log/batches.ts'
import { headNumbered } from '../../log/heads.ts'
import { logOf, type AuditLog } from '../../log/store.ts'
import { checkHeads, checkRecords, evidenceKeysOf } from './check-batch.ts'
import { checkRows } from './check-rows.ts'
import { Findings } from './findings.ts'
import { checkOf, CHECK_EVERY_MS, newCheck, treeChecks, TREE_CHECK, type TreeCheck } from './store.ts'

/** Ours: a walk takes at most this many runs, and completes in less than a day. */
const RUNS_A_WALK = 100
const RECORDS_LEAST = 2_000

const hex = (hash: Buffer): string => hash.toString('hex')

/** One run over a part of a tree. */
interface Run {
  readonly domain: string
  readonly log: AuditLog
  readonly findings: Findings
  readonly sweep: Sweep
  /** number of records to check in this run */
  readonly budget: number
}

/** The start of the next readable batch, if the one at `position` is missing or unreadable. */
async function nextAfter(domain: string, position: number, size: number): Promise<number> {
  for await (const { start } of factsBetween(domain, { first: position + 1, end: size }, 'oldest first')) return start
  return size
}

/**
 * The tree before a batch, according to the batch. If it differs from the tree of all checked leaves, that is a
 * finding.
 */
function treeBefore(check: TreeCheck, batch: Batch, findings: Findings): CompactRange {
  const known = check.frontier.map((hash) => Buffer.from(hash, 'hex'))
  const isSame =
    check.position === batch.start &&
    known.length === batch.frontier.length &&
    known.every((hash, at) => batch.frontier[at]?.equals(hash))
  if (!isSame) findings.add('Batches of the log do not follow each other', batch.start)
  return new CompactRange({ begin: 0, end: batch.start }, batch.frontier)
}

/** The progress of a run, which is kept even when a batch is unreadable. */
interface Progress {
  check: TreeCheck
}

async function checkBatches(run: Run, progress: Progress): Promise<void> {
  const { domain, findings, sweep } = run
  const { size, heads } = run.log
  const { position: first, heads: headsBefore } = progress.check
  const keys = await evidenceKeysOf(domain)
  let headBefore = headsBefore === 0 ? undefined : await headNumbered(domain, headsBefore - 1)
  for await (const batch of batchesFrom(domain, first)) {
    const { check } = progress
    if (batch.start >= size || check.position - first >= run.budget || !sweep.hasTime()) return
    const tree = treeBefore(check, batch, findings)
    if (batch.hashes.length !== batch.count) findings.add('Batches of the log cannot be read', batch.start)
    await checkRecords(domain, batch, headBefore, findings, sweep.now)
    const { next, last } = await checkHeads(domain, { batch, tree, from: check.heads, count: heads }, keys, findings)
    headBefore = last ?? headBefore
    progress.check = { ...check, position: endOfBatch(batch), frontier: tree.hashes.map(hex), heads: next }
  }
  const { check } = progress
  if (check.position < size || check.heads < heads)
    findings.add('The log is shorter than it was', Math.min(check.position, size))
  progress.check = { ...check, position: size, heads }
}

/** Reports an unreadable batch and skips it. */
async function checkTree(run: Run, first: TreeCheck): Promise<TreeCheck> {
  const { size, heads } = run.log
  if (first.position >= size && first.heads >= heads) return first
  const progress: Progress = { check: first }
  try {
    await checkBatches(run, progress)
    return progress.check
  } catch (error) {
    if (!(error instanceof BatchUnreadable)) throw error
    const { check } = progress
    run.findings.add('Batches of the log cannot be read', check.position)
    return { ...check, position: await nextAfter(run.domain, check.position, size), frontier: [] }
  }
}

async function checkPlaces({ domain, log: known, findings, sweep, budget }: Run, first: TreeCheck): Promise<TreeCheck> {
  let check = first
  for (let done = 0; !check.rowsDone && done < budget && sweep.hasTime();) {
    const { after, count } = await checkRows(domain, check.after, known, findings, sweep.now)
    check = { ...check, after, rowsDone: after === undefined }
    done += Math.max(1, count)
  }
  return check
}

async function checkSome(domain: string, stored: Stored<TreeCheck>, sweep: Sweep): Promise<void> {
  const known = (await logOf(domain))?.item
  if (known === undefined) return
  const findings = new Findings()
  const budget = Math.max(RECORDS_LEAST, Math.ceil(known.size / RUNS_A_WALK))
  const run = { domain, log: known, findings, sweep, budget }
  const check = await checkPlaces(run, await checkTree(run, stored.item))
  const isThrough = check.position >= known.size && check.rowsDone
  const changes = new Changes()
  const next = isThrough ? { ...newCheck(sweep.now), completedAt: sweep.now.toISOString() } : check
  const nextAt = later(sweep.now, CHECK_EVERY_MS).toISOString()
  changes.update(treeChecks, domain, stored, { ...next, nextAt })
  if (!findings.empty) log('error', 'the tree of audit records is not what it was', { domain })
  findings.record(changes, domain, sweep.now)
  await commitUnlessDone(changes, sweep.now)
}

/**
 * Continues to check the trees of all domains: records against their leaves, batches against each other and the signed
 * heads, and that no record is outside of the log. Findings become audit records.
 */
export const checkTrees = async (sweep: Sweep): Promise<{ checked: number }> => ({
  checked: await workOff(
    {
      ...TREE_CHECK,
      work: async ({ domain }) => {
        const stored = await checkOf(domain)
        if (stored === undefined || Date.parse(stored.item.nextAt) > sweep.now.getTime()) return
        await checkSome(domain, stored, sweep)
      },
    },
    sweep,
  ),
})
