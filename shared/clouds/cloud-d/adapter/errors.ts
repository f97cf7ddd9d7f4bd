import { CloudFailure, cloudFailures, presentable, type CloudReason } from '../../../cloud/adapter/failures.ts'

/** The reason for each code of the cloud. The cloud answers a hidden resource like a missing one. */
const REASONS: Readonly<Record<string, CloudReason>> = {
  NotAuthorizedOrNotFound: 'CLOUD_NOT_FOUND',
  NotFound: 'CLOUD_NOT_FOUND',
  RelatedResourceNotAuthorizedOrNotFound: 'CLOUD_INVALID',
  NotAuthenticated: 'CLOUD_DENIED',
  NotAllowed: 'CLOUD_DENIED',
  NotAuthorized: 'CLOUD_DENIED',
  SignUpRequired: 'CLOUD_DENIED',
  IncorrectState: 'CLOUD_CONFLICT',
  Conflict: 'CLOUD_CONFLICT',
  InvalidatedRetryToken: 'CLOUD_CONFLICT',
  NotAuthorizedOrResourceAlreadyExists: 'CLOUD_CONFLICT',
  NoEtagMatch: 'CLOUD_CONFLICT',
  LimitExceeded: 'CLOUD_CONFLICT', // the remedy is a higher limit at the cloud, not a retry
  QuotaExceeded: 'CLOUD_CONFLICT',
  TooManyRequests: 'CLOUD_THROTTLED',
  InternalServerError: 'CLOUD_UNAVAILABLE',
  ServiceUnavailable: 'CLOUD_UNAVAILABLE',
}

/** Used for unknown codes. */
const BY_STATUS: Readonly<Record<number, CloudReason>> = {
  401: 'CLOUD_DENIED',
  403: 'CLOUD_DENIED',
  404: 'CLOUD_NOT_FOUND',
  409: 'CLOUD_CONFLICT',
  412: 'CLOUD_CONFLICT',
  429: 'CLOUD_THROTTLED',
}

/** Keys, signatures, and runs of characters as long as wrapped material: ids are shorter, and contain dots. */
const SECRET_LIKE = /-----BEGIN[^]*|[Ss]ignature\s*=\s*\S+|[A-Za-z0-9+/=]{120,}/g

/** An error in the cloud's answer. @param code replaced with `HTTP <status>` if it is empty or malformed */
export const failure = (code: string, message: string, status: number, retryAfterMs?: number): CloudFailure =>
  new CloudFailure(
    /^\w{1,64}$/.test(code) ? code : `HTTP ${status}`,
    presentable(message, SECRET_LIKE),
    status,
    retryAfterMs,
  )

function reasonOf(error: Error): CloudReason | undefined {
  if (!(error instanceof CloudFailure)) return undefined
  const { name, statusCode } = error
  const known = Object.hasOwn(REASONS, name) ? REASONS[name] : BY_STATUS[statusCode]
  return known ?? (statusCode >= 500 ? 'CLOUD_UNAVAILABLE' : 'CLOUD_INVALID')
}

export const failures = cloudFailures({ title: 'Cloud-d', reasonOf })
export const { codeOf, until, wait } = failures
