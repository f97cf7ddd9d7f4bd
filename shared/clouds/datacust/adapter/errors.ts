import { CloudFailure, cloudFailures, presentable, type CloudReason } from '../../../cloud/adapter/failures.ts'

/** The cloud's error body is not public: only the status decides. */
const BY_STATUS: Readonly<Record<number, CloudReason>> = {
  401: 'CLOUD_DENIED',
  403: 'CLOUD_DENIED',
  404: 'CLOUD_NOT_FOUND',
  409: 'CLOUD_CONFLICT',
  429: 'CLOUD_THROTTLED',
}

/** Keys, tokens, and runs of characters as long as wrapped material or secrets; ids are shorter. */
const SECRET_LIKE = /-----BEGIN[^]*|[Bb]earer\s+\S+|[A-Za-z0-9+/=_-]{48,}/g

/** An error that the cloud answered. */
export const failure = (message: string, status: number, retryAfterMs?: number): CloudFailure =>
  new CloudFailure(`HTTP ${status}`, presentable(message, SECRET_LIKE), status, retryAfterMs)

const reasonOf = (error: Error): CloudReason | undefined =>
  error instanceof CloudFailure
    ? (BY_STATUS[error.statusCode] ?? (error.statusCode >= 500 ? 'CLOUD_UNAVAILABLE' : 'CLOUD_INVALID'))
    : undefined

export const failures = cloudFailures({ title: 'Datacust', reasonOf })
