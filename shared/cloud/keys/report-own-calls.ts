import { lowestUuid } from '../../base/ids.ts'
import { auditRecords } from '../../http/audit/store.ts'
import { rowsOf, type Match } from '../../store/list.ts'
import { rememberedKeys, type FindKeys } from '../../work/report/remembered-keys.ts'
import { ROWS_A_PAGE, type Entry, type OpenContainer } from '../../work/report/reported.ts'
import type { StoredReport } from '../../work/report/store.ts'
import { aboutKey, type KeysOfPlace, type ReportedKey } from './reported-keys.ts'

/** Ours: the error of a failed call; audit records have the sentence. */
const FAILED = 'failed'

type AuditRow = ReturnType<typeof auditRecords.row>

const idIn = (uri: string): string => uri.slice(uri.lastIndexOf(':') + 1)

/** The cloud's name for a key, as the place's family knows it; `undefined` for a key of another place. */
const refIn = <K extends ReportedKey, R>({ keys, family }: KeysOfPlace<K, R>, key: K): string | undefined =>
  keys.families?.(key).find(({ name }) => name === family)?.key

/** Finds the keys of a place by their uris. */
const keysByUri =
  <K extends ReportedKey, R>(place: KeysOfPlace<K, R>): FindKeys<K> =>
  async (uris) => {
    const found = await place.keys.getMany(place.domain, uris.map(idIn), 'leave out')
    return new Map(found.flatMap(({ item }) => (refIn(place, item) === undefined ? [] : [[item.uri, item] as const])))
  }

/** The first of the rows that make at most a page of entries. */
async function someAfter(domain: string, from: string, to: string): Promise<Match<AuditRow>[]> {
  for await (const page of rowsOf(auditRecords, domain, 'all', { from, to }))
    if (page.length > 0) return page.slice(0, ROWS_A_PAGE)
  return []
}

/**
 * Calls to this service on the keys of a place, from the audit records of the domain, oldest first. Reads every record
 * of the period, because no index by resource exists.
 */
export function ownCallsOn<K extends ReportedKey, R>(
  place: KeysOfPlace<K, R>,
  { start_time, end_time }: Pick<StoredReport, 'start_time' | 'end_time'>,
): OpenContainer {
  const [first, end] = [lowestUuid(new Date(start_time)), lowestUuid(new Date(end_time))]
  const keysOf = rememberedKeys(keysByUri(place))
  return {
    page: async (cursor) => {
      const rows = await someAfter(place.domain, cursor === undefined ? first : `${cursor}+`, end)
      const keys = await keysOf(rows.flatMap(({ row }) => (row.resource_uri === '' ? [] : [row.resource_uri])))
      const entries = rows.flatMap(({ id, row }): Entry[] => {
        const key = keys.get(row.resource_uri)
        if (key === undefined) return []
        const call = { key_activity: row.message, modified_time: row.createdAt, user_name: row.username }
        const failed = row.success ? {} : { error_code: FAILED }
        return [
          { id, row: { ...aboutKey(place, refIn(place, key) ?? '', key), ...call, keymgr_operation: true, ...failed } },
        ]
      })
      return { entries, next: rows.at(-1)?.id }
    },
  }
}
