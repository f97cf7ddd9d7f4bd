import { CloudFailure, cloudFailures, presentable, type CloudReason } from '../../../cloud/adapter/failures.ts'

/** The cloud's codes by what they mean to a caller. What is hidden answers as what does not exist. */
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
  LimitExceeded: 'CLOUD_CONFLICT', // it asks for room at the cloud, and not for another try
  QuotaExceeded: 'CLOUD_CONFLICT',
  TooManyRequests: 'CLOUD_THROTTLED',
  InternalServerError: 'CLOUD_UNAVAILABLE',
  ServiceUnavailable: 'CLOUD_UNAVAILABLE',
}

/** Where the code is unknown. */
const BY_STATUS: Readonly<Record<number, CloudReason>> = {
  401: 'CLOUD_DENIED',
  403: 'CLOUD_DENIED',
  404: 'CLOUD_NOT_FOUND',
  409: 'CLOUD_CONFLICT',
  412: 'CLOUD_CONFLICT',
  429: 'CLOUD_THROTTLED',
}

/** Keys, signatures, and runs as long as wrapped material is: ids are shorter, and broken up by dots. */
const SECRET_LIKE = /-----BEGIN[^]*|[Ss]ignature\s*=\s*\S+|[A-Za-z0-9+/=]{120,}/g

/** An error that the cloud answered. @param code the status stands for one that is absent */
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
