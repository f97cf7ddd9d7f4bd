import { environment } from '../../../base/environment.ts'
import type { AuditRecord } from '../../../http/audit/model.ts'
import { openFor } from '../../../keyring/domain-key.ts'
import { logKindOf } from '../categories.ts'
import { connectionsToSyslog } from '../connections.ts'
import { messageOf } from '../format/message.ts'
import { reach } from '../forwarders/addresses.ts'
import { logForwarders, plainSyslogs, secretPurpose, type StoredLogForwarder } from '../forwarders/store.ts'
import { NotDelivered } from '../send/not-delivered.ts'
import { sendMessages, type SyslogTarget } from '../send/send-syslog.ts'
import { sendWebhook, type Batch } from '../send/send-webhook.ts'

/** A target, as deliveries use it. */
export interface Receiver {
  readonly id: string
  readonly uri: string
  /** start of the records to send */
  readonly since: string
  readonly wants: (record: AuditRecord) => boolean
  /** @throws NotDelivered */
  readonly send: (batch: Batch, now: Date) => Promise<void>
}

async function sendSyslog(target: SyslogTarget, { records }: Batch): Promise<void> {
  const { transport, message_format: format } = target
  const { hostname } = new URL(environment().KEYMGR_BASE_URL)
  const messages = records.map((record) => messageOf(record, { format, transport, hostname }))
  await sendMessages(target, messages, reach())
}

async function sendByConnection(domain: string, { connection_id }: StoredLogForwarder, batch: Batch): Promise<void> {
  const target = connection_id && (await (await connectionsToSyslog()).targetOf(domain, connection_id))
  if (!target) throw new NotDelivered('NO_CONNECTION')
  await sendSyslog(target, batch)
}

async function sendByWebhook(domain: string, item: StoredLogForwarder, batch: Batch, now: Date): Promise<void> {
  const clear = await openFor(domain, secretPurpose(item), item.sealed ?? '')
  const target = { url: item.webhook_params?.url ?? '', secret: clear.toString('utf8') }
  clear.fill(0)
  await sendWebhook(target, batch, now, reach())
}

/** The target of a due item; `undefined` if it was deleted or disabled meanwhile. */
export async function receiverOf(domain: string, entity: string, id: string): Promise<Receiver | undefined> {
  if (entity === plainSyslogs.name) {
    const item = (await plainSyslogs.get(domain, id))?.item
    if (item === undefined) return undefined
    return { id, uri: item.uri, since: item.createdAt, wants: () => true, send: (batch) => sendSyslog(item, batch) }
  }
  const item = (await logForwarders.get(domain, id))?.item
  if (item?.enabled !== true) return undefined
  const logs = (item.syslog_params ?? item.webhook_params)?.forward_logs
  return {
    ...{ id, uri: item.uri, since: item.since },
    wants: (record) => logs?.[logKindOf(record)] ?? true,
    send: (batch, now) =>
      item.type === 'webhook' ? sendByWebhook(domain, item, batch, now) : sendByConnection(domain, item, batch),
  }
}
