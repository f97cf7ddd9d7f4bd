import { hash, X509Certificate } from 'node:crypto'
import { BoundedCache } from '../../base/bounded-cache.ts'

/** Parsing takes longer than the rest of a warm call, and a cloud has few certificates. */
const parsed = new BoundedCache<X509Certificate | undefined>(64)

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined // no certificate: refused like any other
  }
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a PEM text. @throws Error, a fault, if it is not PEM: the deployment is misconfigured */
export const certificatesOf = (pem: string): X509Certificate[] =>
  (pem.match(BLOCK) ?? []).map((block) => new X509Certificate(block))

const isValid = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  now >= validFromDate && now <= validToDate

/** SHA-256 of a client's certificate, in hex; `undefined` for a text that is no certificate, or not valid at `now`. */
export function validFingerprint(pem: string, now: Date): string | undefined {
  const certificate = parsed.use(pem, () => parse(pem))
  return certificate && isValid(certificate, now) ? hash('sha256', certificate.raw) : undefined
}

/**
 * Whether a client's certificate names `commonName`, is valid at `now`, and was issued by one of `anchors`.
 * @param anchors undefined if the end of the TLS connection checked the chain; an empty list trusts no certificate
 */
export function isCertified(
  pem: string,
  commonName: string,
  now: Date,
  anchors: readonly X509Certificate[] | undefined,
): boolean {
  const certificate = parsed.use(pem, () => parse(pem))
  if (certificate === undefined) return false
  const names = certificate.subject.split('\n').filter((line) => line.startsWith('CN='))
  if (names.length !== 1 || names[0] !== `CN=${commonName}`) return false
  if (!isValid(certificate, now)) return false
  if (anchors === undefined) return true
  return anchors.some(
    (anchor) => isValid(anchor, now) && certificate.checkIssued(anchor) && certificate.verify(anchor.publicKey),
  )
}
