import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { fieldsOf } from '../../simulators/toolkit/json-body.ts'
import type { LogLine } from '../log.ts'
import { LOCAL_ACCOUNT } from './account.ts'

export interface LogSubscription {
  /** Receives a line of any function, or of the deployment itself. */
  readonly take: (line: LogLine) => void
  /** Delivers all lines received so far. */
  readonly delivered: () => Promise<void>
  /** Delivers periodically. The returned function stops that, after a last delivery. */
  readonly run: () => () => Promise<void>
}

interface LogEvent {
  /** a UUID, which no reader uses; the platform's id has 56 digits */
  readonly id: string
  /** milliseconds since 1970 */
  readonly timestamp: number
  readonly message: string
}

const DELIVER_EVERY_MS = 200
const LINES_A_DELIVERY = 100

/** Fields that mark a line, besides `audit`. */
const MARKS = ['used', 'emergency', 'figures', 'levels'] as const

const zipped = promisify(gzip)

/**
 * The pattern of CloudWatch Logs, for which lines that are not JSON do not match:
 * `{ ($.audit IS TRUE) || ($.used = "*") || ($.emergency = "*") || ($.figures = "*") || ($.levels = "*") }`.
 */
function isMarked(text: string): boolean {
  if (!text.startsWith('{')) return false
  try {
    const { audit, ...marks } = fieldsOf(JSON.parse(text))
    return audit === true || MARKS.some((mark) => marks[mark] !== undefined)
  } catch {
    return false
  }
}

/**
 * A subscription filter of CloudWatch Logs: delivers marked lines of these functions to another function, in the same
 * form. Ours: a failed delivery is not repeated; the line is still in the log, where the deployed service would keep it
 * as a dead letter.
 * @param options.of never includes the receiving function, since its own lines would be delivered forever
 */
export function createLogSubscription(options: {
  readonly of: readonly string[]
  readonly now: () => Date
  readonly deliver: (event: unknown) => Promise<unknown>
}): LogSubscription {
  const waiting: LogEvent[] = []
  let last = Promise.resolve()

  const deliverSome = async (): Promise<void> => {
    const logEvents = waiting.splice(0, LINES_A_DELIVERY)
    if (logEvents.length === 0) return
    const data = (await zipped(JSON.stringify(deliveryOf(logEvents)))).toString('base64')
    await options.deliver({ awslogs: { data } }).catch(() => undefined) // logged where it failed
  }
  const deliverAll = async (): Promise<void> => {
    while (waiting.length > 0) await deliverSome()
  }
  const delivered = (): Promise<void> => (last = last.then(deliverAll))

  return {
    take: ({ source, text }) => {
      if (!options.of.includes(source) || !isMarked(text)) return
      waiting.push({ id: randomUUID(), timestamp: options.now().getTime(), message: text })
    },
    delivered,
    run: () => {
      const timer = setInterval(() => void delivered(), DELIVER_EVERY_MS).unref()
      return () => {
        clearInterval(timer)
        return delivered()
      }
    },
  }
}

const deliveryOf = (logEvents: readonly LogEvent[]): object => ({
  messageType: 'DATA_MESSAGE',
  owner: LOCAL_ACCOUNT.id,
  logGroup: '/aws/lambda',
  logStream: 'local',
  subscriptionFilters: ['audit'],
  logEvents,
})
