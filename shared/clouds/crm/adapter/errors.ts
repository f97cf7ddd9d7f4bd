import * as z from 'zod'
import {
  CloudFailure,
  cloudFailures,
  codeAndMessage,
  presentable,
  TokenPostponed,
  TokenRefused,
  type CloudReason,
} from '../../../cloud/adapter/failures.ts'
import { object } from '../../../base/lazy-fields.ts'

/** The reason for some codes of the cloud; others follow from the status. */
const REASONS: Readonly<Record<string, CloudReason>> = {
  INVALID_SESSION_ID: 'CLOUD_DENIED',
  INSUFFICIENT_ACCESS: 'CLOUD_DENIED',
  INSUFFICIENT_ACCESS_OR_READONLY: 'CLOUD_DENIED',
  API_DISABLED_FOR_ORG: 'CLOUD_DENIED',
  API_CURRENTLY_DISABLED: 'CLOUD_DENIED',
  // The cloud answers so when the user lacks a permission too.
  INVALID_TYPE: 'CLOUD_DENIED',
  NOT_FOUND: 'CLOUD_NOT_FOUND',
  ENTITY_IS_DELETED: 'CLOUD_NOT_FOUND',
  REQUEST_LIMIT_EXCEEDED: 'CLOUD_THROTTLED',
  UNABLE_TO_LOCK_ROW: 'CLOUD_UNAVAILABLE',
  SERVER_UNAVAILABLE: 'CLOUD_UNAVAILABLE',
}

const BY_STATUS: Readonly<Record<number, CloudReason>> = {
  401: 'CLOUD_DENIED',
  403: 'CLOUD_DENIED',
  404: 'CLOUD_NOT_FOUND',
  409: 'CLOUD_CONFLICT',
  429: 'CLOUD_THROTTLED',
}

/** Tokens, assertions, keys, and runs of characters as long as wrapped material. */
const SECRET_LIKE = /-----BEGIN[^]*|00D\w{12,15}![\w.!]+|eyJ[\w-]+\.[\w.-]+|[A-Za-z0-9+/_=-]{120,}/g

const NAMES_OF_CODES = /^\w{1,64}$/
const codeOr = (code: string, status: number): string => (NAMES_OF_CODES.test(code) ? code : `HTTP ${status}`)

const Failures = z.array(object(() => ({ message: z.string().default(''), errorCode: z.string().default('') }))).min(1)

/** The failure in an answer of the API. */
export function failureIn(json: unknown, status: number, retryAfterMs: number | undefined): CloudFailure {
  const [first] = Failures.safeParse(json).data ?? []
  const { errorCode = '', message = '' } = first ?? {}
  return new CloudFailure(codeOr(errorCode, status), presentable(message, SECRET_LIKE), status, retryAfterMs)
}

const LogInFailure = object(() => ({ error: z.string().default(''), error_description: z.string().default('') }))

/** The cloud's words for too many log-ins of one user within an hour. */
const RATE = /login rate exceeded/i
/** The cloud's message, the same for a wrong password and for a flow that the organization blocks. */
const BLOCKED = /authentication failure/i

const HINT =
  'The user name, password or security token is wrong, or the organization blocks this flow, as new ones do: a ' +
  'certificate is recommended.'

/** The failure in an answer to a log-in. */
export function logInFailureIn(json: unknown, status: number): TokenRefused {
  const { error, error_description } = LogInFailure.safeParse(json).data ?? { error: '', error_description: '' }
  const message = presentable(error_description, SECRET_LIKE)
  if (RATE.test(message)) return new TokenPostponed('LOGIN_RATE_EXCEEDED', message, 503)
  const words = BLOCKED.test(message) ? `${message}. ${HINT}` : message
  return new TokenRefused(codeOr(error, status), words, status === 400 ? 401 : status)
}

function reasonOf(error: Error): CloudReason | undefined {
  if (!(error instanceof CloudFailure)) return undefined
  const { name, statusCode } = error
  const known = Object.hasOwn(REASONS, name) ? REASONS[name] : BY_STATUS[statusCode]
  return known ?? (statusCode >= 500 ? 'CLOUD_UNAVAILABLE' : 'CLOUD_INVALID')
}

/** Settings of an organization that are off by default, by words of the refusals that name them. */
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  [
    /authenticat|callout/i,
    "With an external credential, a permission set with access to its principal must be assigned to the cloud's " +
      'automated-process user (alias autoproc).',
  ],
  [/cache.?only/i, 'The setting "Allow Cache-Only Keys with BYOK" (enableCacheOnlyKeys) may be off.'],
  [
    /replay detection/i,
    'The setting "Enable Replay Detection for Cache-Only Keys" (enableReplayDetection) may be off.',
  ],
  [
    /key derivation|derivation mode/i,
    'The setting "Allow BYOK to Opt-Out of Key Derivation" (canOptOutOfDerivationWithBYOK) may be off.',
  ],
]

const settingOf = ({ message }: Error) => SETTINGS.find(([pattern]) => pattern.test(message))

/** Codes that always mean a fault of the body. Others, such as FIELD_INTEGRITY_EXCEPTION, may also mean a limit. */
const FAULTS = new Set([
  'DUPLICATE_VALUE',
  'INVALID_CROSS_REFERENCE_KEY',
  'INVALID_FIELD',
  'INVALID_FIELD_FOR_INSERT_UPDATE',
  'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
  'INVALID_TYPE_ON_FIELD_IN_RECORD',
  'JSON_PARSER_ERROR',
  'REQUIRED_FIELD_MISSING',
  'STRING_TOO_LONG',
])

/** Whether the cloud states a cause other than its limits, which have no public code. */
export const statesCause = (failure: unknown): boolean =>
  failure instanceof Error && (FAULTS.has(failure.name) || settingOf(failure) !== undefined)

function wordsOf(failure: Error): string {
  const words = codeAndMessage(failure)
  if (failure instanceof TokenRefused) return words
  const hint = settingOf(failure)
  return hint === undefined ? words : `${words} ${hint[1]}`
}

export const failures = cloudFailures({ title: 'Crm', reasonOf, wordsOf })
export const { codeOf } = failures
