import { randomBytes } from 'node:crypto'
import { LOCAL_ACCOUNT } from '../account.ts'
import { arnOf, type Schedule } from './schedule.ts'

/** One attempt to deliver one firing of a schedule to its target. */
export interface Delivery {
  readonly schedule: Schedule
  readonly scheduledTime: Date
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Id of this attempt: 16 hex characters. */
  readonly executionId: string
}

/** Targets of firings. A target that throws or rejects has failed. */
export interface Targets {
  /** @param input JSON */
  readonly startExecution: (stateMachineArn: string, input: string) => unknown
  /** Starts the function. Its result does not matter to the service, which calls asynchronously. */
  readonly invoke: (functionName: string, payload: unknown) => Promise<unknown>
}

/** Rare behaviour of the real service, on demand. */
export interface DeliveryFaults {
  /** How often each firing is delivered; default: once. The service promises at least once. */
  readonly times?: number
  /** How many seconds after its time each firing is delivered. */
  readonly lateSeconds?: number
  /** Attempts that fail before they reach the target; the retry policy repeats them. */
  readonly fails?: (delivery: Delivery) => boolean
  /** Attempts that reach the target but count as failed. */
  readonly losesAnswer?: (delivery: Delivery) => boolean
  /** The invocations quota; default: none. The quota of the service is 1,000 in large regions. */
  readonly deliveriesPerSecond?: number
}

export const newExecutionId = (): string => randomBytes(8).toString('hex')

const FUNCTION_ARN = /:lambda:[^:]+:\d+:function:(?<name>[^:]+)$/

/** @throws any error of the target */
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

/** The input with its keywords replaced. Without an input, the notification that the service sends. */
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

/**
 * Ours: one second after the first attempt, then doubled each time, up to a minute. The service documents no numbers.
 */
export const pauseAfter = (attempt: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_PAUSE_MS)

/** Time at which the service abandons a firing, in milliseconds. */
export const givenUpAt = ({ target }: Schedule, scheduledTime: number): number =>
  scheduledTime + target.RetryPolicy.MaximumEventAgeInSeconds * 1_000
