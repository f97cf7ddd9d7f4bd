import { randomBytes } from 'node:crypto'
import { LOCAL_ACCOUNT } from '../account.ts'
import { arnOf, type Schedule } from './schedule.ts'

/** One try to hand one firing of one schedule to its target. */
export interface Delivery {
  readonly schedule: Schedule
  readonly scheduledTime: Date
  /** 1 for the first try. */
  readonly attempt: number
  /** Id of this attempt: 16 hex characters. */
  readonly executionId: string
}

/** Targets of firings. A target that throws or rejects has failed. */
export interface Targets {
  /** @param input JSON */
  readonly startExecution: (stateMachineArn: string, input: string) => unknown
  /** Starts the function; how it ends is nothing to the service, which calls asynchronously. */
  readonly invoke: (functionName: string, payload: unknown) => Promise<unknown>
}

/** Rare behaviour of the real service, on demand. */
export interface DeliveryFaults {
  /** How often each firing is delivered; once without. The service promises at least once. */
  readonly times?: number
  /** How many seconds after its time each firing is delivered. */
  readonly lateSeconds?: number
  /** Tries that fail before they reach the target; they are repeated as the retry policy says. */
  readonly fails?: (delivery: Delivery) => boolean
  /** Tries that reach the target and count as failed all the same. */
  readonly losesAnswer?: (delivery: Delivery) => boolean
  /** The invocations quota; none without. The service's own is 1,000 in large regions. */
  readonly deliveriesPerSecond?: number
}

export const newExecutionId = (): string => randomBytes(8).toString('hex')

const FUNCTION_ARN = /:lambda:[^:]+:\d+:function:(?<name>[^:]+)$/

/** @throws whatever the target does */
export async function deliver(delivery: Delivery, targets: Targets, faults: DeliveryFaults): Promise<void> {
  if (faults.fails?.(delivery) === true) throw new Error('A fault of the test: not delivered.')
  const { Arn } = delivery.schedule.target
  const functionName = FUNCTION_ARN.exec(Arn)?.groups?.name
  const payload = payloadOf(delivery)
  if (functionName === undefined) await targets.startExecution(Arn, payload)
  else await targets.invoke(functionName, JSON.parse(payload)).catch(() => undefined) // logged where it failed
  if (faults.losesAnswer?.(delivery) === true)
    throw new Error('A fault of the test: delivered, and the answer is lost.')
}

/** The input with its keywords replaced, or the notification that the service sends where there is none. */
function payloadOf({ schedule, scheduledTime, attempt, executionId }: Delivery): string {
  const time = scheduledTime.toISOString().replace('.000Z', 'Z')
  const { Input } = schedule.target
  if (Input === undefined) return JSON.stringify(notification(schedule, time))
  return Input.replaceAll('<aws.scheduler.scheduled-time>', time)
    .replaceAll('<aws.scheduler.schedule-arn>', arnOf(schedule))
    .replaceAll('<aws.scheduler.execution-id>', executionId)
    .replaceAll('<aws.scheduler.attempt-number>', String(attempt))
}

const notification = (schedule: Schedule, time: string): object => ({
  version: '0',
  id: crypto.randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.scheduler',
  account: LOCAL_ACCOUNT.id,
  time,
  region: LOCAL_ACCOUNT.region,
  resources: [arnOf(schedule)],
  detail: '{}',
})

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Ours: a second after the first try, then twice as long each time, up to a minute. The service gives no numbers. */
export const pauseAfter = (attempt: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_PAUSE_MS)

/** Time at which the service gives up on a firing, in milliseconds. */
export const givenUpAt = ({ target }: Schedule, scheduledTime: number): number =>
  scheduledTime + target.RetryPolicy.MaximumEventAgeInSeconds * 1_000
