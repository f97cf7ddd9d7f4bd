import { errorFields, log } from '../../base/log.ts'
import type { Sweep } from '../../base/time.ts'
import type { StoredAuditRecord } from '../../http/audit/store.ts'
import { advance } from './advance.ts'
import { putEvents } from './bus.ts'
import { eventOf } from './event-of.ts'
import { sequencedRecords } from './read.ts'
import { setAside } from './refused-events.ts'
import { logOf } from './store.ts'

/** Records per read and publication: about one batch. */
const RECORDS_TOGETHER = 1_000

/**
 * Puts records of a domain on the bus, at least once each. Records that the bus refuses are set aside.
 * @returns whether all others were accepted. If the bus fails, none counts as published, and some may be put twice.
 */
export async function published(domain: string, records: readonly StoredAuditRecord[], now: Date): Promise<boolean> {
  const answers = await putEvents(records.map(eventOf))
  if (answers.includes('later')) return false
  const refused = records.filter((_, at) => answers[at] === 'refused').map(({ id }) => id)
  await setAside(domain, refused, now)
  return true
}

/**
 * Publishes the records of a domain's log that are not on the bus, while there is time. @returns the number of records
 */
export async function catchUp(domain: string, { now, hasTime }: Sweep): Promise<number> {
  let count = 0
  try {
    while (hasTime()) {
      const stored = await logOf(domain)
      if (stored === undefined || stored.item.bus >= stored.item.size) break
      const from = stored.item.bus
      const most = Math.min(RECORDS_TOGETHER, stored.item.size - from)
      const { records, next } = await sequencedRecords(domain, from, most)
      const kept = records.flatMap(({ record, position }) => (record === undefined ? [] : [{ ...record, position }]))
      if (next === from || !(await published(domain, kept, now))) break
      await advance(domain, now, (known) => ({ ...known, bus: Math.max(known.bus, next) }))
      count += kept.length
    }
  } catch (error) {
    log('error', 'audit records not published', { domain, ...errorFields(error) })
  }
  return count
}
