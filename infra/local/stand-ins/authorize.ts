import { readAuthorization, verifySignature } from '../../simulators/toolkit/aws/sigv4.ts'
import type { HttpRequest } from '../../simulators/toolkit/loopback.ts'
import { ServiceError } from '../../simulators/toolkit/service-error.ts'
import { LOCAL_ACCOUNT } from './account.ts'

/**
 * Accepts a request that is signed by the account of this machine (Signature Version 4). Ours: the time of the
 * signature is not checked, since tests may move the deployment's clock.
 * @throws ServiceError with the refusal of the real services
 */
export function authorize(request: HttpRequest): void {
  const { accessKeyId, secretAccessKey } = LOCAL_ACCOUNT.credentials
  const authorization = readAuthorization(request.headers)
  if (authorization.accessKeyId !== accessKeyId)
    throw new ServiceError('UnrecognizedClientException', 'The security token included in the request is invalid.')
  verifySignature(request, authorization, secretAccessKey)
}
