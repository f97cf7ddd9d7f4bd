import {
  choice,
  optionalChoice,
  optionalInteger,
  optionalText,
  optionalTime,
  text,
} from '../../../simulators/toolkit/aws/input.ts'
import type { Input } from '../../../simulators/toolkit/aws/input.ts'
import { isObject } from '../../../simulators/toolkit/json-body.ts'
import { ServiceError } from '../../../simulators/toolkit/service-error.ts'
import { given } from '../../../simulators/toolkit/given.ts'
import { readExpression } from './expression.ts'
import type { FlexibleTimeWindow, Schedule, Target } from './schedule.ts'

const MAX_NAME = 64
const NAME = /^[0-9a-zA-Z\-_.]+$/
const MAX_ARN = 1600
const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/
/** Targets that the stand-in supports. The real service has some 6,000 more. */
const TARGET_ARN =
  /^arn:aws[a-z-]*:(states:[a-z0-9-]+:\d{12}:stateMachine:[^:]+|lambda:[a-z0-9-]+:\d{12}:function:[^:]+)$/
const QUEUE_ARN = /^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[\w-]+(\.fifo)?$/
const MAX_INPUT_BYTES = 256 * 1024
const MAX_DESCRIPTION = 512
const MAX_EXPRESSION = 256
const DAY_SECONDS = 86_400
const DAY_MINUTES = 1_440
/** The service's defaults, which GetSchedule reports. */
const RETRY = { MaximumEventAgeInSeconds: DAY_SECONDS, MaximumRetryAttempts: 185 }
/** How far in the past a start date may be. */
const START_TOLERANCE_MS = 5 * 60_000

export const DEFAULT_GROUP = 'default'

const invalid = (message: string) => new ServiceError('ValidationException', message)

/** The name in the path, or in a body or query as `field`. */
export const nameIn = (input: Input, field: string): string => text(input, field, { max: MAX_NAME, pattern: NAME })
export const optionalName = (input: Input, field: string): string | undefined =>
  optionalText(input, field, { max: MAX_NAME, pattern: NAME })

/**
 * Reads CreateSchedule and UpdateSchedule, which both describe the whole schedule: absent members are set to their
 * defaults.
 * @param now in milliseconds
 * @throws ServiceError ValidationException for input that the service would refuse, or that this stand-in does not
 * support
 */
export function readSchedule(input: Input, now: number): Omit<Schedule, 'createdAt' | 'modifiedAt'> {
  const name = nameIn(input, 'Name')
  const group = optionalName(input, 'GroupName') ?? DEFAULT_GROUP
  const expression = text(input, 'ScheduleExpression', { max: MAX_EXPRESSION })
  if (readExpression(expression) === undefined) throw invalid(`Invalid Schedule Expression ${expression}.`)
  const timezone = optionalText(input, 'ScheduleExpressionTimezone', { max: 50 }) ?? 'UTC'
  if (timezone !== 'UTC') throw invalid(`This stand-in knows no time zone but UTC, and so not ${timezone}.`)
  if (optionalText(input, 'KmsKeyArn', { max: 2048 }) !== undefined) throw invalid('This stand-in knows no KmsKeyArn.')
  return {
    name,
    group,
    expression,
    timezone,
    ...readDates(input, now),
    state: optionalChoice(input, 'State', ['ENABLED', 'DISABLED']) ?? 'ENABLED',
    ...given('description', optionalText(input, 'Description', { min: 0, max: MAX_DESCRIPTION })),
    flexibleTimeWindow: readWindow(memberOf(input, 'FlexibleTimeWindow')),
    target: readTarget(memberOf(input, 'Target')),
    actionAfterCompletion: optionalChoice(input, 'ActionAfterCompletion', ['NONE', 'DELETE']) ?? 'NONE',
  }
}

function readDates(input: Input, now: number): Pick<Schedule, 'startDate' | 'endDate'> {
  const startDate = optionalTime(input, 'StartDate')
  const endDate = optionalTime(input, 'EndDate')
  if (startDate !== undefined && startDate < now - START_TOLERANCE_MS) {
    throw invalid('The StartDate you specify cannot be earlier than 5 minutes ago.')
  }
  // Ours: refused like a start in the past, so that no caller relies on its acceptance.
  if (endDate !== undefined && endDate < now) throw invalid('The EndDate you specify cannot be in the past.')
  if (startDate !== undefined && endDate !== undefined && endDate < startDate) {
    throw invalid('The EndDate you specify cannot be earlier than the StartDate.')
  }
  return { ...given('startDate', startDate), ...given('endDate', endDate) }
}

function readWindow(input: Input): FlexibleTimeWindow {
  const Mode = choice(input, 'Mode', ['OFF', 'FLEXIBLE'])
  const minutes = optionalInteger(input, 'MaximumWindowInMinutes', { min: 1, max: DAY_MINUTES })
  if ((Mode === 'FLEXIBLE') !== (minutes !== undefined)) {
    throw invalid('MaximumWindowInMinutes must be given with the mode FLEXIBLE, and only with it.')
  }
  return { Mode, ...given('MaximumWindowInMinutes', minutes) }
}

function readTarget(input: Input): Target {
  const Arn = text(input, 'Arn', { max: MAX_ARN, pattern: /^arn:/ })
  if (!TARGET_ARN.test(Arn)) throw invalid(`This stand-in delivers to state machines and functions, not to ${Arn}.`)
  const unknown = Object.keys(input).find((name) => name.endsWith('Parameters'))
  if (unknown !== undefined) throw invalid(`${unknown} does not fit a target of this kind.`)
  const RoleArn = text(input, 'RoleArn', { max: MAX_ARN, pattern: ROLE_ARN })
  const payload = optionalText(input, 'Input', { max: MAX_INPUT_BYTES })
  if (payload !== undefined && !isJson(payload)) throw invalid('The Input of this target must be JSON.')
  const policy = memberOf(input, 'RetryPolicy', {})
  const deadLetters = optionalText(memberOf(input, 'DeadLetterConfig', {}), 'Arn', { max: MAX_ARN, pattern: QUEUE_ARN })
  return {
    Arn,
    RoleArn,
    ...given('Input', payload),
    RetryPolicy: {
      MaximumEventAgeInSeconds:
        optionalInteger(policy, 'MaximumEventAgeInSeconds', { min: 60, max: DAY_SECONDS }) ??
        RETRY.MaximumEventAgeInSeconds,
      MaximumRetryAttempts:
        optionalInteger(policy, 'MaximumRetryAttempts', { min: 0, max: RETRY.MaximumRetryAttempts }) ??
        RETRY.MaximumRetryAttempts,
    },
    ...(deadLetters !== undefined && { DeadLetterConfig: { Arn: deadLetters } }),
  }
}

/** Keywords are replaced by texts and numbers, also outside of quotes. */
function isJson(payload: string): boolean {
  try {
    JSON.parse(payload.replaceAll(/<aws\.scheduler\.[a-z-]+>/g, '0'))
    return true
  } catch {
    return false
  }
}

function memberOf(input: Input, name: string, otherwise?: Input): Input {
  const value = input[name] ?? otherwise
  if (isObject(value)) return value
  throw invalid(`1 validation error detected: Value at '${name}' failed to satisfy constraint: Member must not be null`)
}
