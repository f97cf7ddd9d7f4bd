/** Certificates by which a connection proves its identity, for clouds that accept one in place of secrets. */
import { ruleBroken } from '../../base/errors.ts'
import { selfSigned, thumbprintOf } from '../../crypto/x509/self-signed.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import { pointingAt } from '../../vault/keys/material/material.ts'
import { CERTIFICATE_DAYS_DEFAULT } from './bodies.ts'
import type { Own, Taken } from './kind.ts'

/** The fields of a body that ask for a certificate. */
export interface CertificateProof {
  readonly is_certificate_used?: boolean | undefined
  /** PEM of a certificate that an authority signed for a request of this service */
  readonly certificate?: string | undefined
  /** days for which a certificate that is made here is valid */
  readonly cert_duration?: number | undefined
}

interface CertificateFields {
  readonly is_certificate_used: true
  readonly external_certificate_used: boolean
  readonly certificate: string
  readonly certificate_thumbprint: string
  readonly cert_duration?: number
}

const fieldsOf = (certificate: string, external_certificate_used: boolean): CertificateFields => ({
  is_certificate_used: true,
  external_certificate_used,
  certificate,
  certificate_thumbprint: thumbprintOf(certificate),
})

async function made({ now, isTest }: Taken, subject: string, days: number): Promise<Own<CertificateFields>> {
  if (isTest) throw ruleBroken('is_certificate_used', 'makes a certificate only for a connection that is stored')
  const { certificate, private_key } = await selfSigned(subject, now, days)
  return { fields: { ...fieldsOf(certificate, false), cert_duration: days }, secrets: { private_key } }
}

async function signed({ now }: Taken, certificate: string): Promise<Own<CertificateFields>> {
  const pointer = '#/certificate'
  const { publicKey } = await pointingAt(pointer, () => {
    const facts = readCertificate(certificate)
    if (facts.publicKey.asymmetricKeyType !== 'rsa') throw ruleBroken('certificate', 'must be of an RSA key')
    if (Date.parse(facts.notAfter) <= now.getTime()) throw ruleBroken('certificate', 'must not have expired')
    return facts
  })
  return { fields: fieldsOf(certificate, true), requested: { name: 'private_key', publicKey, pointer } }
}

/**
 * The certificate of a body, whose private key is stored with its request, or a new one. The cloud accepts either only
 * after it was registered there.
 * @param subject common name of a new certificate
 * @throws Refusal RULE_BROKEN unless the certificate is a valid one of an RSA key, and when a test asks for a new one
 */
export const certified = (
  taken: Taken,
  subject: string,
  { certificate, cert_duration = CERTIFICATE_DAYS_DEFAULT }: CertificateProof,
): Promise<Own<CertificateFields>> =>
  certificate === undefined ? made(taken, subject, cert_duration) : signed(taken, certificate)

type Before = CertificateProof & { readonly external_certificate_used: boolean }

/** Whether a change without secrets keeps the proof. */
export const keepsCertificate = (
  before: Before,
  { is_certificate_used = before.is_certificate_used, certificate, cert_duration }: CertificateProof,
): boolean =>
  cert_duration === undefined &&
  (certificate === undefined || certificate === before.certificate) &&
  is_certificate_used === before.is_certificate_used

/** `is_certificate_used` as a creation would need it: days alone renew a certificate that was made here. */
export function asksForNew(
  before: Before,
  { is_certificate_used, cert_duration }: CertificateProof,
): boolean | undefined {
  const renews = cert_duration !== undefined && before.is_certificate_used === true && !before.external_certificate_used
  return is_certificate_used ?? (renews || undefined)
}
