import { createHmac } from 'node:crypto'
import { toSeconds } from '../../../base/time.ts'
import { sendGuarded } from '../../../base/network/guarded-fetch.ts'
import type { AuditRecord } from '../../../http/audit/model.ts'
import { NotDelivered, notDelivered, SEND_MS } from './not-delivered.ts'
import type { Reach } from './send-syslog.ts'

/** An address that receives batches of records. */
export interface WebhookTarget {
  readonly url: string
  readonly secret: string
}

export interface Batch {
  /** the same whenever the batch is sent */
  readonly delivery: string
  readonly domain: string
  readonly records: readonly AuditRecord[]
}

/**
 * `t=<unix seconds>,v1=<HMAC-SHA-256 of "<t>.<body>", in hex>`: receivers refuse old times, so a replayed request has
 * no effect.
 */
export function signatureOf(secret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

/**
 * Posts a batch. Redirects are refused; any 2xx status means that it was accepted.
 * @throws NotDelivered
 */
export async function sendWebhook(
  { url, secret }: WebhookTarget,
  batch: Batch,
  now: Date,
  reach: Reach,
): Promise<void> {
  const body = JSON.stringify(batch)
  const headers = {
    'content-type': 'application/json',
    'keymgr-delivery': batch.delivery,
    'keymgr-signature': signatureOf(secret, toSeconds(now), body),
  }
  const bounds = { allowsLoopback: reach.allowsLoopback, withinMs: reach.withinMs ?? SEND_MS }
  let status: number
  try {
    ;({ status } = await sendGuarded(new URL(url), { method: 'POST', headers, body }, bounds))
  } catch (error) {
    throw notDelivered(error)
  }
  if (status < 200 || status > 299) throw new NotDelivered(`HTTP_${status}`)
}
