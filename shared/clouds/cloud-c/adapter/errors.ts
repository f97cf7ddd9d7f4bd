import { CloudFailure, cloudFailures, presentable, type CloudReason } from '../../../cloud/adapter/failures.ts'

/** The cloud's canonical codes (`google.rpc.Code`), by their meaning for a caller. */
const REASONS: Readonly<Record<string, CloudReason>> = {
  NOT_FOUND: 'CLOUD_NOT_FOUND',
  ALREADY_EXISTS: 'CLOUD_CONFLICT',
  ABORTED: 'CLOUD_CONFLICT',
  FAILED_PRECONDITION: 'CLOUD_CONFLICT',
  PERMISSION_DENIED: 'CLOUD_DENIED',
  UNAUTHENTICATED: 'CLOUD_DENIED',
  RESOURCE_EXHAUSTED: 'CLOUD_THROTTLED',
  DEADLINE_EXCEEDED: 'CLOUD_UNAVAILABLE',
  INTERNAL: 'CLOUD_UNAVAILABLE',
  UNAVAILABLE: 'CLOUD_UNAVAILABLE',
  UNKNOWN: 'CLOUD_UNAVAILABLE',
}

/**
 * Tokens, keys, and runs of characters as long as wrapped material. Resource names are shorter, and divided by `-` and
 * `_`.
 */
const SECRET_LIKE = /eyJ[\w-]{8,}(?:\.[\w-]*)*|-----BEGIN[^]*|[A-Za-z0-9+/=]{120,}/g

/** An error that the cloud answered. @param code canonical; if empty, the status is used */
export const failure = (code: string, message: string, status: number, retryAfterMs?: number): CloudFailure =>
  new CloudFailure(code === '' ? `HTTP ${status}` : code, presentable(message, SECRET_LIKE), status, retryAfterMs)

/** By the code if it is known, otherwise by the status. */
function reasonOf(error: Error): CloudReason | undefined {
  if (!(error instanceof CloudFailure)) return undefined
  const { name, statusCode } = error
  const reason = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined
  if (reason !== undefined) return reason
  if (statusCode === 429) return 'CLOUD_THROTTLED'
  if (statusCode >= 500) return 'CLOUD_UNAVAILABLE'
  return statusCode === 401 || statusCode === 403 ? 'CLOUD_DENIED' : 'CLOUD_INVALID'
}

export const failures = cloudFailures({ title: 'Cloud-c', reasonOf })
export const { formed, codeOf, mayHaveTakenEffect, wait, until } = failures
