import { ruleBroken } from '../../../base/errors.ts'
import { thumbprintOf } from '../../../crypto/self-signed.ts'
import { readCertificate } from '../../../crypto/x509/certificate.ts'
import { pointingAt } from '../../../vault/keys/material/material.ts'
import type { RequestedSecret } from '../kind.ts'

const POINTER = '#/certificate'

/** A certificate that an authority signed for a request of this service, and the private key to look up for it. */
export interface SignedCertificate {
  readonly fields: {
    readonly is_certificate_used: true
    readonly external_certificate_used: true
    readonly certificate: string
    readonly certificate_thumbprint: string
  }
  readonly requested: RequestedSecret
}

/** Reads the `certificate` of a body. @throws Refusal RULE_BROKEN unless it is a valid certificate of an RSA key */
export async function signedCertificate(certificate: string, now: Date): Promise<SignedCertificate> {
  const { publicKey } = await pointingAt(POINTER, () => {
    const facts = readCertificate(certificate)
    if (facts.publicKey.asymmetricKeyType !== 'rsa') throw ruleBroken('certificate', 'must be of an RSA key')
    if (Date.parse(facts.notAfter) <= now.getTime()) throw ruleBroken('certificate', 'must not have expired')
    return facts
  })
  const certificate_thumbprint = thumbprintOf(certificate)
  return {
    fields: { is_certificate_used: true, external_certificate_used: true, certificate, certificate_thumbprint },
    requested: { name: 'private_key', publicKey, pointer: POINTER },
  }
}
