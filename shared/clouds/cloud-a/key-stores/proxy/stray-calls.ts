import type { StrayCalls } from '../../../../serving/stray-calls.ts'
import { XKS_ERRORS } from './errors.ts'

const { status, text: errorMessage } = XKS_ERRORS.InvalidUriPathException

/**
 * Calls to addresses of no key store, such as one whose path was mistyped at the cloud, which can make nothing of another
 * answer. @see external key store proxy API, "Errors"
 */
export const xksStrayCalls: StrayCalls = {
  path: /\/kms\/xks\/v\d{1,2}\/(?:health|keys\/[^/]+\/(?:metadata|encrypt|decrypt))$/,
  status,
  body: { errorName: 'InvalidUriPathException', errorMessage },
}
