import { reached } from '../../../base/time.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { readCertificate } from '../../../crypto/x509/certificate.ts'
import type { StoredDatacustKeystore } from './store.ts'

type CertificateFields = Pick<StoredDatacustKeystore, 'certificate' | 'certificate_sha256' | 'certificate_expires_at'>

/**
 * The fields of a client certificate. Its issuer is not checked: the data plane accepts only this certificate.
 * @throws Refusal RULE_BROKEN for a text that is not exactly one certificate, an expired one, and one of an authority
 */
export function certificateFields(certificate: string, now: Date): CertificateFields {
  const { notAfter, sha256Fingerprint, isAuthority } = factsOf(certificate)
  if (reached(notAfter, now)) throw ruleBroken('certificate', `must not have expired: it did on ${notAfter}`)
  if (isAuthority) throw ruleBroken('certificate', 'must be the certificate of a client, not of an authority')
  return { certificate, certificate_sha256: sha256Fingerprint, certificate_expires_at: notAfter }
}

function factsOf(certificate: string): ReturnType<typeof readCertificate> {
  try {
    return readCertificate(certificate)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.reason, error.message, {
      cause: error,
      errors: [{ pointer: '#/certificate', detail: error.message }],
    })
  }
}
