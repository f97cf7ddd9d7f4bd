import { lowestUuid } from '../../base/ids.ts'
import { auditRecords, type StoredAuditRecord } from '../../http/audit/store.ts'
import { recordsOf, rowsOf } from '../../store/list.ts'

/** Ours: list rows of audit records that one passport looks through, and records that it names. */
const ROWS_MOST = 100_000
const RECORDS_MOST = 200

/** What the records of a key name: the key itself, or as the source of a cloud key's material. */
export interface Subjects {
  readonly uris: ReadonlySet<string>
  /** ids of local keys */
  readonly sources: ReadonlySet<string>
  /** when the first of them was made */
  readonly since: string
}

/** Audit records about a key, oldest first. */
export interface RelatedRecords {
  readonly records: readonly StoredAuditRecord[]
  /** Whether all records that are kept were looked through, and all that were found are named. */
  readonly isComplete: boolean
}

/**
 * Audit records of successful calls on a key, oldest first. There is no index by resource: the list rows since the key was
 * made are walked, so that writing a record costs nothing more.
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
  const records = await recordsOf(auditRecords, domain, ids.slice(0, RECORDS_MOST))
  return { records: records.map(({ item }) => item), isComplete: seen < ROWS_MOST && ids.length <= RECORDS_MOST }
}
