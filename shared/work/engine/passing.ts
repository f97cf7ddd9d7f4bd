import { Refusal, type Reason } from '../../base/errors.ts'

/** Temporary refusals: the work stays as it is and is taken up again. Every other refusal ends it. */
const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  'CLOUD_THROTTLED',
  'CLOUD_UNAVAILABLE',
  'CLOUD_TIMEOUT',
  'UNAVAILABLE',
  'TOO_MANY_REQUESTS',
])
export const isFinal = (error: unknown): error is Refusal => error instanceof Refusal && !PASSING.has(error.reason)

/** A cloud refused the credentials, or what they may do: that may be put right at the cloud. */
export const isOfCredentials = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.reason === 'CLOUD_DENIED'

/** A cloud failed, or did not answer in time. */
export const isUnanswered = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.reason === 'CLOUD_UNAVAILABLE' || error.reason === 'CLOUD_TIMEOUT')
