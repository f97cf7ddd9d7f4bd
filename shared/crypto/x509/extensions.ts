import { DerError, TAG, dottedOf, memberAt, membersOf } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'
import { booleanOf } from './encoding.ts'

/** Object identifiers of extensions. @see RFC 5280 §4.2.1, §5.2, RFC 6960 §4.4.1 */
export const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  reasonCode: '2.5.29.21',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  ocspNonce: '1.3.6.1.5.5.7.48.1.2',
} as const

/** Bits of KeyUsage, from the highest: digitalSignature, keyEncipherment, keyCertSign, cRLSign. @see RFC 5280 §4.2.1.3 */
export const KEY_USAGE = { signature: 0x80, encipherment: 0x20, certificates: 0x04, lists: 0x02 } as const

export interface Extension {
  readonly critical: boolean
  /** Content of its OCTET STRING: DER of its own. */
  readonly value: Buffer
}

/** Ours: more than any certificate, request or OCSP request has. */
const EXTENSIONS_MOST = 64

/** Extensions by object identifier, without duplicates (RFC 5280 §4.2). @throws DerError */
export function readExtensions(extensions: Der): ReadonlyMap<string, Extension> {
  const found = new Map<string, Extension>()
  for (const one of membersOf(extensions)) {
    const members = membersOf(one)
    const id = dottedOf(memberAt(members, 0, TAG.oid))
    const critical = members.length === 3 && booleanOf(memberAt(members, 1, TAG.boolean))
    const value = memberAt(members, members.length - 1, TAG.octetString).body
    if (members.length > 3 || found.has(id) || found.size >= EXTENSIONS_MOST)
      throw new DerError('not a list of extensions')
    found.set(id, { critical, value })
  }
  return found
}
