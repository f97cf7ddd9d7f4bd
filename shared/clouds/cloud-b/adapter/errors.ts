import { isRestError, type RestError } from '@azure/core-rest-pipeline'
import { Refusal } from '../../../base/errors.ts'
import { fieldsOf, jsonOf } from '../../../base/json.ts'
import {
  CloudFailure,
  cloudFailures,
  codeAndMessage,
  ifThere as ifFound,
  Late,
  networkCode,
  presentable,
  TokenRefused,
  Garbled,
  Unreadable,
  type CloudReason,
} from '../../../cloud/adapter/failures.ts'

/** A name is being deleted or recovered: the refused call may succeed in a moment. */
const IN_TRANSIT: ReadonlySet<string> = new Set(['ObjectIsBeingDeleted', 'ObjectIsBeingRecovered'])
const VAULT_GONE = 'VaultNotFound'
/**
 * A version of a key exists but cannot be used now. The cloud reports it as forbidden, although no permission would
 * help.
 */
const UNUSABLE: ReadonlySet<string> = new Set(['KeyDisabled', 'KeyExpired', 'KeyNotYetValid'])

/** Remedies by the cloud's code, where the cloud's message names none. */
const REMEDIES: Readonly<Record<string, string>> = {
  ObjectIsDeletedButRecoverable: 'Recover or purge what was deleted under this name first.',
  [VAULT_GONE]: 'The vault is deleted, perhaps softly: recover it at the cloud, or remove it here.',
  KeyDisabled: 'Enable the key first.',
  KeyExpired: 'Use another key, or change when it expires.',
  KeyNotYetValid: 'Use another key, or change when it becomes valid.',
  ForbiddenByRbac: 'The application of the connection needs a role that allows it.',
  ForbiddenByFirewall: "The vault's firewall must let this service through.",
}

/**
 * Tokens, client secrets, keys, and runs of characters as long as wrapped material. Ids and names are shorter, or
 * divided by `-`.
 */
const SECRET_LIKE = /eyJ[\w-]{8,}(?:\.[\w-]*)*|-----BEGIN[^]*|[A-Za-z0-9_]{3}~[\w.~-]{20,}|[A-Za-z0-9+/=_]{80,}/g

const messageOf = (message: string): string =>
  presentable(message.replaceAll(/\s+/g, ' ').replace(/ ?Trace ID: .*$/, ''), SECRET_LIKE)

/** The deployment is misconfigured, so no call is possible: not shown to callers, and not retried. */
export class Misdirected extends Error {
  override readonly name = 'Misdirected'
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The innermost code that a body's `error` has. */
function codeIn(error: unknown): string {
  const { code, innererror } = fieldsOf(error)
  return (innererror === undefined ? '' : codeIn(innererror)) || textOf(code)
}

/** The failure in an answer. Vaults, management and logs answer with an object, the log-in host with a code. */
export function failureIn(status: number, body: string, retryAfterMs?: number): CloudFailure {
  const { error, error_description: description } = fieldsOf(jsonOf(body))
  const noCode = `HTTP ${status}`
  if (typeof error !== 'string') {
    const message = messageOf(textOf(fieldsOf(error).message))
    return new CloudFailure(codeIn(error) || noCode, message, status, retryAfterMs)
  }
  const [, code = error, sentence = ''] = /^(AADSTS\d+): ?([^]*)$/.exec(textOf(description)) ?? []
  return new TokenRefused(code, messageOf(sentence), status, retryAfterMs)
}

/** Converts an error of the SDK: to a failure that the cloud answered, an unreadable answer, or a lost connection. */
function failureOf(error: RestError): Error {
  const { statusCode, code, message } = error
  if (statusCode !== undefined && statusCode >= 400)
    return new CloudFailure(code ?? `HTTP ${statusCode}`, messageOf(message), statusCode)
  // its own message quotes the answer
  return statusCode === undefined && code !== 'PARSE_ERROR' ? error : new Garbled('not as promised')
}

const OURS = [CloudFailure, Refusal, Late, Unreadable, Misdirected] as const

/**
 * The failure that caused an error of an SDK call. The SDK does not validate answers before it reads them, so every
 * error not listed here means a malformed answer.
 */
export function sdkFailure(error: unknown): unknown {
  if (OURS.some((kind) => error instanceof kind)) return error
  if (isRestError(error)) return failureOf(error)
  if (!(error instanceof Error)) return error
  if (error.name === 'AbortError') return new Late('no answer in time', { cause: error })
  return networkCode(error) === undefined ? new Unreadable('not as promised', { cause: error }) : error
}

function wordsOf(failure: Error): string {
  const words = codeAndMessage(failure)
  const remedy = Object.hasOwn(REMEDIES, failure.name) ? REMEDIES[failure.name] : undefined
  return remedy === undefined ? words : `${words} ${remedy}`
}

/** A deleted vault has no host name until it is recovered. */
const remedyOf = (code: string): string | undefined =>
  code === 'ENOTFOUND'
    ? 'Where this lasts for one vault, that is deleted, perhaps softly: recover it at the cloud, or remove it here.'
    : undefined

function reasonOf(failure: Error): CloudReason | undefined {
  if (!(failure instanceof CloudFailure)) return undefined
  const { name, statusCode } = failure
  if (UNUSABLE.has(name)) return 'CLOUD_CONFLICT'
  if (statusCode === 429) return 'CLOUD_THROTTLED'
  if (statusCode >= 500 || statusCode === 408 || statusCode < 400) return 'CLOUD_UNAVAILABLE'
  if (failure instanceof TokenRefused || statusCode === 401 || statusCode === 403) return 'CLOUD_DENIED'
  if (statusCode === 404) return 'CLOUD_NOT_FOUND'
  return statusCode === 409 || statusCode === 412 ? 'CLOUD_CONFLICT' : 'CLOUD_INVALID'
}

export const { refusalFrom, codeOf, mayHaveTakenEffect, isPassing, wait, until } = cloudFailures({
  title: 'Cloud-b',
  reasonOf,
  wordsOf,
  remedyOf,
})

/** Whether the whole vault is gone. This says nothing about its items: they all return when the vault is recovered. */
export const isVaultGone = (error: unknown): boolean => codeOf(error) === VAULT_GONE

/**
 * The result of `work`; `undefined` when the vault does not have the item.
 * @throws Refusal CLOUD_NOT_FOUND when the vault itself is gone
 */
export const ifThere = <T>(work: Promise<T>): Promise<T | undefined> => ifFound(work, isVaultGone)

/** Whether a version that the call relied on is disabled, expired or not valid yet. */
export const isUnusable = (error: unknown): boolean => UNUSABLE.has(codeOf(error) ?? '')

/** Whether the cloud rejects the token. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof CloudFailure && error.statusCode === 401 && !(error instanceof TokenRefused)

/** Whether the call can succeed once a deletion or a recovery in progress has ended. */
export const isInTransit = (error: unknown): boolean => IN_TRANSIT.has(codeOf(error) ?? '')

/** Whether two calls wrote to one name at the same time, which the code `Conflict` means. */
export const isRace = (error: unknown): boolean => codeOf(error) === 'Conflict'
