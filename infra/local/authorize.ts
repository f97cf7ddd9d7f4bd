import { readAuthorization, verifySignature } from '../simulators/toolkit/aws/sigv4.ts'
import type { HttpRequest } from '../simulators/toolkit/loopback.ts'
import { ServiceError } from '../simulators/toolkit/service-error.ts'
import { LOCAL_ACCOUNT } from './account.ts'

/**
 * Lets a request pass that this machine's account has signed (Signature Version 4).
 * Ours: its time is not looked at, since the deployment's clock may be moved.
 * @throws ServiceError as the real services refuse it
 */
export function authorize(request: HttpRequest): void {
  const { accessKeyId, secretAccessKey } = LOCAL_ACCOUNT.credentials
  const authorization = readAuthorization(request.headers)
  if (authorization.accessKeyId !== accessKeyId)
    throw new ServiceError('UnrecognizedClientException', 'The security token included in the request is invalid.')
  verifySignature(request, authorization, secretAccessKey)
}
