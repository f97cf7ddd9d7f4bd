import { ServiceError } from '../../toolkit/service-error.ts'

export { validation } from '../../toolkit/service-error.ts'

/** Refusals of several operations, under the names that clients distinguish. The status is HTTP 400 unless stated. */
export const notFound = (message: string) => new ServiceError('NotFoundException', message)
export const invalidState = (message: string) => new ServiceError('KMSInvalidStateException', message)
export const unsupported = (message: string) => new ServiceError('UnsupportedOperationException', message)
export const invalidUsage = (message: string) => new ServiceError('InvalidKeyUsageException', message)
export const invalidCiphertext = () => new ServiceError('InvalidCiphertextException', '')
export const incorrectMaterial = (message: string) => new ServiceError('IncorrectKeyMaterialException', message)
export const limitExceeded = (message: string) => new ServiceError('LimitExceededException', message)
export const invalidMarker = () => new ServiceError('InvalidMarkerException', 'The marker is not one of this list.')
export const unknownOperation = (what: string) =>
  new ServiceError('UnknownOperationException', `${what} is not served here.`)

/** The message of the real service: caller, action, resource. */
export const denied = (who: string, action: string, resource: string, because: string) =>
  new ServiceError(
    'AccessDeniedException',
    `User: ${who} is not authorized to perform: ${action} on resource: ${resource} ${because}`,
  )

/** `DryRun` passes all checks and stops before the effect. */
export const dryRun = () =>
  new ServiceError('DryRunOperationException', 'The request would have succeeded, but the DryRun option is set.')
