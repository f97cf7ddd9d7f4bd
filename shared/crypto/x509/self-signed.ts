import { KeyObject, webcrypto, X509Certificate } from 'node:crypto'
import { DAY_MS } from '../../base/time.ts'

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: Uint8Array.of(1, 0, 1), modulusLength: 2048 }

/**
 * The library writes X.509 and uses Node for all cryptography. Imported at the first use; it requires the other library
 * first.
 */
async function x509Generator() {
  await import('reflect-metadata')
  return (await import('@peculiar/x509')).X509CertificateGenerator
}

/** A certificate and its key, both PEM: the key unencrypted in PKCS #8. */
export interface SelfSigned {
  readonly certificate: string
  readonly private_key: string
}

/** Generates an RSA-2048 key and a self-signed certificate, which identifies its owner elsewhere (RFC 5280). */
export async function selfSigned(commonName: string, from: Date, days: number): Promise<SelfSigned> {
  const generator = await x509Generator()
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify'])
  const { rawData } = await generator.createSelfSigned(
    {
      name: [{ CN: [commonName] }],
      notBefore: from,
      notAfter: new Date(from.getTime() + days * DAY_MS),
      keys,
      signingAlgorithm: RSA,
    },
    webcrypto,
  )
  return {
    certificate: new X509Certificate(Buffer.from(rawData)).toString(),
    private_key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** SHA-1 of a certificate in PEM, hexadecimal: clouds identify certificates by it. */
export const thumbprintOf = (certificate: string): string =>
  new X509Certificate(certificate).fingerprint.replaceAll(':', '')
