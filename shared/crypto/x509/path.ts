import { X509Certificate } from 'node:crypto'
import { TAG, dottedOf, membersOf, readDer } from '../asn1/der.ts'
import { EXTENSION, type Extension } from './extensions.ts'
import { partsOf, pathLengthOf } from './issuer.ts'
import { valuesOf } from './names.ts'
import { isOfCertifiedKind } from './signed.ts'

/** Properties of a certificate that decide about its certification path. @see RFC 5280 §6.1 */
export interface PathFacts {
  readonly isAuthority: boolean
  /** how many authorities may follow this one before the last certificate; `undefined` for any number */
  readonly pathLength: number | undefined
  /** whether its owner may authenticate as the client of a TLS connection */
  readonly provesClients: boolean
  /** values of the attribute UID in its subject */
  readonly uids: readonly string[]
}

const CLIENT = '1.3.6.1.5.5.7.3.2'

/**
 * Extensions whose rules are implemented here, or that restrict no use here: any policy is accepted. Ours: name
 * constraints are not implemented, so a certificate with them is not trusted.
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  EXTENSION.basicConstraints,
  EXTENSION.keyUsage,
  EXTENSION.extKeyUsage,
  EXTENSION.subjectAltName,
  EXTENSION.certificatePolicies,
])

/** Bits of KeyUsage with which a client can authenticate: digitalSignature, keyAgreement. @see RFC 5246 §7.4.6 */
const PROVING = 0x80 | 0x08

function mayProve(usage: Extension | undefined): boolean {
  if (usage === undefined) return true
  const { body } = readDer(usage.value, TAG.bitString)
  return ((body[1] ?? 0) & PROVING) !== 0
}

/** Ours: the purpose must be named; `anyExtendedKeyUsage` does not name it. */
const isForClients = (usages: Extension | undefined): boolean =>
  usages === undefined || membersOf(readDer(usages.value, TAG.sequence)).some((usage) => dottedOf(usage) === CLIENT)

/**
 * @param pem one certificate
 * @returns undefined for one that cannot be part of a path: not of version 3, with a weak key, or with unknown critical
 * extensions
 */
export function readPathFacts(pem: string): PathFacts | undefined {
  try {
    const certificate = new X509Certificate(pem)
    const { name, extensions } = partsOf(certificate.raw)
    const isUnderstood = [...extensions].every(([id, { critical }]) => !critical || UNDERSTOOD.has(id))
    const isUsable = isUnderstood && !extensions.has(EXTENSION.nameConstraints)
    if (!isUsable || !isOfCertifiedKind(certificate.publicKey)) return undefined
    const { ca: isAuthority } = certificate
    return {
      isAuthority,
      pathLength: pathLengthOf(extensions.get(EXTENSION.basicConstraints)?.value),
      provesClients:
        isForClients(extensions.get(EXTENSION.extKeyUsage)) &&
        (isAuthority || mayProve(extensions.get(EXTENSION.keyUsage))),
      uids: valuesOf(name, 'UID'),
    }
  } catch {
    return undefined // no certificate, or its key is of a kind unknown to Node
  }
}
