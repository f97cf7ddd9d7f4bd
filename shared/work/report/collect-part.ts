import { Refusal, type Reason } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { reportParts, reports, type StoredReport, type StoredReportPart } from './store.ts'
import { later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import { reportedCloud } from './clouds.ts'
import { Collection } from './collection.ts'
import { noteAlive } from './flow.ts'
import { ROWS_MOST } from './reported.ts'
import { partsOf } from './reports.ts'

/** What the flow does with a part next. */
export type Turn = { readonly next: 'read' | 'done' } | { readonly next: 'wait'; readonly wait_seconds: number }

const DONE: Turn = { next: 'done' }
const MORE: Turn = { next: 'read' }

/** Of all parts together: keeps an execution's history below the platform's limit; the next execution goes on. */
const TURNS_AN_EXECUTION = 2_000
/** A function has five minutes. */
const HOLD_MS = 6 * MINUTE_MS
/** Ours: longer than a turn begins new pages (280 seconds), and ends just before the function does. */
const TURN_BUDGET_MS = 295_000
const HELD_WAIT_SECONDS = 60
/** Ours: seconds until a cloud that did not answer is asked again, and how often in a row before its container fails. */
const TROUBLE_WAIT_SECONDS = 20
const TROUBLES_MOST = 30

const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  'CLOUD_THROTTLED',
  'CLOUD_UNAVAILABLE',
  'CLOUD_TIMEOUT',
  'UNAVAILABLE',
])

interface Step {
  readonly report: string
  readonly part: string
  readonly generation: number
}

/** Rows there is still room for. Ours: parts that are worked on side by side may pass it by a page each. */
async function roomIn(domain: string, report: StoredReport, own: number): Promise<number> {
  if (report.containers.length === 1) return ROWS_MOST - own
  const counts = (await partsOf(domain, report)).map((part) =>
    part?.item.phase === 'failed' ? 0 : (part?.item.count ?? 0),
  )
  return Math.max(0, ROWS_MOST - counts.reduce((sum, count) => sum + count, 0))
}

/** A report that is under way. */
async function underWay(domain: string, id: string): Promise<Stored<StoredReport> | undefined> {
  const stored = await reports.get(domain, id)
  return stored?.item.overall_status === 'in_progress' ? stored : undefined
}

async function update(
  domain: string,
  stored: Stored<StoredReportPart>,
  change: Partial<StoredReportPart>,
  now: Date,
): Promise<Stored<StoredReportPart>> {
  const item = { ...stored.item, ...change }
  const changes = new Changes()
  changes.update(reportParts, domain, stored, item)
  await changes.commit(now)
  return { item, rev: stored.rev + 1 }
}

/** A part in the hands of this turn. @throws Stale when another was faster */
const take = (domain: string, stored: Stored<StoredReportPart>, generation: number, now: Date) => {
  const { item } = stored
  const turns = item.generation === generation ? item.turns + 1 : 1
  // Counted until it is let go: a turn that breaks off without a word is trouble too.
  const change = { generation, turns, troubles: item.troubles + 1, heldUntil: later(now, HOLD_MS).toISOString() }
  return update(domain, stored, change, now)
}

/**
 * Writes on what one container has to tell while there is time. May be stopped anywhere, and called twice at a time: only
 * one of the calls writes.
 */
export async function collectPart(domain: string, { report, part, generation }: Step, sweep: Sweep): Promise<Turn> {
  const { now } = sweep
  const [found, of] = [await reportParts.get(domain, part), await underWay(domain, report)]
  if (found?.item.phase !== 'open' || of === undefined) return DONE
  const turnsMost = Math.max(1, Math.floor(TURNS_AN_EXECUTION / of.item.containers.length))
  if (found.item.generation === generation && found.item.turns >= turnsMost) return DONE
  if (Date.parse(found.item.heldUntil) > now.getTime()) return { next: 'wait', wait_seconds: HELD_WAIT_SECONDS }
  await noteAlive(domain, of, now)
  const stored = await take(domain, found, generation, now)
  if (stored.item.troubles > TROUBLES_MOST) {
    await update(domain, stored, { phase: 'failed', message: 'It kept breaking off; see the log.' }, now)
    return DONE
  }
  return collect(domain, of.item, stored, sweep)
}

async function collect(
  domain: string,
  report: StoredReport,
  stored: Stored<StoredReportPart>,
  { now, hasTime }: Sweep,
): Promise<Turn> {
  const letGo = { heldUntil: now.toISOString() }
  const container = report.containers[Number(stored.item.id.slice(report.id.length + 1))]
  if (container === undefined) throw new Error(`The report ${report.id} has no container for ${stored.item.id}`)
  let collection: Collection | undefined
  try {
    const budget = AbortSignal.timeout(TURN_BUDGET_MS)
    const source = await reportedCloud(report.cloud_name).open(domain, container, report, { now, budget })
    collection = new Collection(domain, now, source, stored)
    while (collection.isOpen && hasTime() && (await underWay(domain, report.id)) !== undefined)
      await collection.page(await roomIn(domain, report, collection.count))
    await collection.note({ ...letGo, troubles: 0 })
    return collection.isOpen ? MORE : DONE
  } catch (error) {
    const note = (change: Partial<StoredReportPart>): Promise<unknown> =>
      collection?.note(change) ?? update(domain, stored, change, now)
    if (!(error instanceof Refusal)) {
      // The flow tries it again, and hands it to `failPart` in the end: nobody must find it held.
      await note(letGo)
      throw error
    }
    const troubles = collection?.hasMoved === true ? 1 : stored.item.troubles
    const isPassing = PASSING.has(error.reason) && troubles < TROUBLES_MOST
    log(isPassing ? 'info' : 'warn', 'a container was not reported to its end', {
      part: stored.item.id,
      ...errorFields(error),
    })
    await note(isPassing ? { ...letGo, troubles } : { ...letGo, phase: 'failed', message: error.message })
    return isPassing ? { next: 'wait', wait_seconds: TROUBLE_WAIT_SECONDS } : DONE
  }
}

/** A part whose turns kept failing for no reason that anybody was told. */
export async function failPart(domain: string, part: string, now: Date): Promise<void> {
  const stored = await reportParts.get(domain, part)
  if (stored?.item.phase !== 'open') return
  await update(domain, stored, { phase: 'failed', message: 'A fault on our side; see the log.' }, now)
}
