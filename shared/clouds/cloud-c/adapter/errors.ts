import { CloudFailure, cloudFailures, presentable, type CloudReason } from '../../../cloud/adapter/failures.ts'

/** The cloud's canonical codes by what they mean to a caller (`google.rpc.Code`). */
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

/** Tokens, keys, and runs as long as wrapped material is: resource names are shorter, and broken up by `-` and `_`. */
const SECRET_LIKE = /eyJ[\w-]{8,}(?:\.[\w-]*)*|-----BEGIN[^]*|[A-Za-z0-9+/=]{120,}/g

/** An error that the cloud answered. @param code canonical; the status stands for one that is absent */
export const failure = (code: string, message: string, status: number, retryAfterMs?: number): CloudFailure =>
  new CloudFailure(code === '' ? `HTTP ${status}` : code, presentable(message, SECRET_LIKE), status, retryAfterMs)

/** By the code; where there is none that we know, by the status. */
function reasonOf(error: Error): CloudReason | undefined {
  if (!(error instanceof CloudFailure)) return undefined
  const { name, statusCode } = error
  const reason = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined
  if (reason !== undefined) return reason
  if (statusCode === 429) return 'CLOUD_THROTTLED'
  if (statusCode >= 500) return 'CLOUD_UNAVAILABLE'
  return statusCode === 401 || statusCode === 403 ? 'CLOUD_DENIED' : 'CLOUD_INVALID'
}

export const { refusalFrom, codeOf, mayHaveTakenEffect, isPassing, wait, until } = cloudFailures({
  title: 'Cloud-c',
  reasonOf,
})
