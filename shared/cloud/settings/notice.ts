import { inBatches } from '../../base/batches.ts'
import { uuidOf } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import { rooms, type RoomRow } from '../../base/room.ts'
import { DAY_MS, later, type Sweep } from '../../base/time.ts'
import type { AuditRecord } from '../../http/audit/model.ts'
import { auditRecord } from '../../http/audit/record.ts'
import { auditRecords } from '../../http/audit/store.ts'
import { Changes, commitUnlessDone } from '../../store/changes.ts'
import { dueItems, type DueItem } from '../../store/due.ts'
import type { ExpiringKey } from '../keys/expiring.ts'
import { expiryLooks, expiryNotifications, NOTICE } from './store.ts'

/** Ours: keys of a domain are checked once a day. */
const EVERY_MS = DAY_MS
const TOGETHER = { items: 25, bytes: 1024 * 1024 }
/** The earliest notice before the expiry of a key. */
const EARLIEST_MS = 365 * DAY_MS

/**
 * The record of a key's expiry: the same record however often the key is checked; a different one when the expiry
 * changes.
 */
function noticeOf(domain: string, cloud: string, { id, uri, expires }: ExpiringKey, now: Date): AuditRecord {
  const madeOf = `expiry of ${cloud} key ${id} at ${expires}`
  return auditRecord(
    domain,
    now,
    {
      severity: 'warning',
      service: cloud,
      message: 'Notice Key Expiry',
      username: '',
      clientIP: '',
      success: true,
      details: { action: 'notice-key-expiry', resource_uri: uri, resource_name: id, after: { expires } },
      principal: { sub: 'keymgr', groups: [] },
    },
    uuidOf(new Date(Date.parse(expires) - EARLIEST_MS), madeOf),
  )
}

async function tell(domain: string, cloud: string, keys: readonly ExpiringKey[], now: Date): Promise<number> {
  const records = keys.map((key) => noticeOf(domain, cloud, key, now))
  const ids = records.map(({ id }) => id)
  const known = new Set(
    (await auditRecords.getMany(domain, ids, 'salvage')).map(({ item, damage }) => damage?.id ?? item.id),
  )
  const fresh = records.filter(({ id }) => !known.has(id))
  for (const some of inBatches(fresh, TOGETHER, (record) => JSON.stringify(record).length)) {
    const changes = new Changes()
    for (const record of some) changes.create(auditRecords, domain, record)
    await commitUnlessDone(changes, now)
  }
  return fresh.length
}

/**
 * Checks the keys of one cloud in one domain. After an interruption the check stays due, and no key gets a second
 * record.
 */
async function look({ domain, id: cloud }: DueItem, row: RoomRow | undefined, sweep: Sweep): Promise<number> {
  const { now, hasTime } = sweep
  const [due, setting] = [await expiryLooks.get(domain, cloud), await expiryNotifications.get(domain, cloud)]
  if (due === undefined || Date.parse(due.item.nextAt) > now.getTime()) return 0
  const keys = await row?.expiring?.()
  let told = 0
  if (keys !== undefined && setting?.item.enabled === true)
    for await (const page of keys(domain, now, later(now, setting.item.notify_before * DAY_MS))) {
      told += await tell(domain, cloud, page, now)
      if (!hasTime()) return told
    }
  const changes = new Changes()
  changes.update(expiryLooks, domain, due, { ...due.item, nextAt: later(now, EVERY_MS).toISOString() })
  await commitUnlessDone(changes, now)
  return told
}

/**
 * Writes an audit record for each key that expires within the notice period of its domain. @returns the number of new
 * records
 */
export async function noticeExpiries(sweep: Sweep): Promise<{ noticed: number }> {
  let noticed = 0
  for await (const items of dueItems(NOTICE, sweep))
    for (const item of items)
      try {
        const row = rooms().find(({ name }) => name === item.id)
        if (sweep.hasTime()) noticed += await look(item, row, sweep)
      } catch (error) {
        log('error', 'keys that expire not looked for', { domain: item.domain, cloud: item.id, ...errorFields(error) })
      }
  return { noticed }
}
