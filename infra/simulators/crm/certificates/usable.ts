import type { HeldCertificate } from '../state/held.ts'
import type { Call } from '../wire/call.ts'
import { ApiError, broken } from '../wire/errors.ts'

const KEY_BITS = 4096

/** A certificate by its unique name, if it can wrap keys. @throws ApiError */
export function usableCertificate({ state, organization }: Call, name: string, field: string): HeldCertificate {
  const found = state.certificates(organization.id).find(({ developerName }) => developerName === name)
  if (found === undefined)
    throw new ApiError('INVALID_CROSS_REFERENCE_KEY', `The certificate ${name} does not exist.`, [field])
  if (found.keySize !== KEY_BITS) throw broken(`The certificate must have a key of ${KEY_BITS} bits.`, field)
  if (found.isUnusable || found.expiresAt <= state.now()) throw broken('The certificate cannot be used.', field)
  return found
}
