import * as z from 'zod'
import { Resource, Time } from '../http/common-fields.ts'
import { entity } from '../store/entity.ts'
import { GENERATION_FIELDS, type JobFlow } from '../work/engine/generation.ts'
import { TURN_FIELDS } from '../work/engine/turn.ts'
import { EXPORT_STATES } from './model.ts'
import { sealingFieldAgain } from '../keyring/sealed-kinds.ts'
import { extended, object } from '../base/lazy-fields.ts'

const StoredExport = extended(Resource, () => ({
  /** domain whose records are exported; the job belongs to the credential's domain */
  tenant: z.string(),
  from: Time,
  to: Time,
  /** id of the platform credential */
  created_by: z.string(),
  status: z.enum(EXPORT_STATES),
  message: z.string().optional(),
  /** number of records in its list, after its end */
  records: z.int().optional(),
  /** key that signs its addresses, sealed under the domain's key */
  sealed: z.string(),
  ...GENERATION_FIELDS,
}))
export type StoredExport = z.infer<typeof StoredExport>

/** The set of the exports of a domain that are under way. */
export const UNDER_WAY = 'in_progress'

/** Reads served: an export by id; how many are under way; those without a heartbeat, and those past their retention. */
export const auditExports = entity({
  name: 'audit-export',
  schema: StoredExport,
  id: ({ id }) => id,
  sets: ({ status }) => ['all', ...(status === 'in_progress' ? [UNDER_WAY] : [])],
  row: ({ id, createdAt, updatedAt }) => ({ id, createdAt, updatedAt }),
  due: ({ status, dueAt }) => ({ what: status === 'in_progress' ? 'resume-export' : 'forget-export', at: dueAt }),
})

export const sealPurpose = (id: string): string[] => ['audit-export', id]

export const EXPORT_FLOW: JobFlow<StoredExport> = {
  flow: 'export-audit-log',
  input: (domain, { id, generation }) => ({ domain, job: id, generation }),
}

/** Object key of its archive, below the only prefix that functions may access. */
export const archiveOf = (domain: string, id: string): string => `reports/audit-exports/${domain}/${id}.zip`

const Member = object(() => ({ name: z.string(), offset: z.int(), crc: z.int(), bytes: z.int(), compressed: z.int() }))

/** Sections of an archive, in their order. */
export const SECTIONS = ['records', 'context', 'leaves', 'heads', 'evidence'] as const
export type SectionName = (typeof SECTIONS)[number]

const Span = object(() => ({ first: z.int(), end: z.int() }))

const StoredExportPart = object(() => ({
  /** id of the export */
  id: z.string(),
  phase: z.enum(['open', 'done', 'failed']),
  message: z.string().optional(),
  /** positions exported, once they are known */
  range: Span.optional(),
  section: z.enum(SECTIONS),
  /** where the section continues */
  position: z.int(),
  /** lines of the section's list so far */
  lines: z.int(),
  /** number of records in the list, and in the context section */
  listed: z.int(),
  context: z.int(),
  /** spans of the range that contain records outside the list; they may contain listed ones too */
  spans: z.array(Span),
  archive: z.object({ offset: z.int(), members: z.array(Member), isOpen: z.boolean() }),
  /** number of restarts because the upload was lost */
  restarts: z.int(),
  upload: z.object({ id: z.string(), parts: z.array(z.object({ etag: z.string(), crc: z.string() })) }).optional(),
  /** number of waits for a signed head */
  waits: z.int(),
  ...TURN_FIELDS,
}))
export type StoredExportPart = z.infer<typeof StoredExportPart>

/** A part whose positions have been determined. */
export type BegunPart = StoredExportPart & { readonly range: NonNullable<StoredExportPart['range']> }

/** Reads served: by id of the export, which has this single work item. */
export const exportParts = entity({
  name: 'audit-export-part',
  schema: StoredExportPart,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})

export const sealedExports = sealingFieldAgain(auditExports, 'all', ({ id }) => sealPurpose(id))
