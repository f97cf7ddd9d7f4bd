import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge'
import { atOnce } from '../../base/at-once.ts'
import { inBatches } from '../../base/batches.ts'
import { environment } from '../../base/environment.ts'
import { errorFields, log } from '../../base/log.ts'

/** Limits of EventBridge for one call. */
const CALL = { items: 10, bytes: 256 * 1024 }
const CALLS_AT_ONCE = 8
/** Bytes that EventBridge counts for a time. */
const TIME_BYTES = 14

/** Temporary refusals of an entry: its call is repeated later. */
const PASSING = new Set(['ThrottlingException', 'InternalFailure', 'InternalException', 'ServiceUnavailable'])

let client: EventBridgeClient | undefined

/** An event for the deployment's bus. */
export interface Outgoing {
  readonly type: string
  readonly time: string
  readonly resources: readonly string[]
  readonly detail: string
}

/** `taken`: the bus accepted it; `refused`: permanently; `later`: the bus or the connection fails. */
export type BusAnswer = 'taken' | 'refused' | 'later'

const SOURCE = 'keymgr.audit'

const entryOf = ({ type, time, resources, detail }: Outgoing): PutEventsRequestEntry => ({
  EventBusName: environment().KEYMGR_BUS,
  Source: SOURCE,
  DetailType: type,
  Time: new Date(time),
  Resources: [...resources],
  Detail: detail,
})

const bytesOf = ({ type, resources, detail }: Outgoing): number =>
  [SOURCE, type, detail, ...resources].reduce((sum, text) => sum + Buffer.byteLength(text), TIME_BYTES)

function answerOf({ ErrorCode }: PutEventsResultEntry): BusAnswer {
  if (ErrorCode === undefined) return 'taken'
  log('warn', 'the bus refused an event', { code: ErrorCode })
  return PASSING.has(ErrorCode) ? 'later' : 'refused'
}

/** If a call is refused as a whole, it is repeated for each event separately. */
async function call(events: readonly Outgoing[]): Promise<BusAnswer[]> {
  client ??= new EventBridgeClient({})
  try {
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: events.map(entryOf) }))
    return events.map((_, at) => answerOf(Entries[at] ?? { ErrorCode: 'InternalFailure' }))
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ValidationException')) {
      log('error', 'events not published', { count: events.length, ...errorFields(error) })
      return events.map(() => 'later')
    }
    if (events.length === 1) return [answerOf({ ErrorCode: 'ValidationException' })]
  }
  const answers: BusAnswer[] = []
  for (const one of events) answers.push(...(await call([one])))
  return answers
}

/** Puts events on the bus, grouped by number and bytes. @returns an answer for each, in order; never throws */
export async function putEvents(events: readonly Outgoing[]): Promise<BusAnswer[]> {
  const calls = inBatches(events, CALL, bytesOf)
  return (await atOnce(calls, CALLS_AT_ONCE, call)).flat()
}
