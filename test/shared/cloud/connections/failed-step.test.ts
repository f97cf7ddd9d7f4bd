import { expect, test } from 'vitest'
import { Refusal } from '../../../../shared/base/errors.ts'
import { AddressRefused } from '../../../../shared/base/network/guarded-fetch.ts'
import { CloudFailure, Late, TokenRefused, Unreadable } from '../../../../shared/cloud/adapter/failures.ts'
import { failedStep } from '../../../../shared/cloud/connections/failed-step.ts'

const refused = (reason: Refusal['reason'], cause?: unknown) => failedStep(new Refusal(reason, 'refused', { cause }))

test.each([
  ['no answer in time', 'CLOUD_TIMEOUT', new Late('late'), 'address'],
  ['nothing that can be read', 'CLOUD_UNREADABLE', new Unreadable('odd'), 'address'],
  ['a failure of the cloud', 'CLOUD_UNAVAILABLE', new CloudFailure('HTTP 503', '', 503), 'address'],
  ['an address that is never called', 'RULE_BROKEN', new AddressRefused('leads nowhere'), 'address'],
  ['no token', 'CLOUD_DENIED', new TokenRefused('invalid_client', '', 400), 'log_in'],
  ['no token, whatever the status', 'CLOUD_DENIED', new TokenRefused('HTTP 403', '', 403), 'log_in'],
  ['a read that rejects the credentials', 'CLOUD_DENIED', new CloudFailure('UNAUTHENTICATED', '', 401), 'log_in'],
  ['a key that cannot be read', 'RULE_BROKEN', undefined, 'log_in'],
  ['credentials that an SDK could not get', 'CLOUD_DENIED', new Error('AccessDenied'), 'log_in'],
  ['a read that is forbidden', 'CLOUD_DENIED', new CloudFailure('PERMISSION_DENIED', '', 403), 'permission'],
  ['a read that hides what it refuses', 'CLOUD_NOT_FOUND', new CloudFailure('NotFound', '', 404), 'permission'],
  ['a read without a result', 'CLOUD_NOT_FOUND', undefined, 'permission'],
] as const)('a test that ends with %s names its step', (_what, reason, cause, step) => {
  expect(refused(reason, cause)).toBe(step)
})
