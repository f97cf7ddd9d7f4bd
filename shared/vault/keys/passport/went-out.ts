import { defined } from '../../../base/fields.ts'
import type { RelatedRecords, Subjects } from '../../../audit/passport/related-records.ts'

type AuditRecord = RelatedRecords['records'][number]

/** One export or upload of a key's material. */
export interface WentOut {
  readonly way: 'exported' | 'cloned' | 'given to a cloud key'
  readonly time: string
  /** the caller */
  readonly by: string
  /** id of its audit record */
  readonly record: string
  /** its resource: a version of the key, or the cloud key */
  readonly resource: string
  /** the cloud key's name */
  readonly name?: string
  /** id of the version whose material a cloud key has */
  readonly source?: string
  /** for an export: the name or kind of key that protects it; absent for an export in the clear */
  readonly wrappedBy?: string
  readonly clonedTo?: string
}

const textIn = (fields: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined => {
  const value = fields?.[name]
  return typeof value === 'string' ? value : undefined
}

/** The summaries of calls that return a key's material. */
const EXPORTS = new Set(['Export Key', 'Bulk Export Keys'])

function wayOf(record: AuditRecord, { uris, sources }: Subjects): WentOut | undefined {
  const { id, createdAt, username, message, details } = record
  const { resource_uri: resource = '', resource_name: name, before, after } = details
  const common = { time: createdAt, by: username, record: id, resource }
  if (uris.has(resource)) {
    const clonedTo = textIn(after, 'cloned_to')
    if (clonedTo !== undefined) return { way: 'cloned', ...common, clonedTo }
    if (!EXPORTS.has(message)) return undefined
    const wrappedBy = textIn(after, 'wrapped_by')
    return { way: 'exported', ...common, ...defined({ wrappedBy }) }
  }
  const source = textIn(after, 'local_key_id')
  const isNew = source !== undefined && sources.has(source) && textIn(before, 'local_key_id') !== source
  return isNew ? { way: 'given to a cloud key', ...common, ...defined({ name }), source } : undefined
}

/** The exports and uploads of a key's material, from its audit records, oldest first. */
export const wentOut = (records: readonly AuditRecord[], subjects: Subjects): WentOut[] =>
  records.flatMap((record) => wayOf(record, subjects) ?? [])
