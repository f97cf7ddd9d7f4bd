import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Sweep } from '../../base/time.ts'
import { Changes } from '../../store/changes.ts'
import { heartbeat, underWay } from './job.ts'
import type { Hand, JobKind, JobState, WorkItemState } from './kinds.ts'
import { takeLease } from './lease.ts'
import { isFinal } from '../sagas/passing.ts'
import { DONE, isLeased, MORE, type Turn } from './state.ts'

/** Of all items together: keeps an execution's history below the platform's limit; the next execution goes on. */
const TURNS_AN_EXECUTION = 2_000
/** Ours: longer than a turn begins new steps (280 seconds), and ends just before the function does. */
const TURN_BUDGET_MS = 295_000
/** Another turn has the item: it is asked for again then. */
const LEASED: Turn = { next: 'wait', wait_seconds: 60 }
/** Ours: when a cloud that did not answer is asked again, and how often in a row before its item fails. */
const TROUBLED: Turn = { next: 'wait', wait_seconds: 20 }
const TROUBLES_MOST = 30
const BROKE_OFF = 'It kept breaking off; see the log.'
const FAULT = 'A fault on our side; see the log.'

/** Names one item of one job, and the execution that takes a turn at it. */
export interface Step {
  readonly domain: string
  readonly job: string
  readonly item: string
  readonly generation: number
}

const turnsEach = (items: number): number => Math.max(1, Math.floor(TURNS_AN_EXECUTION / items))

/**
 * One turn at a work item, while there is time. May be stopped anywhere, and called twice at a time: only one of the calls
 * works.
 */
export async function takeTurn<J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  { domain, job: id, item, generation }: Step,
  sweep: Sweep,
  made?: I,
): Promise<Turn> {
  const { now } = sweep
  const { entity, isOpen, countOf, leave, failed } = kind.items
  const stored = await underWay(kind, domain, id)
  const before = (await entity.get(domain, item)) ?? (made && { item: made, rev: 0 })
  if (stored === undefined || before === undefined || !isOpen(before.item)) return DONE
  const { generation: last, turns } = before.item
  const { item: job } = await heartbeat(kind, domain, stored, now)
  if (last === generation && turns >= turnsEach(countOf(job))) return DONE
  if (isLeased(before.item, now)) return LEASED
  // An item that cannot fail has another chance in each generation.
  const troubles = failed === undefined && last !== generation ? 0 : before.item.troubles
  const lease = await takeLease(entity, domain, before, { generation, troubles, now })
  const hand: Hand<J, I> = { domain, job, lease, sweep, budget: AbortSignal.timeout(TURN_BUDGET_MS) }
  try {
    if (kind.isCancelled?.(job) === true && leave !== undefined) return await released(hand, await leave(hand))
    if (lease.item.troubles > TROUBLES_MOST) return await fail(kind, hand, BROKE_OFF)
    return await released(hand, await work(kind, hand))
  } catch (error) {
    return troubled(kind, hand, error)
  }
}

async function work<J extends JobState, I extends WorkItemState>(kind: JobKind<J, I>, hand: Hand<J, I>): Promise<Turn> {
  const { domain, job, lease, sweep } = hand
  const { isOpen, open } = kind.items
  const step = await open(hand)
  while (isOpen(lease.item) && sweep.hasTime()) {
    const now = await underWay(kind, domain, job.id)
    if (now === undefined || kind.isCancelled?.(now.item) === true) break
    const turn = await step()
    if (turn !== undefined) return turn
  }
  return isOpen(lease.item) ? MORE : DONE
}

async function released<J, I extends WorkItemState>({ lease, sweep }: Hand<J, I>, turn: Turn): Promise<Turn> {
  lease.set((item) => ({ ...item, troubles: 0 }))
  await lease.release(sweep.now)
  return turn
}

async function fail<J extends JobState, I extends WorkItemState>(
  { items }: JobKind<J, I>,
  { lease, sweep }: Hand<J, I>,
  message: string,
): Promise<Turn> {
  await lease.release(sweep.now, items.failed?.(message))
  return DONE
}

/** Waits trouble out that may pass; any other refusal ends the item, and a fault is the flow's to try again. */
async function troubled<J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  hand: Hand<J, I>,
  error: unknown,
): Promise<Turn> {
  const { lease, sweep } = hand
  const { id, troubles } = lease.item
  if (error instanceof Refusal) {
    const isWaitedOut = !isFinal(error) && troubles < TROUBLES_MOST
    log(isWaitedOut ? 'info' : 'warn', 'a work item came to no end', {
      flow: kind.flow,
      item: id,
      ...errorFields(error),
    })
    if (!isWaitedOut && kind.items.failed !== undefined) return fail(kind, hand, error.message)
    await lease.release(sweep.now)
    if (isWaitedOut) return TROUBLED
  } else await lease.release(sweep.now)
  throw error
}

/**
 * An item whose turns kept failing for no reason that was told. It fails, unless it came further in this generation: then
 * it is left to the next one.
 */
export async function failItem<J extends JobState, I extends WorkItemState>(
  { flow, items: { entity, isOpen, failed } }: JobKind<J, I>,
  { domain, item: id, generation }: Omit<Step, 'job'>,
  cause: unknown,
  now: Date,
): Promise<void> {
  log('error', 'turns at a work item kept failing', { flow, item: id, cause: JSON.stringify(cause) })
  const stored = await entity.get(domain, id)
  if (stored === undefined || failed === undefined || !isOpen(stored.item)) return
  if (stored.item.moved_in === generation) return
  const changes = new Changes()
  changes.update(entity, domain, stored, { ...stored.item, ...failed(FAULT), heldUntil: now.toISOString() })
  await changes.commit(now)
}
