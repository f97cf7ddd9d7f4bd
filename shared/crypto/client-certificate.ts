import { X509Certificate } from 'node:crypto'

/** Parsing takes longer than everything else of a warm call, and a cloud has few certificates. */
const KEPT = 64
const parsed = new Map<string, X509Certificate | undefined>()

function parse(pem: string): X509Certificate | undefined {
  if (parsed.has(pem)) return parsed.get(pem)
  let certificate: X509Certificate | undefined
  try {
    certificate = new X509Certificate(pem)
  } catch {
    certificate = undefined // no certificate: refused as any other
  }
  parsed.set(pem, certificate)
  if (parsed.size > KEPT) parsed.delete(parsed.keys().next().value ?? '')
  return certificate
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a PEM text. @throws Error, a fault, for one that is none: the deployment is wrong */
export const certificatesOf = (pem: string): X509Certificate[] =>
  (pem.match(BLOCK) ?? []).map((block) => new X509Certificate(block))

/**
 * Whether a client's certificate names `commonName`, is valid at `now`, and was issued by one of `anchors`.
 * @param anchors without: whoever ended the TLS connection has checked the chain. None of them: nobody is trusted
 */
export function isCertified(
  pem: string,
  commonName: string,
  now: Date,
  anchors: readonly X509Certificate[] | undefined,
): boolean {
  const certificate = parse(pem)
  if (certificate === undefined) return false
  const names = certificate.subject.split('\n').filter((line) => line.startsWith('CN='))
  if (names.length !== 1 || names[0] !== `CN=${commonName}`) return false
  if (now < certificate.validFromDate || now > certificate.validToDate) return false
  if (anchors === undefined) return true
  return anchors.some(
    (anchor) =>
      now >= anchor.validFromDate &&
      now <= anchor.validToDate &&
      certificate.checkIssued(anchor) &&
      certificate.verify(anchor.publicKey),
  )
}
