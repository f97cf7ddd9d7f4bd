import { defined } from '../../base/fields.ts'
import { Changes, Stale } from '../../store/changes.ts'
import { removeObject } from '../../store/objects.ts'
import { Engine } from '../engine/engine.ts'
import { GIVEN_UP, newTurns, type Turn } from '../engine/turn.ts'
import { keptUntil } from '../engine/generation.ts'
import { reportedCloud } from './clouds.ts'
import { Collection } from './collection.ts'
import { keepText } from './download.ts'
import { ROWS_MOST } from './reported.ts'
import { partsOf, statusOf } from './reports.ts'
import {
  partIds,
  remainsOf,
  REPORT_FLOW,
  reportParts,
  reportRemains,
  reports,
  type StoredReport,
  type StoredReportPart,
} from './store.ts'

const allParts = async (domain: string, report: StoredReport): Promise<StoredReportPart[]> =>
  (await partsOf(domain, report)).flatMap((part) => part?.item ?? [])

/** A new part for each container without one. */
function missing(report: StoredReport, there: readonly StoredReportPart[], now: Date): StoredReportPart[] {
  const known = new Set(there.map(({ id }) => id))
  return partIds(report)
    .filter((id) => !known.has(id))
    .map((id) => ({ id, phase: 'open', count: 0, reached: 0, isSecondTry: false, ...newTurns(now) }))
}

/** Rows that still fit into the report. Ours: parallel parts may each exceed the limit by a page. */
async function roomIn(domain: string, report: StoredReport, own: number): Promise<number> {
  if (report.containers.length === 1) return ROWS_MOST - own
  const parts = await allParts(domain, report)
  return Math.max(
    0,
    parts.reduce((room, { phase, count }) => room - (phase === 'failed' ? 0 : count), ROWS_MOST),
  )
}

/** Writes the rows of a container page by page. */
async function open(turn: Turn<StoredReport, StoredReportPart>): Promise<() => Promise<undefined>> {
  const { domain, job: report, lease, sweep, budget } = turn
  const container = report.containers[Number(lease.item.id.slice(report.id.length + 1))]
  if (container === undefined) throw new Error(`The report ${report.id} has no container for ${lease.item.id}`)
  const { now } = sweep
  const source = await (await reportedCloud(report.cloud_name)).open(domain, container, report, { now, budget })
  const collection = new Collection(domain, now, source, lease)
  return async () => {
    await collection.page(await roomIn(domain, report, lease.item.count))
    return undefined
  }
}

type Outcomes = NonNullable<StoredReport['outcomes']>

function outcomeOf(part: StoredReportPart | undefined): Outcomes[number] {
  if (part === undefined || part.phase === 'open') return { status: GIVEN_UP, count: 0 }
  return { status: statusOf(part), count: part.phase === 'failed' ? 0 : part.count }
}

/** Reports list the age or the use of keys: one part for each container. */
export const REPORT = new Engine<StoredReport, StoredReportPart>({
  ...REPORT_FLOW,
  entity: reports,
  isUnderWay: ({ overall_status }) => overall_status === 'in_progress',
  items: {
    entity: reportParts,
    countOf: ({ containers }) => containers.length,
    isOpen: ({ phase }) => phase === 'open',
    all: allParts,
    missing,
    open,
    failed: (message) => ({ phase: 'failed', message }),
  },
  /** A report that was abandoned gets no stored text, even if its text is too long for a response. */
  close: async (domain, stored, isGivenUp, now) => {
    const parts = await partsOf(domain, stored.item)
    const isWhole = !isGivenUp && parts.every((part) => part?.item.phase === 'done')
    const report: StoredReport = {
      ...stored.item,
      overall_status: isWhole ? 'completed' : 'failed',
      outcomes: parts.map((part) => outcomeOf(part?.item)),
      updatedAt: now.toISOString(),
      ...(isWhole && { completed_at: now.toISOString() }),
      dueAt: keptUntil(now),
    }
    const object = isGivenUp ? undefined : await keepText(domain, report)
    const changes = new Changes()
    changes.update(reports, domain, stored, { ...report, ...defined({ object }) })
    try {
      await changes.commit(now)
    } catch (error) {
      const isGone = error instanceof Stale && (await reports.get(domain, report.id)) === undefined
      if (object !== undefined && isGone) await removeObject(object)
      if (!isGone) throw error
    }
  },
  /** The sweeper removes its rows from then on. */
  forget: (changes, domain, report, now) => changes.create(reportRemains, domain, remainsOf(report, now)),
})
