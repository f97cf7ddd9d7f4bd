import type { StrayCalls } from '../../../../serving/stray-calls.ts'
import { XKS_ERRORS } from './errors.ts'

const { status, text: errorMessage } = XKS_ERRORS.InvalidUriPathException

/**
 * Answers calls below the protocol's prefix that match no key store, such as a path mistyped at the cloud, in the
 * protocol's error format: the cloud cannot parse any other answer. @see external key store proxy API, "Errors"
 */
export const xksStrayCalls: StrayCalls = {
  path: /\/kms\/xks\/v\d{1,2}\/(?:health|keys\/[^/]+\/(?:metadata|encrypt|decrypt))$/,
  status,
  body: { errorName: 'InvalidUriPathException', errorMessage },
}
