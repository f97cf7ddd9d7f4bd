import { log } from '../../base/log.ts'
import { Changes, commitUnlessDone, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { removeObject } from '../../store/objects.ts'
import { partIds, reportParts, reports, type StoredReport, type StoredReportPart } from './store.ts'
import { DAY_MS, later, MINUTE_MS } from '../../base/time.ts'
import { keepText } from './download.ts'
import { partsOf, startGeneration, statusOf } from './reports.ts'

/** Interface "Reports": kept so long. */
const KEPT_MS = 90 * DAY_MS
/** Ours: after so long without an execution coming to its end, the sweeper starts another one beside it. */
const SILENT_MS = 30 * MINUTE_MS
/** Ours: executions started so, of which none came to its end, after which a report is given up. */
const RESUMES_MOST = 8
const GIVEN_UP = 'It was given up: it kept breaking off; see the log.'
const PARTS_TOGETHER = 25

/** A report that somebody is at: the sweeper leaves it alone for a while. */
export async function noteAlive(domain: string, stored: Stored<StoredReport>, now: Date): Promise<void> {
  const { item } = stored
  if (Date.parse(item.dueAt) > now.getTime() + SILENT_MS / 2) return
  const changes = new Changes()
  changes.update(reports, domain, stored, { ...item, dueAt: later(now, SILENT_MS).toISOString() })
  await commitUnlessDone(changes, now)
}

const newPart = (id: string, now: Date): StoredReportPart => ({
  id,
  phase: 'open',
  count: 0,
  reached: 0,
  generation: 0,
  turns: 0,
  troubles: 0,
  isSecondTry: false,
  heldUntil: now.toISOString(),
})

/**
 * A part for each container; those there are already stay as they are.
 * @returns ids of those still open
 * @throws Stale when the report is changed at the same moment: the flow asks again
 */
export async function planReport(domain: string, id: string, now: Date): Promise<string[]> {
  const found = await reports.get(domain, id)
  if (found?.item.overall_status !== 'in_progress') return []
  await noteAlive(domain, found, now)
  const stored = (await reports.get(domain, id)) ?? found
  const there = new Set((await partsOf(domain, stored.item)).map((part) => part?.item.id))
  const missing = partIds(stored.item).filter((part) => !there.has(part))
  for (let at = 0; at < missing.length; at += PARTS_TOGETHER) {
    const changes = new Changes()
    changes.rely(reports, domain, stored) // a report that was deleted gets no more parts
    for (const part of missing.slice(at, at + PARTS_TOGETHER)) changes.create(reportParts, domain, newPart(part, now))
    await changes.commit(now)
  }
  const parts = await partsOf(domain, stored.item)
  return parts.flatMap((part) => (part?.item.phase === 'open' ? [part.item.id] : []))
}

type Outcomes = NonNullable<StoredReport['outcomes']>

const isOver = (part: StoredReportPart | undefined): part is StoredReportPart =>
  part !== undefined && part.phase !== 'open'

const outcomeOf = (part: StoredReportPart): Outcomes[number] => ({
  status: statusOf(part),
  count: part.phase === 'failed' ? 0 : part.count,
})

/** A report as it stands when nothing more is done for it. */
const over = (report: StoredReport, outcomes: Outcomes, isWhole: boolean, now: Date): StoredReport => ({
  ...report,
  overall_status: isWhole ? 'completed' : 'failed',
  outcomes,
  updatedAt: now.toISOString(),
  ...(isWhole && { completed_at: now.toISOString() }),
  dueAt: later(now, KEPT_MS).toISOString(),
})

/**
 * The end of an execution: parts that are left get another one; without any, the report is over and says what became of
 * each container. May be called twice.
 */
export async function finishReport(domain: string, id: string, generation: number, now: Date): Promise<void> {
  const stored = await reports.get(domain, id)
  if (stored?.item.overall_status !== 'in_progress') return
  const parts = (await partsOf(domain, stored.item)).map((part) => part?.item)
  const done = parts.filter(isOver)
  if (done.length < parts.length) return goOn(domain, stored, generation, now)
  const isWhole = done.every(({ phase }) => phase === 'done')
  const report = over(stored.item, done.map(outcomeOf), isWhole, now)
  const object = await keepText(domain, report)
  const changes = new Changes()
  changes.update(reports, domain, stored, { ...report, ...(object !== undefined && { object }) })
  try {
    await changes.commit(now)
  } catch (error) {
    const isGone = error instanceof Stale && (await reports.get(domain, id)) === undefined
    if (object !== undefined && isGone) await removeObject(object)
    if (!isGone) throw error
  }
}

/** Of two executions at the same report only the younger one is followed by another. */
async function goOn(domain: string, stored: Stored<StoredReport>, generation: number, now: Date): Promise<void> {
  if (generation === stored.item.generation) await startAnew(domain, stored, now)
  // The next one may have been noted and not started: its name makes sure that it is once.
  else if (generation + 1 === stored.item.generation) await startGeneration(domain, stored.item)
}

/** Another execution of the flow goes on with what is left. */
async function startAnew(domain: string, stored: Stored<StoredReport>, now: Date, resumes = 0): Promise<void> {
  const dueAt = later(now, SILENT_MS).toISOString()
  const report = { ...stored.item, generation: stored.item.generation + 1, resumes, dueAt }
  const changes = new Changes()
  changes.update(reports, domain, stored, report)
  await changes.commit(now)
  await startGeneration(domain, report)
}

/**
 * Closes a report that nobody brings to its end. What its containers have come to is shown, but a text that is too long
 * to be answered is not made.
 */
async function giveUp(domain: string, stored: Stored<StoredReport>, now: Date): Promise<void> {
  const parts = (await partsOf(domain, stored.item)).map((part) => part?.item)
  const outcomes = parts.map((part) => (isOver(part) ? outcomeOf(part) : { status: GIVEN_UP, count: 0 }))
  log('error', 'a report was given up', { report: stored.item.id })
  const changes = new Changes()
  changes.update(reports, domain, stored, over(stored.item, outcomes, false, now))
  await changes.commit(now)
}

/**
 * A report nobody has been heard of for too long: its flow was never started, or stopped. It gets another execution; when
 * one after the other has fallen silent, it fails.
 */
export async function resumeReport(domain: string, id: string, now: Date): Promise<void> {
  const stored = await reports.get(domain, id)
  if (stored?.item.overall_status !== 'in_progress') return
  const { resumes } = stored.item
  return resumes < RESUMES_MOST ? startAnew(domain, stored, now, resumes + 1) : giveUp(domain, stored, now)
}
