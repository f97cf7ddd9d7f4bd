import { headsBetween } from '../audit/log/heads.ts'
import { leavesOf, type Sequenced } from '../audit/log/read.ts'
import { recordBytes } from '../audit/platform-record.ts'
import type { AuditRecord } from '../http/audit/model.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import { evidenceOf } from './evidence.ts'
import type { RecordPages } from './record-pages.ts'
import type { BegunPart, SectionName, StoredExport } from './store.ts'

interface Desk {
  readonly job: StoredExport
  readonly writer: ArchiveWriter
  readonly pages: RecordPages
  readonly now: Date
}

/** One member of the archive. */
interface Section {
  readonly member: (tenant: string) => string
  /** the position where it begins */
  readonly from: (part: BegunPart) => number
  readonly isOver: (part: BegunPart) => boolean
  /** Writes a page. @returns the part after it */
  readonly page: (part: BegunPart, desk: Desk) => Promise<BegunPart>
  /** Written after the last page. */
  readonly end?: (part: BegunPart) => string
}

const LEAVES_A_PAGE = 4_000
const HEADS_A_PAGE = 1_000
/** Most recorded spans. Ours: further ones extend the last span, which is then read again as a whole. */
const SPANS_MOST = 200

const isListed = ({ from, to }: StoredExport, { createdAt }: AuditRecord): boolean =>
  createdAt >= from && createdAt <= to

/**
 * Writes lines of a JSON list: each is one record and ends with a comma, except the last one. So the bytes hashed for
 * the tree are exactly those between two line ends.
 */
async function writeLines(writer: ArchiveWriter, before: number, lines: readonly Buffer[]): Promise<void> {
  if (lines.length === 0) return
  const separated = lines.flatMap((line, at) => [Buffer.from(before + at === 0 ? '[\n' : ',\n'), line])
  await writer.write(Buffer.concat(separated))
}

const endOfList = ({ lines }: BegunPart): string => (lines === 0 ? '[\n]\n' : '\n]\n')

/** The spans with one more position, which follows all of them. */
function withPosition(spans: BegunPart['spans'], position: number): BegunPart['spans'] {
  const last = spans.at(-1)
  const isNext = last !== undefined && (last.end === position || spans.length >= SPANS_MOST)
  if (!isNext) return [...spans, { first: position, end: position + 1 }]
  return [...spans.slice(0, -1), { first: last.first, end: position + 1 }]
}

const records: Section = {
  member: () => 'audit-logs.json',
  from: ({ range }) => range.first,
  isOver: ({ position, range }) => position >= range.end,
  page: async (part, { job, writer, pages }) => {
    const { records: read, next } = await pages.page(part.position, part.range.end)
    const kept = read.filter(hasRecord)
    const listed = kept.filter(({ record }) => isListed(job, record))
    await writeLines(
      writer,
      part.lines,
      listed.map(({ record }) => recordBytes(record)),
    )
    const spans = kept
      .filter(({ record }) => !isListed(job, record))
      .reduce((known, { position }) => withPosition(known, position), part.spans)
    const lines = part.lines + listed.length
    return { ...part, position: next, lines, listed: lines, spans }
  },
  end: endOfList,
}

const hasRecord = (each: Sequenced): each is Sequenced & { readonly record: AuditRecord } => each.record !== undefined

/** Records of the range outside the requested time: with them, every leaf of the range has its record. */
const context: Section = {
  member: (tenant) => `evidence/${tenant}.context.json`,
  from: ({ spans, range }) => spans[0]?.first ?? range.end,
  isOver: ({ position, spans }) => !spans.some(({ end }) => end > position),
  page: async (part, { job, writer, pages }) => {
    const span = part.spans.find(({ end }) => end > part.position)
    if (span === undefined) return part
    const { records: read, next } = await pages.page(Math.max(part.position, span.first), span.end)
    const beside = read.filter(hasRecord).filter(({ record }) => !isListed(job, record))
    await writeLines(
      writer,
      part.lines,
      beside.map(({ record }) => recordBytes(record)),
    )
    const lines = part.lines + beside.length
    return { ...part, position: next, lines, context: lines }
  },
  end: endOfList,
}

/** 48 bytes for each position: the record's id, and its leaf. */
const leaves: Section = {
  member: (tenant) => `evidence/${tenant}.leaves`,
  from: ({ range }) => range.first,
  isOver: ({ position, range }) => position >= range.end,
  page: async (part, { job, writer }) => {
    const { position, range } = part
    const read = await leavesOf(job.tenant, position, Math.min(LEAVES_A_PAGE, range.end - position))
    if (read.length === 0) throw new Error(`The log of ${job.tenant} ends before ${range.end}`)
    const bytes = read.flatMap(({ id, hash }) => [Buffer.from(id.replaceAll('-', ''), 'hex'), hash])
    await writer.write(Buffer.concat(bytes))
    return { ...part, position: position + read.length }
  },
}

/** Signed heads of the tree from the first position to the last, one per line. */
const heads: Section = {
  member: (tenant) => `evidence/${tenant}.heads`,
  from: ({ range }) => range.first,
  isOver: ({ position, range }) => position > range.end,
  page: async (part, { job, writer }) => {
    const { position, range } = part
    const read = await headsBetween(job.tenant, position, range.end, HEADS_A_PAGE)
    if (read.length > 0) await writer.write(Buffer.from(read.map(({ jws }) => `${jws}\n`).join('')))
    const last = read.at(-1)
    return { ...part, position: last === undefined ? range.end + 1 : last.size + 1 }
  },
}

const evidence: Section = {
  member: (tenant) => `evidence/${tenant}.json`,
  from: () => 0,
  isOver: ({ position }) => position > 0,
  page: async (part, { job, writer, now }) => {
    await writer.write(Buffer.from(`${JSON.stringify(await evidenceOf(job, part, now), undefined, 1)}\n`))
    return { ...part, position: 1 }
  },
}

export const SECTION_BY_NAME: Readonly<Record<SectionName, Section>> = { records, context, leaves, heads, evidence }
