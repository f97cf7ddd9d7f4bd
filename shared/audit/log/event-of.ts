import { fitted } from '../../http/audit/record.ts'
import type { StoredAuditRecord } from '../../http/audit/store.ts'
import type { Outgoing } from './bus.ts'

/**
 * A record as an event of the bus: the whole record, shortened if the bus would refuse its size, with its position in
 * the log.
 */
export function eventOf({ published: _, ...record }: StoredAuditRecord): Outgoing {
  const item = fitted(record)
  return {
    type: item.message,
    time: item.createdAt,
    resources: item.details.resource_uri === undefined ? [] : [item.details.resource_uri],
    detail: JSON.stringify(item),
  }
}
