import { X509Certificate, hash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, bigintOf, memberAt, membersOf, readDer } from '../asn1/der.ts'
import { spkiOf } from '../public-half.ts'
import { booleanOf, bytesOfBits } from './encoding.ts'
import { EXTENSION, KEY_USAGE, readExtensions } from './extensions.ts'
import type { Extension } from './extensions.ts'

/** Parts of an authority's certificate that everything it signs contains, byte for byte. */
export interface Issuer {
  /** DER of its subject: the issuer of the certificates it signs */
  readonly name: Buffer
  /** Content of the BIT STRING of its public key */
  readonly keyBits: Buffer
  readonly keyIdentifier: Buffer
  /** How many authorities may follow it; undefined for any number. */
  readonly pathLength: number | undefined
  readonly notAfter: Date
}

/** Content of subjectPublicKey of a SubjectPublicKeyInfo. @throws DerError */
export const keyBitsOf = (spki: Buffer): Buffer =>
  bytesOfBits(memberAt(membersOf(readDer(spki, TAG.sequence)), 1, TAG.bitString))

/** SHA-1 identifies a key here and protects nothing. @see RFC 5280 §4.2.1.2, method 1 */
export const keyIdentifierOf = (spki: Buffer): Buffer => hash('sha1', keyBitsOf(spki), 'buffer')

/** Tags of TBSCertificate before and after its seven unnamed members. @see RFC 5280 §4.1 */
const [VERSION, EXTENSIONS] = [0xa0, 0xa3]
const [SUBJECT, PUBLIC_KEY] = [4, 5]

/** @throws DerError */
export function pathLengthOf(constraints: Buffer | undefined): number | undefined {
  if (constraints === undefined) return undefined
  const [isAuthority, length] = membersOf(readDer(constraints, TAG.sequence))
  if (isAuthority === undefined || !booleanOf(isAuthority) || length === undefined) return undefined
  return Number(bigintOf(length))
}

/** Subject, public key and extensions of a certificate of version 3. @throws DerError */
export function partsOf(certificate: Buffer): {
  readonly name: Buffer
  readonly spki: Buffer
  readonly extensions: ReadonlyMap<string, Extension>
} {
  const whole = membersOf(readDer(certificate, TAG.sequence))
  const [version, ...rest] = membersOf(memberAt(whole, 0, TAG.sequence))
  if (version?.tag !== VERSION) throw new DerError('not a certificate of version 3')
  const list = rest.find(({ tag }) => tag === EXTENSIONS)
  return {
    name: memberAt(rest, SUBJECT, TAG.sequence).whole,
    spki: memberAt(rest, PUBLIC_KEY, TAG.sequence).whole,
    extensions: list === undefined ? new Map() : readExtensions(readDer(list.body, TAG.sequence)),
  }
}

/** The rights of an authority that a certificate grants its key. */
export interface Powers {
  /** keyCertSign, in a certificate of an authority */
  readonly certificates: boolean
  /** cRLSign */
  readonly lists: boolean
  /** how many authorities may follow it; undefined for any number */
  readonly pathLength: number | undefined
}

/**
 * The rights that a certificate grants. Ours: without the extension keyUsage, which authorities must have, it grants
 * none.
 * @see RFC 5280 §4.2.1.3, §4.2.1.9
 * @throws Refusal RULE_BROKEN for anything but a certificate of version 3 with well-formed extensions
 */
export function powersOf(pem: string): Powers {
  try {
    return powersIn(new X509Certificate(pem))
  } catch (cause) {
    throw new Refusal('RULE_BROKEN', 'the extensions of the certificate are not in the form of X.509', { cause })
  }
}

function powersIn({ ca, raw }: X509Certificate): Powers {
  const { extensions } = partsOf(raw)
  const usage = extensions.get(EXTENSION.keyUsage)?.value
  const bits = usage === undefined ? 0 : (memberBits(usage)[0] ?? 0)
  return {
    certificates: ca && (bits & KEY_USAGE.certificates) !== 0,
    lists: (bits & KEY_USAGE.lists) !== 0,
    pathLength: pathLengthOf(extensions.get(EXTENSION.basicConstraints)?.value),
  }
}

/** Bytes of a BIT STRING, after the number of its unused bits. @throws DerError */
const memberBits = (value: Buffer): Buffer => readDer(value, TAG.bitString).body.subarray(1)

/**
 * @param pem the authority's certificate
 * @param key its private key
 * @throws TypeError, RangeError or DerError, faults, unless it is a certificate of an authority with this key
 */
export function issuerOf(pem: string, key: KeyObject): Issuer {
  const certificate = new X509Certificate(pem)
  if (!certificate.ca || !certificate.checkPrivateKey(key)) throw new TypeError('not an authority that holds its key')
  const { name, spki, extensions } = partsOf(certificate.raw)
  const own = extensions.get(EXTENSION.subjectKeyIdentifier)?.value
  return {
    name,
    keyBits: keyBitsOf(spki),
    keyIdentifier: own === undefined ? keyIdentifierOf(spki) : readDer(own, TAG.octetString).body,
    pathLength: pathLengthOf(extensions.get(EXTENSION.basicConstraints)?.value),
    notAfter: certificate.validToDate,
  }
}

/** Whether `key` is the private half of `publicKey`. */
export const isPairOf = (key: KeyObject, publicKey: KeyObject): boolean => spkiOf(key).equals(spkiOf(publicKey))
