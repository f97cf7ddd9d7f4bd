import type { Context } from '../../../http/context.ts'
import type { CertificateOrder, ClientCertificate } from './client-certificate.ts'
import { externalCertificate } from './external-certificate.ts'
import { localCertificate } from './local-certificate.ts'
import type { Brought } from './model.ts'

/**
 * Gets a client its certificate in one of three ways: a local authority signs its request, an external one has signed it,
 * or the service makes the key pair and a local authority certifies it. Relies on the authority.
 * @throws Refusal RULE_BROKEN for a request or certificate that is not right; STATE_CONFLICT for an authority that is not
 * active or whose certificates let no clients in; NOT_FOUND for an authority that is gone; TOO_MANY_REQUESTS
 */
export const certify = (
  context: Context,
  { csr, ext_cert: pem }: Brought,
  order: CertificateOrder,
): Promise<ClientCertificate> =>
  pem === undefined ? localCertificate(context, csr, order) : externalCertificate(context, pem)
