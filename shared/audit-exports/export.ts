import { isGivenUp } from '../base/attempts.ts'
import { Refusal } from '../base/errors.ts'
import { DAY_MS, later } from '../base/time.ts'
import { Changes } from '../store/changes.ts'
import { beginUpload, completeUpload, PART_BYTES, removeObject, uploadPart, UploadLost } from '../store/objects.ts'
import { Engine } from '../work/engine/engine.ts'
import { advanced, GIVEN_UP, MORE, newTurns, waitFor, type Next, type Turn } from '../work/engine/turn.ts'
import { newestHead } from '../audit/log/heads.ts'
import { positionsOf } from '../audit/log/positions-of.ts'
import { treeSize } from '../audit/log/read.ts'
import { propertyValue } from '../audit/properties/store.ts'
import { ArchiveWriter, NEW_ARCHIVE } from './archive-writer.ts'
import { RecordPages } from './record-pages.ts'
import { SECTION_BY_NAME } from './sections.ts'
import {
  archiveOf,
  auditExports,
  EXPORT_FLOW,
  exportParts,
  SECTIONS,
  type BegunPart,
  type StoredExport,
  type StoredExportPart,
} from './store.ts'

/** Ours: recent records reach the log within a minute. */
const SETTLED_MS = 90_000

const FRESH = {
  section: SECTIONS[0],
  position: 0,
  ...{ lines: 0, listed: 0, context: 0 },
  spans: [],
  archive: NEW_ARCHIVE,
} as const

type ExportTurn = Turn<StoredExport, StoredExportPart>

const newPart = (id: string, now: Date): StoredExportPart => ({
  id,
  phase: 'open',
  ...FRESH,
  spans: [],
  archive: { ...NEW_ARCHIVE, members: [] },
  ...{ waits: 0, restarts: 0 },
  ...newTurns(now),
})

/** Determines the positions to export, once all records of the time range are in the log, and begins the upload. */
async function begin({ domain, job, lease, sweep: { now } }: ExportTurn): Promise<Next | undefined> {
  const { id, tenant, from, to } = job
  const early = Date.parse(to) + SETTLED_MS - now.getTime()
  if (early > 0) return { next: 'wait', wait_seconds: Math.ceil(early / 1_000) }
  const size = await treeSize(tenant)
  const range = (await positionsOf(tenant, from, to)) ?? { first: size, end: size }
  const upload = { id: await beginUpload(archiveOf(domain, id), 'application/zip'), parts: [] }
  await lease.write((part) =>
    advanced({ ...part, ...newPart(id, now), ...turnsOf(part), range, upload, position: range.first }),
  )
  return undefined
}

const turnsOf = ({ generation, turns, failures, moved_in, leaseUntil, waits, restarts }: StoredExportPart) => ({
  ...{ generation, turns, failures, moved_in, leaseUntil, waits, restarts },
})

/** Writes sections until a part is large enough. @returns the state after it; `undefined` when the time is up */
async function stretch(turn: ExportTurn, writer: ArchiveWriter, pages: RecordPages, first: BegunPart) {
  const { job, sweep } = turn
  let part = first
  for (;;) {
    const section = SECTION_BY_NAME[part.section]
    if (!writer.isOpen) writer.begin(section.member(job.tenant))
    while (!section.isOver(part)) {
      if (writer.bytes >= PART_BYTES) return { part, isLast: false }
      if (!sweep.hasTime()) return undefined
      part = await section.page(part, { job, writer, pages, now: sweep.now })
    }
    if (section.end !== undefined) await writer.write(Buffer.from(section.end(part)))
    await writer.end()
    const next = SECTIONS[SECTIONS.indexOf(part.section) + 1]
    if (next === undefined) return { part, isLast: true }
    part = { ...part, section: next, lines: 0 }
    part = { ...part, position: SECTION_BY_NAME[next].from(part) }
  }
}

/** Uploads one more part of the archive, and the last one with its directory. */
async function writePart(turn: ExportTurn, pages: RecordPages, before: BegunPart): Promise<Next | undefined> {
  const { domain, job, lease } = turn
  const { upload } = before
  if (upload === undefined) throw new Error(`The export ${job.id} has no upload`)
  const writer = new ArchiveWriter(before.archive)
  const written = await stretch(turn, writer, pages, before)
  if (written === undefined) {
    writer.discard()
    return MORE
  }
  const { part, isLast } = written
  if (isLast) writer.close()
  const { bytes, archive } = await writer.take()
  const key = archiveOf(domain, job.id)
  const parts = [...upload.parts, await uploadPart(key, upload.id, upload.parts.length + 1, bytes)]
  if (isLast) await completeUpload(key, upload.id, parts)
  await lease.write((item) =>
    advanced({
      ...item,
      ...part,
      ...turnsOf(item),
      archive: { ...archive, members: [...archive.members] },
      upload: { id: upload.id, parts },
      ...(isLast && { phase: 'done' }),
    }),
  )
  return undefined
}

/** Waits until a signed head covers the range. @throws Refusal STATE_CONFLICT when none comes */
async function isHeaded({ job, lease }: ExportTurn, { range, waits }: BegunPart): Promise<boolean> {
  if (((await newestHead(job.tenant))?.size ?? 0) >= range.end) return true
  if (isGivenUp('signedHead', waits))
    throw new Refusal('STATE_CONFLICT', 'The tree of the records was not signed in time.')
  await lease.write((part) => ({ ...part, waits: part.waits + 1 }))
  return false
}

/** Restarts after an upload was lost. @throws UploadLost when that happens repeatedly */
async function restart({ lease }: ExportTurn, lost: UploadLost): Promise<undefined> {
  if (isGivenUp('lostUpload', lease.item.restarts)) throw lost
  await lease.write(({ range: _, upload: __, ...part }) => ({ ...part, restarts: part.restarts + 1 }))
}

const hasRange = (part: StoredExportPart): part is BegunPart => part.range !== undefined

function open(turn: ExportTurn): Promise<() => Promise<Next | undefined>> {
  const pages = new RecordPages(turn.job.tenant)
  return Promise.resolve(async () => {
    const part = turn.lease.item
    if (!hasRange(part)) return begin(turn)
    if (!(await isHeaded(turn, part))) return waitFor('signedHead')
    try {
      return await writePart(turn, pages, part)
    } catch (error) {
      if (error instanceof UploadLost) return restart(turn, error)
      throw error
    }
  })
}

const partsOf = async (domain: string, { id }: StoredExport): Promise<StoredExportPart[]> => {
  const [stored] = await exportParts.getMany(domain, [id], 'leave out')
  return stored === undefined ? [] : [stored.item]
}

/** Exports of audit records: one work item, whose archive is uploaded in parts. */
export const EXPORT = new Engine<StoredExport, StoredExportPart>({
  ...EXPORT_FLOW,
  entity: auditExports,
  isUnderWay: ({ status }) => status === 'in_progress',
  items: {
    entity: exportParts,
    countOf: () => 1,
    isOpen: ({ phase }) => phase === 'open',
    all: partsOf,
    missing: ({ id }, there, now) => (there.length > 0 ? [] : [newPart(id, now)]),
    open,
    failed: (message) => ({ phase: 'failed', message }),
  },
  close: async (domain, stored, isGivenUp, now) => {
    const [part] = await partsOf(domain, stored.item)
    const isWhole = part?.phase === 'done'
    const changes = new Changes()
    changes.update(auditExports, domain, stored, {
      ...stored.item,
      status: isWhole ? 'completed' : 'failed',
      records: part?.listed ?? 0,
      ...(!isWhole && { message: isGivenUp ? GIVEN_UP : (part?.message ?? GIVEN_UP) }),
      updatedAt: now.toISOString(),
      dueAt: later(now, (await propertyValue('audit_export_retention_days', now)) * DAY_MS).toISOString(),
    })
    await changes.commit(now)
  },
  forget: async (changes, domain, { id }) => {
    await removeObject(archiveOf(domain, id))
    const [part] = await exportParts.getMany(domain, [id], 'salvage')
    if (part !== undefined) changes.remove(exportParts, domain, part)
  },
})
