import type { X509Certificate } from 'node:crypto'
import { pemBytes } from '../crypto/asn1/pem.ts'
import { certificateIn, pathCertificate, type Authorities } from './chain.ts'

/** The authorities whose evidence is accepted. */
export interface AttestationTrust {
  /** of the attestation keys of virtual machines */
  readonly machines: Authorities
  /** of AMD's processors: ARK, and ASK or ASVK, of each product */
  readonly processors: Authorities
}

/** Certificates of authorities, each kind as PEM texts one after another. */
export interface TrustTexts {
  readonly machine_roots?: string | undefined
  readonly machine_intermediates?: string | undefined
  readonly processor_roots?: string | undefined
  readonly processor_intermediates?: string | undefined
}

const END = '-----END CERTIFICATE-----'

/** Certificates of authorities in one PEM text. `undefined` unless each block is one that can be part of a path. */
export function authoritiesIn(pem: string): X509Certificate[] | undefined {
  const [tail = '', ...blocks] = pem.split(END).reverse()
  const found = blocks.reverse().map((block) => {
    const der = pemBytes(block + END, ['CERTIFICATE'])
    const certificate = der && certificateIn(der)
    return certificate?.ca === true && pathCertificate(certificate) !== undefined ? certificate : undefined
  })
  const certificates = found.filter((one) => one !== undefined)
  return tail.trim() === '' && certificates.length === found.length ? certificates : undefined
}

/** Whether an authority vouches for itself, as a root does. */
export function isRoot(certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)
  } catch {
    return false // a key or an algorithm that Node does not verify
  }
}

const authorities = (roots = '', intermediates = ''): Authorities => ({
  roots: authoritiesIn(roots) ?? [],
  intermediates: authoritiesIn(intermediates) ?? [],
})

/** The authorities in texts that were checked when they were stored. */
export const trustIn = (texts: TrustTexts): AttestationTrust => ({
  machines: authorities(texts.machine_roots, texts.machine_intermediates),
  processors: authorities(texts.processor_roots, texts.processor_intermediates),
})
