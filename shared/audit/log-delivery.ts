import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { isObject, jsonOf } from '../base/json.ts'
import { fieldsOf, loadedOf, type Load } from '../base/room.ts'
import { trigger } from '../base/trigger.ts'
import { addDelivered } from '../http/figures/delivered.ts'
import type { DeliveredLine, LineReader } from './line-reader.ts'
import { recordLines } from './record-lines.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    /** Reads access-log lines of its data plane. */
    readonly lineReader?: LineReader
    /** Keeps what marked lines contain beside the audit; may get the same lines twice. */
    readonly keepUses?: Load<(lines: readonly DeliveredLine[]) => Promise<void>>
  }
}

/** The event of a log subscription: JSON in gzip in base64. */
const LogDelivery = z.object({ awslogs: z.object({ data: z.base64() }) })
type LogDelivery = z.infer<typeof LogDelivery>

/** Its content. `timestamp`: milliseconds since 1970. */
const Delivered = z.object({
  logEvents: z.array(z.object({ id: z.string(), timestamp: z.int().nonnegative(), message: z.string() })),
})

/** A line of the platform's own that carries ours: as an object, or as its JSON. */
const Carrier = z.object({ message: z.unknown().optional(), record: z.unknown().optional() })

/** Our own line, also where the platform has put it into one of its own. The notes with which a subscription tries its target are no JSON. */
function ownLine(text: string): unknown {
  const line = jsonOf(text)
  const { data: { message, record } = {} } = Carrier.safeParse(line)
  const carried = [message, record].map((each) => (typeof each === 'string' ? jsonOf(each) : each))
  return carried.find(isObject) ?? line
}

/** Keeps what lines of data planes tell beside the audit, and makes audit records of them. May be delivered twice. */
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
