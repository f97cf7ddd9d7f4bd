import type { Reason, Refusal } from '../../base/errors.ts'
import { AddressRefused } from '../../base/network/guarded-fetch.ts'
import type { TestStep } from '../../http/connection-test.ts'
import { CloudFailure, TokenRefused } from '../adapter/failures.ts'

const UNANSWERED: ReadonlySet<Reason> = new Set([
  'CLOUD_TIMEOUT',
  'CLOUD_UNAVAILABLE',
  'CLOUD_UNREADABLE',
  'CLOUD_THROTTLED',
])

/**
 * The step at which the test of a connection was refused, for every cloud: a test logs in and makes one read. A refusal
 * that an answer to the read caused is one of permissions, unless the answer rejects the credentials (401). Refusals
 * without such an answer concern the credentials: a cloud issued no token for them, or they cannot be read.
 */
export function failedStep({ reason, cause }: Refusal): TestStep {
  if (cause instanceof AddressRefused || UNANSWERED.has(reason)) return 'address'
  if (reason === 'CLOUD_NOT_FOUND') return 'permission'
  const isOfRead = cause instanceof CloudFailure && !(cause instanceof TokenRefused) && cause.statusCode !== 401
  return isOfRead ? 'permission' : 'log_in'
}
