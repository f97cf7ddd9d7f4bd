import { X509Certificate } from 'node:crypto'
import { DerError, dottedOf, memberAt, membersOf, readDer, TAG } from '../crypto/asn1/der.ts'
import { EXTENSION } from '../crypto/x509/extensions.ts'
import { partsOf, pathLengthOf } from '../crypto/x509/issuer.ts'
import { isOfCertifiedKind } from '../crypto/x509/signed.ts'

/** Certificates that vouch for keys. */
export interface Authorities {
  readonly roots: readonly X509Certificate[]
  readonly intermediates: readonly X509Certificate[]
}

/**
 * Critical extensions whose rules are implemented here, or that restrict nothing here: the alternative name of an
 * attestation key is a directory name, and any policy and extended key usage is accepted.
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  EXTENSION.basicConstraints,
  EXTENSION.keyUsage,
  EXTENSION.extKeyUsage,
  EXTENSION.subjectAltName,
  EXTENSION.certificatePolicies,
])

const SHA2: ReadonlySet<string> = new Set(['1', '2', '3'].map((arc) => `2.16.840.1.101.3.4.2.${arc}`))
const RSA_PSS = '1.2.840.113549.1.1.10'
/** RSA (PKCS #1) and ECDSA, with SHA-256, SHA-384 and SHA-512. */
const SIGNATURES: ReadonlySet<string> = new Set([
  ...['11', '12', '13'].map((arc) => `1.2.840.113549.1.1.${arc}`),
  ...['2', '3', '4'].map((arc) => `1.2.840.10045.4.3.${arc}`),
])

/** Whether a certificate is signed with SHA-2. @throws DerError */
function isStronglySigned(raw: Buffer): boolean {
  const algorithm = membersOf(memberAt(membersOf(readDer(raw, TAG.sequence)), 1, TAG.sequence))
  const id = dottedOf(memberAt(algorithm, 0, TAG.oid))
  if (id !== RSA_PSS) return SIGNATURES.has(id)
  const [hash] = membersOf(memberAt(algorithm, 1, TAG.sequence))
  if (hash?.tag !== TAG.context0) return false // SHA-1 by default
  return SHA2.has(dottedOf(memberAt(membersOf(readDer(hash.body, TAG.sequence)), 0, TAG.oid)))
}

/** A certificate of a path. */
export interface PathCertificate {
  readonly certificate: X509Certificate
  readonly extensions: ReturnType<typeof partsOf>['extensions']
}

/**
 * A certificate that can be part of a path. `undefined` for anything else: another version, a weak key or signature,
 * unknown critical extensions or name constraints, which are not implemented.
 */
export function pathCertificate(certificate: X509Certificate): PathCertificate | undefined {
  try {
    const { extensions } = partsOf(certificate.raw)
    const isUnderstood = [...extensions].every(([id, { critical }]) => !critical || UNDERSTOOD.has(id))
    const isUsable =
      isUnderstood &&
      !extensions.has(EXTENSION.nameConstraints) &&
      isStronglySigned(certificate.raw) &&
      isOfCertifiedKind(certificate.publicKey)
    return isUsable ? { certificate, extensions } : undefined
  } catch {
    return undefined // malformed, or with a key of a kind unknown to Node
  }
}

/** One certificate in DER, without bytes after it. `undefined` for anything else. */
export function certificateIn(der: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(der)
    return certificate.raw.equals(der) ? certificate : undefined
  } catch {
    return undefined
  }
}

/** Ours: the most authorities between a certificate and a root. */
const DEPTH_MOST = 4

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now <= validToDate

/** Whether an authority may be at this place of a path, and signed the certificate below. */
function mayIssue(by: PathCertificate, below: X509Certificate, depth: number, now: Date): boolean {
  const { certificate, extensions } = by
  const isAuthority = certificate.ca && isValidAt(certificate, now) && below.checkIssued(certificate)
  if (!isAuthority) return false
  const most = pathLengthOf(extensions.get(EXTENSION.basicConstraints)?.value) ?? Infinity
  return depth <= most && below.verify(certificate.publicKey)
}

/** The same; false for a certificate that Node cannot verify. */
function isIssued(by: PathCertificate, below: X509Certificate, depth: number, now: Date): boolean {
  try {
    return mayIssue(by, below, depth, now)
  } catch (error) {
    if (error instanceof DerError || (error instanceof Error && 'code' in error)) return false
    throw error
  }
}

/**
 * Whether a certificate leads to a root. It searches upwards in steps and uses each authority once, at the lowest place
 * that it can have: the number of verified signatures is limited by the square of their number.
 * @see RFC 5280 §6.1; signatures, validity, basic constraints and path lengths are checked, revocation is not
 */
export function leadsToRoot(
  leaf: X509Certificate,
  { roots, intermediates }: Authorities,
  offered: readonly X509Certificate[],
  now: Date,
): boolean {
  if (leaf.ca || pathCertificate(leaf) === undefined || !isValidAt(leaf, now)) return false
  const usable = (certificates: readonly X509Certificate[]): PathCertificate[] =>
    certificates.flatMap((certificate) => pathCertificate(certificate) ?? [])
  const tops = usable(roots)
  let rest = usable([...intermediates, ...offered])
  let level = [leaf]
  for (let depth = 0; depth <= DEPTH_MOST && level.length > 0; depth++) {
    const here = level
    const isAbove = (by: PathCertificate): boolean => here.some((below) => isIssued(by, below, depth, now))
    if (tops.some(isAbove)) return true
    const above = rest.filter(isAbove)
    rest = rest.filter((one) => !above.includes(one))
    level = above.map(({ certificate }) => certificate)
  }
  return false
}
