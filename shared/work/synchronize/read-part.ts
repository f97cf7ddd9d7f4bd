import { Refusal, type Reason } from '../../base/errors.ts'
import { DONE, HELD, HOLD_MS, MORE, turnsEach, type Turn } from '../flow/turn.ts'
import { errorFields, log } from '../../base/log.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { sourceOf, synchronizationJobs, synchronizationParts, type StoredSynchronizationPart } from './store.ts'
import { later, type Sweep } from '../../base/time.ts'
import { synchronizedCloud } from './clouds.ts'
import { noteAlive } from './flow.ts'
import { Reading } from './reading.ts'

/** Ours: longer than a turn begins new pages (280 seconds), and ends just before the function does. */
const TURN_BUDGET_MS = 295_000
/** Ours: seconds until a cloud that did not answer is asked again, and how often in a row before its place fails. */
const TROUBLE_WAIT_SECONDS = 20
const TROUBLES_MOST = 30

const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  'CLOUD_THROTTLED',
  'CLOUD_UNAVAILABLE',
  'CLOUD_TIMEOUT',
  'UNAVAILABLE',
])

const isOpen = ({ phase }: StoredSynchronizationPart): boolean => phase === 'known' || phase === 'listing'

/** A part in the hands of this turn. @throws Stale when another was faster */
async function take(
  domain: string,
  { item, rev }: Stored<StoredSynchronizationPart>,
  generation: number,
  now: Date,
): Promise<Stored<StoredSynchronizationPart>> {
  const turns = item.generation === generation ? item.turns + 1 : 1
  // Counted until it is let go: a turn that breaks off without a word is trouble too.
  const troubles = item.troubles + 1
  const taken = { ...item, generation, turns, troubles, heldUntil: later(now, HOLD_MS).toISOString() }
  const changes = new Changes()
  changes.update(synchronizationParts, domain, { item, rev }, taken)
  await changes.commit(now)
  return { item: taken, rev: rev + 1 }
}

/** Whether the job was told to end. */
async function isAborted(domain: string, job: string): Promise<boolean> {
  const stored = await synchronizationJobs.get(domain, job)
  return stored === undefined || stored.item.abort || stored.item.overall_status !== 'in_progress'
}

/**
 * Reads on in one part while there is time. May be stopped anywhere, and called twice at a time: only one of the calls
 * reads.
 */
export async function readPart(
  domain: string,
  { job, part, generation }: { readonly job: string; readonly part: string; readonly generation: number },
  { now, hasTime }: Sweep,
): Promise<Turn> {
  const found = await synchronizationParts.get(domain, part)
  if (found === undefined || !isOpen(found.item)) return DONE
  const ofJob = await synchronizationJobs.get(domain, job)
  if (ofJob?.item.overall_status !== 'in_progress') return DONE
  if (found.item.generation === generation && found.item.turns >= turnsEach(ofJob.item.places.length)) return DONE
  if (Date.parse(found.item.heldUntil) > now.getTime()) return HELD
  await noteAlive(domain, ofJob, now)
  const stored = await take(domain, found, generation, now)
  const letGo = { heldUntil: now.toISOString(), troubles: 0 }
  if (ofJob.item.abort) return end(domain, stored, now, { phase: 'aborted' })
  if (stored.item.troubles > TROUBLES_MOST)
    return end(domain, stored, now, { phase: 'failed', message: 'It kept breaking off; see the log.' })
  const cloud = synchronizedCloud(sourceOf(ofJob.item))
  let reading: Reading | undefined
  try {
    const { container, region } = stored.item
    const place = await cloud.open(domain, container, region, {
      now,
      budget: AbortSignal.timeout(TURN_BUDGET_MS),
    })
    reading = new Reading(domain, now, cloud, place, stored)
    while (!reading.isDone && hasTime() && !(await isAborted(domain, job))) await reading.page(hasTime)
    if (!reading.isDone && (await isAborted(domain, job))) await reading.note({ ...letGo, phase: 'aborted' })
    else await reading.note(letGo)
    return reading.isDone ? DONE : MORE
  } catch (error) {
    if (!(error instanceof Refusal)) {
      // The flow tries it again, and hands it to `failPart` in the end: nobody must find it held.
      await (reading?.note({ heldUntil: letGo.heldUntil }) ?? end(domain, stored, now, {}))
      throw error
    }
    return troubled(error, reading, domain, stored, now)
  }
}

/** Ends a part that was not even begun in this turn. */
async function end(
  domain: string,
  stored: Stored<StoredSynchronizationPart>,
  now: Date,
  change: Partial<StoredSynchronizationPart>,
): Promise<Turn> {
  const changes = new Changes()
  changes.update(synchronizationParts, domain, stored, { ...stored.item, ...change, heldUntil: now.toISOString() })
  await changes.commit(now)
  return DONE
}

/** Trouble of the cloud that may pass is waited out; any other refusal is what becomes of the part. */
async function troubled(
  refusal: Refusal,
  reading: Reading | undefined,
  domain: string,
  stored: Stored<StoredSynchronizationPart>,
  now: Date,
): Promise<Turn> {
  const troubles = reading?.hasMoved === true ? 1 : stored.item.troubles
  const passing = PASSING.has(refusal.reason) && troubles < TROUBLES_MOST
  log(passing ? 'info' : 'warn', 'a place was not read to its end', { part: stored.item.id, ...errorFields(refusal) })
  const change: Partial<StoredSynchronizationPart> = passing
    ? { heldUntil: now.toISOString(), troubles }
    : { heldUntil: now.toISOString(), phase: 'failed', message: refusal.message }
  if (reading) await reading.note(change)
  else await end(domain, stored, now, change)
  return passing ? { next: 'wait', wait_seconds: TROUBLE_WAIT_SECONDS } : DONE
}

/** A part whose turns kept failing for no reason that anybody was told. */
export async function failPart(domain: string, part: string, now: Date): Promise<void> {
  const stored = await synchronizationParts.get(domain, part)
  if (stored && isOpen(stored.item))
    await end(domain, stored, now, { phase: 'failed', message: 'A fault on our side; see the log.' })
}
