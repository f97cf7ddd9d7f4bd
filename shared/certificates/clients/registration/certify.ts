import type { Context } from '../../../http/context.ts'
import type { CertificateOrder, ClientCertificate } from './client-certificate.ts'
import { externalCertificate } from './external-certificate.ts'
import { localCertificate } from './local-certificate.ts'
import type { Brought } from './model.ts'

/**
 * Gets the certificate of a client in one of three ways: a local authority signs its request, an external one has
 * signed it, or the service creates the key pair and a local authority certifies it. Stages that the authority exists
 * until the commit.
 * @throws Refusal RULE_BROKEN for an invalid request or certificate; STATE_CONFLICT for an authority that is not active
 * or whose certificates do not authenticate clients; NOT_FOUND for a missing authority; TOO_MANY_REQUESTS
 */
export const certify = (
  context: Context,
  { csr, ext_cert: pem }: Brought,
  order: CertificateOrder,
): Promise<ClientCertificate> =>
  pem === undefined ? localCertificate(context, csr, order) : externalCertificate(context, pem)
