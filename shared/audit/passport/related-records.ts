import { lowestUuid } from '../../base/ids.ts'
import { auditRecords, type StoredAuditRecord } from '../../http/audit/store.ts'
import { recordsOf, rowsOf } from '../../store/list.ts'

/** Ours: maximum number of list rows that one passport reads, and of records that it contains. */
const ROWS_MOST = 100_000
const RECORDS_MOST = 200

/** Resources named in the records of a key: the key itself, or the source of a cloud key's material. */
export interface Subjects {
  readonly uris: ReadonlySet<string>
  /** ids of local keys */
  readonly sources: ReadonlySet<string>
  /** creation time of the first of them */
  readonly since: string
}

/** Audit records about a key, oldest first. */
export interface RelatedRecords {
  readonly records: readonly StoredAuditRecord[]
  /** Whether all existing records were searched, and all matches are included. */
  readonly isComplete: boolean
}

/**
 * Audit records of successful calls on a key, oldest first. There is no index by resource, which would make every
 * record more expensive to write: the list rows since the key's creation are read.
 */
export async function relatedRecords(domain: string, { uris, sources, since }: Subjects): Promise<RelatedRecords> {
  const ids: string[] = []
  let seen = 0
  for await (const page of rowsOf(auditRecords, domain, 'all', { from: lowestUuid(new Date(since)) })) {
    for (const { id, row } of page)
      if (row.success && (uris.has(row.resource_uri) || sources.has(row.local_key_id ?? ''))) ids.push(id)
    seen += page.length
    if (seen >= ROWS_MOST) break
  }
  const records = await recordsOf(auditRecords, domain, ids.slice(0, RECORDS_MOST), [], 'leave out')
  return { records: records.map(({ item }) => item), isComplete: seen < ROWS_MOST && records.length === ids.length }
}
