import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge'
import { atOnce } from '../base/at-once.ts'
import { inBatches } from '../base/batches.ts'
import { environment } from '../base/environment.ts'
import { errorFields, log } from '../base/log.ts'
import { fitted } from '../http/audit/record.ts'
import { auditRecords, type StoredAuditRecord } from '../http/audit/store.ts'
import { Changes, commitUnlessDone } from '../store/changes.ts'
import type { Stored } from '../store/entity.ts'

/** Limits of EventBridge for one call. */
const CALL = { items: 10, bytes: 256 * 1024 }
const CALLS_AT_ONCE = 5
/** Records marked together: half of what one transaction takes. One that has changed refuses it for all of them. */
const TRANSACTION = { items: 50, bytes: 2 * 1024 * 1024 }
/** EventBridge counts so much for a time. */
const TIME_BYTES = 14

let client: EventBridgeClient | undefined

interface Outgoing {
  readonly stored: Stored<StoredAuditRecord>
  readonly entry: PutEventsRequestEntry
}

function outgoing(stored: Stored<StoredAuditRecord>): Outgoing {
  const item = fitted(stored.item)
  return {
    stored,
    entry: {
      EventBusName: environment().KEYMGR_BUS,
      Source: 'keymgr.audit',
      DetailType: item.message,
      Time: new Date(item.createdAt),
      Resources: item.details.resource_uri === undefined ? [] : [item.details.resource_uri],
      Detail: JSON.stringify(item),
    },
  }
}

const bytesOf = ({ entry: { Source = '', DetailType = '', Detail = '', Resources = [] } }: Outgoing): number =>
  [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text), TIME_BYTES)

/** The bus's answer for each record. A call that is refused whole is repeated for each record alone. */
async function send(batch: readonly Outgoing[]): Promise<PutEventsResultEntry[]> {
  client ??= new EventBridgeClient({})
  try {
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: batch.map(({ entry }) => entry) }))
    return Entries
  } catch (error) {
    if ((error as Error).name !== 'ValidationException') throw error
    if (batch.length === 1) return [{ ErrorCode: 'ValidationException' }]
  }
  const results: PutEventsResultEntry[] = []
  for (const one of batch) results.push(...(await send([one])))
  return results
}

/** Those of a batch that the bus took; a call that fails takes none, and its records stay due. */
async function taken(domain: string, batch: readonly Outgoing[]): Promise<readonly Outgoing[]> {
  try {
    const results = await send(batch)
    for (const [at, { ErrorCode }] of results.entries())
      if (ErrorCode !== undefined)
        log('warn', 'the bus refused an audit record', { id: batch[at]?.stored.item.id, code: ErrorCode })
    return batch.filter((_, at) => results[at]?.ErrorCode === undefined)
  } catch (error) {
    log('error', 'audit records not published', { domain, count: batch.length, ...errorFields(error) })
    return []
  }
}

/**
 * Sends audit records to the bus, and marks them as sent. A stop in between sends some twice: the record's id identifies
 * them. A call that fails holds up no other; its records stay due.
 * @returns how many were taken
 */
export async function publishRecords(
  domain: string,
  records: readonly Stored<StoredAuditRecord>[],
  now: Date,
): Promise<number> {
  const batches = inBatches(records.map(outgoing), CALL, bytesOf)
  const sent = (await atOnce(batches, CALLS_AT_ONCE, (batch) => taken(domain, batch))).flat()
  for (const marked of inBatches(sent, TRANSACTION, ({ stored }) => Buffer.byteLength(JSON.stringify(stored.item)))) {
    const changes = new Changes()
    for (const { stored } of marked) changes.update(auditRecords, domain, stored, { ...stored.item, published: true })
    await commitUnlessDone(changes, now) // another drain may have marked them first
  }
  return sent.length
}
