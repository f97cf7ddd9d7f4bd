import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { isObject, jsonOf } from '../base/json.ts'
import { fieldsOf, loadedOf, type Load } from '../base/room.ts'
import { trigger } from '../base/trigger.ts'
import { addDelivered } from '../http/figures/delivered.ts'
import { object } from '../base/lazy-fields.ts'
import type { DeliveredLine, LineReader } from './line-reader.ts'
import { recordLines } from './record-lines.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    /** Reads access-log lines of its data plane. */
    readonly lineReader?: LineReader
    /** Stores data of marked lines that are not audit records; may receive the same lines twice. */
    readonly keepUses?: Load<(lines: readonly DeliveredLine[]) => Promise<void>>
  }
}

/** The event of a log subscription: JSON, compressed with gzip, in base64. */
const LogDelivery = object(() => ({ awslogs: z.object({ data: z.base64() }) }))
type LogDelivery = z.infer<typeof LogDelivery>

/** Its content. `timestamp`: milliseconds since 1970. */
const Delivered = object(() => ({
  logEvents: z.array(z.object({ id: z.string(), timestamp: z.int().nonnegative(), message: z.string() })),
}))

/** A line of the platform that contains a line of the service, as an object or as JSON. */
const Carrier = object(() => ({ message: z.unknown().optional(), record: z.unknown().optional() }))

/**
 * The line of the service, also if the platform has wrapped it. Test messages with which a subscription checks its
 * target are not JSON.
 */
function ownLine(text: string): unknown {
  const line = jsonOf(text)
  const { data: { message, record } = {} } = Carrier.safeParse(line)
  const carried = [message, record].map((each) => (typeof each === 'string' ? jsonOf(each) : each))
  return carried.find(isObject) ?? line
}

/**
 * Stores data of data planes' lines that are not audit records, and creates audit records from the others. May be
 * delivered twice.
 */
export async function recordDelivery({ awslogs }: LogDelivery): Promise<{ recorded: number }> {
  const { logEvents } = Delivered.parse(JSON.parse(gunzipSync(Buffer.from(awslogs.data, 'base64')).toString()))
  const lines: DeliveredLine[] = logEvents.map(({ id, timestamp, message }) => ({
    id,
    at: new Date(timestamp),
    line: ownLine(message),
  }))
  for (const keepUses of await loadedOf('keepUses')) await keepUses(lines)
  const now = new Date(Math.max(0, ...logEvents.map(({ timestamp }) => timestamp)))
  const recorded = await recordLines(lines, fieldsOf('lineReader'), now)
  await addDelivered(lines)
  return recorded
}

export const LOG_TRIGGERS = [trigger({ name: 'log-delivery', event: LogDelivery, run: recordDelivery })]
