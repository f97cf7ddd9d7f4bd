import * as z from 'zod'
import { log } from '../../base/log.ts'
import { DAY_MS, later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import { resourceUri } from '../../base/ids.ts'
import { auditRecord, OWN_WORK } from '../../http/audit/record.ts'
import { auditRecords } from '../../http/audit/store.ts'
import { Changes, commitUnlessDone } from '../../store/changes.ts'
import { entity } from '../../store/entity.ts'
import type { DueItem } from '../../store/due.ts'
import { object } from '../../base/lazy-fields.ts'
import { putEvents } from './bus.ts'
import { eventOf } from './event-of.ts'

/** A record that the bus refused. It waits separately, so that it does not delay other records. */
const RefusedEvent = object(() => ({
  /** of the record */
  id: z.uuid(),
  since: z.string(),
  attempts: z.int(),
  nextAt: z.string(),
}))
type RefusedEvent = z.infer<typeof RefusedEvent>

export const REFUSED_EVENT = { due: 'publish-refused-event', spread: true } as const

/** Ours: retried for a day, at growing intervals. */
const GIVEN_UP_AFTER_MS = DAY_MS
const LONGEST_INTERVAL_MS = 60 * MINUTE_MS

/** Supported reads: one by the id of its record; those to retry. */
export const refusedEvents = entity({
  name: 'refused-event',
  schema: RefusedEvent,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ nextAt }) => ({ what: REFUSED_EVENT.due, spread: REFUSED_EVENT.spread, at: nextAt }),
})

/** Sets records aside that the bus refused. Those that are already set aside do not change. */
export async function setAside(domain: string, ids: readonly string[], now: Date): Promise<void> {
  for (const id of ids) {
    const changes = new Changes()
    const nextAt = later(now, MINUTE_MS).toISOString()
    changes.create(refusedEvents, domain, { id, since: now.toISOString(), attempts: 1, nextAt })
    await commitUnlessDone(changes, now)
  }
}

function giveUp(changes: Changes, domain: string, { id, attempts }: RefusedEvent, now: Date): void {
  const record = auditRecord(domain, now, {
    severity: 'error',
    service: 'audit',
    message: 'Publish Audit Record',
    success: false,
    errorMessage: `The bus refused the record ${attempts} times; it is not published.`,
    details: { action: 'publish-audit-record', resource_uri: resourceUri(domain, 'audit', 'records', id) },
    ...OWN_WORK,
  })
  changes.create(auditRecords, domain, record)
}

/** Retries a refused record. After a day it is abandoned, which an audit record reports. */
export async function publishAgain({ domain, id }: DueItem, { now }: Sweep): Promise<void> {
  const stored = await refusedEvents.get(domain, id)
  if (stored === undefined) return
  const record = await auditRecords.get(domain, id)
  const [answer] = record === undefined ? (['taken'] as const) : await putEvents([eventOf(record.item)])
  const attempts = stored.item.attempts + 1
  const changes = new Changes()
  if (answer === 'taken') changes.remove(refusedEvents, domain, stored)
  else if (now.getTime() - Date.parse(stored.item.since) >= GIVEN_UP_AFTER_MS) {
    log('error', 'a refused event is given up', { domain, id, attempts })
    changes.remove(refusedEvents, domain, stored)
    giveUp(changes, domain, { ...stored.item, attempts }, now)
  } else {
    const interval = Math.min(LONGEST_INTERVAL_MS, MINUTE_MS * 2 ** attempts)
    changes.update(refusedEvents, domain, stored, {
      ...stored.item,
      attempts,
      nextAt: later(now, interval).toISOString(),
    })
  }
  await commitUnlessDone(changes, now)
}
