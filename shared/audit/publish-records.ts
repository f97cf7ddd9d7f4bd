import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { environment } from '../base/environment.ts'
import { log } from '../base/log.ts'
import { auditRecords, type StoredAuditRecord } from '../http/audit/store.ts'
import { Changes, commitUnlessDone } from '../store/changes.ts'
import type { Stored } from '../store/entity.ts'

/** EventBridge takes this many events a call. */
export const EVENTS_A_CALL = 10

let client: EventBridgeClient | undefined

/**
 * Sends audit records to the bus, and marks them as sent. A stop in between sends some twice: the record's id
 * identifies them.
 * @returns how many were taken
 */
export async function publishRecords(
  domain: string,
  records: readonly Stored<StoredAuditRecord>[],
  now: Date,
): Promise<number> {
  client ??= new EventBridgeClient({})
  const reply = await client.send(
    new PutEventsCommand({
      Entries: records.map(({ item }) => ({
        EventBusName: environment().KEYMGR_BUS,
        Source: 'keymgr.audit',
        DetailType: item.message,
        Time: new Date(item.createdAt),
        Resources: item.details.resource_uri === undefined ? [] : [item.details.resource_uri],
        Detail: JSON.stringify(item),
      })),
    }),
  )
  const taken = records.filter((_, at) => reply.Entries?.[at]?.ErrorCode === undefined)
  for (const [at, { ErrorCode }] of (reply.Entries ?? []).entries())
    if (ErrorCode !== undefined)
      log('warn', 'the bus refused an audit record', { id: records[at]?.item.id, code: ErrorCode })
  const changes = new Changes()
  for (const stored of taken) changes.update(auditRecords, domain, stored, { ...stored.item, published: true })
  await commitUnlessDone(changes, now) // another drain may have marked them first
  return taken.length
}
