import type { KeyObject } from 'node:crypto'
import { TAG, der, derInteger, oid } from '../asn1/der.ts'
import { spkiOf } from '../public-half.ts'
import { bitString, extension, octetString, sequence } from './encoding.ts'
import { EXTENSION, KEY_USAGE } from './extensions.ts'
import { keyIdentifierOf } from './issuer.ts'

export type Purpose = 'server' | 'client' | 'ca'

/** The parts of a certificate's extensions. */
export interface ExtensionParts {
  readonly purpose: Purpose
  readonly publicKey: KeyObject
  /** Of the issuer; undefined for a self-signed certificate. */
  readonly issuerKeyIdentifier: Buffer | undefined
  /** DER of GeneralNames */
  readonly altNames: Buffer | undefined
  /** Without a subject the alternative names are critical. @see RFC 5280 §4.2.1.6 */
  readonly hasSubject: boolean
  readonly crlUrl: string | undefined
  readonly ocspUrl: string | undefined
}

const OCSP_ACCESS = '1.3.6.1.5.5.7.48.1'
const USE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

/**
 * An authority also signs OCSP answers about its certificates; RSA keys of servers support the old key exchange of TLS
 * 1.2.
 */
function keyUsage(purpose: Purpose, { asymmetricKeyType }: KeyObject): Buffer {
  if (purpose === 'ca') return bitString(Buffer.of(KEY_USAGE.signature | KEY_USAGE.certificates | KEY_USAGE.lists), 1)
  if (purpose === 'server' && asymmetricKeyType === 'rsa')
    return bitString(Buffer.of(KEY_USAGE.signature | KEY_USAGE.encipherment), 5)
  return bitString(Buffer.of(KEY_USAGE.signature), 7)
}

/** Our subordinate authorities have the path length 0; a root states none. @see RFC 5280 §4.2.1.9 */
function basicConstraints(purpose: Purpose, isRoot: boolean): Buffer {
  if (purpose !== 'ca') return sequence()
  return sequence(der(TAG.boolean, Buffer.of(0xff)), ...(isRoot ? [] : [derInteger(0)]))
}

/** @see RFC 5280 §4.2.1.1 */
export const authorityKeyIdentifier = (keyIdentifier: Buffer): Buffer =>
  extension(EXTENSION.authorityKeyIdentifier, false, sequence(der(0x80, keyIdentifier)))

const URL_CHARACTERS_MOST = 2_048

/** GeneralName with a URL. @throws TypeError, a fault, for an invalid URL */
function place(url: string): Buffer {
  const { protocol, href } = new URL(url)
  if (!/^https?:$/.test(protocol) || href.length > URL_CHARACTERS_MOST) throw new TypeError('not an address of the web')
  return der(0x86, Buffer.from(href))
}

/** One DistributionPoint with its fullName. @see RFC 5280 §4.2.1.13 */
const distributionPoint = (url: string): Buffer =>
  extension(EXTENSION.crlDistributionPoints, false, sequence(sequence(der(0xa0, der(0xa0, place(url))))))

/** @see RFC 5280 §4.2.2.1 */
const ocspAccess = (url: string): Buffer =>
  extension(EXTENSION.authorityInfoAccess, false, sequence(sequence(oid(OCSP_ACCESS), place(url))))

/** SEQUENCE of Extension. @see RFC 5280 §4.2 */
export function certificateExtensions(parts: ExtensionParts): Buffer {
  const { purpose, publicKey, issuerKeyIdentifier, altNames, hasSubject, crlUrl, ocspUrl } = parts
  const isRoot = issuerKeyIdentifier === undefined
  return sequence(
    extension(EXTENSION.basicConstraints, true, basicConstraints(purpose, isRoot)),
    extension(EXTENSION.keyUsage, true, keyUsage(purpose, publicKey)),
    ...(purpose === 'ca' ? [] : [extension(EXTENSION.extKeyUsage, false, sequence(oid(USE[purpose])))]),
    extension(EXTENSION.subjectKeyIdentifier, false, octetString(keyIdentifierOf(spkiOf(publicKey)))),
    ...(isRoot ? [] : [authorityKeyIdentifier(issuerKeyIdentifier)]),
    ...(altNames === undefined ? [] : [extension(EXTENSION.subjectAltName, !hasSubject, altNames)]),
    ...(crlUrl === undefined ? [] : [distributionPoint(crlUrl)]),
    ...(ocspUrl === undefined ? [] : [ocspAccess(ocspUrl)]),
  )
}
