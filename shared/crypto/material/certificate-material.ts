import { X509Certificate } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { shortText } from '../../base/short-text.ts'
import { LOCAL_ALGORITHMS } from '../algorithms.ts'
import { materialOfKey } from './consistent-key.ts'
import type { KeyMaterial } from '../key-material.ts'
import type { SecretBytes } from '../secret-bytes.ts'

/**
 * A certificate (RFC 5280) in DER, described by its public key, which obeys the rules of imported keys. Ours: neither
 * its signature nor its validity is checked, since storing a certificate does not mean that this service trusts it.
 * @param bytes remain the caller's if the certificate is refused
 * @throws Refusal RULE_BROKEN
 */
export async function certificateMaterial(bytes: SecretBytes): Promise<KeyMaterial> {
  const key = bytes.use((der) => {
    try {
      const certificate = new X509Certificate(der)
      if (!certificate.raw.equals(der)) throw new RangeError('more than a certificate')
      datesOf(certificate)
      return certificate.publicKey
    } catch (cause) {
      throw new Refusal('RULE_BROKEN', 'material is not one certificate in DER form', { cause })
    }
  })
  const own = await materialOfKey(key.asymmetricKeyType === 'rsa' ? LOCAL_ALGORITHMS.rsa : LOCAL_ALGORITHMS.ec, key)
  own.bytes.destroy()
  return { ...own, objectType: 'Certificate', bytes }
}

/** Ours: most characters of a name in a record. */
const NAME_CHARACTERS = 1_024

export interface CertificateFacts {
  /** One line for each attribute, such as `CN=keys.example` */
  readonly subject: string
  readonly issuer: string
  /** in hex */
  readonly serialNumber: string
  readonly notBefore: string
  readonly notAfter: string
}

/** @throws RangeError for invalid dates */
const datesOf = ({
  validFromDate,
  validToDate,
}: X509Certificate): Pick<CertificateFacts, 'notBefore' | 'notAfter'> => ({
  notBefore: validFromDate.toISOString(),
  notAfter: validToDate.toISOString(),
})

/** @param material of a certificate */
export const certificateFacts = (material: KeyMaterial): CertificateFacts =>
  material.bytes.use((der) => {
    const certificate = new X509Certificate(der)
    const { subject, issuer, serialNumber } = certificate
    return {
      subject: shortText(subject, NAME_CHARACTERS),
      issuer: shortText(issuer, NAME_CHARACTERS),
      serialNumber: shortText(serialNumber.toLowerCase(), NAME_CHARACTERS),
      ...datesOf(certificate),
    }
  })
