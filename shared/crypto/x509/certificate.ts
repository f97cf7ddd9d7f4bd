import { X509Certificate, createHash, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, der, derInteger, memberAt, membersOf, readDer } from '../asn1/der.ts'
import { bytesOfPem, pemOf } from '../asn1/pem.ts'
import { spkiOf } from '../public-half.ts'
import { NO_ALT_NAMES, encodeAltNames, hasAltNames, isWildcard } from './alt-names.ts'
import type { AltNames } from './alt-names.ts'
import { certificateExtensions } from './certificate-extensions.ts'
import type { Purpose } from './certificate-extensions.ts'
import { isWritable, sequence, time } from './encoding.ts'
import { isPairOf, issuerOf } from './issuer.ts'
import type { Issuer } from './issuer.ts'
import { assertName, encodeName, nameText } from './names.ts'
import type { SubjectName } from './names.ts'
import { isSignedWith, readSigned, requireCertifiable, signed, signingAlgorithm } from './signed.ts'

export interface CertificateOrder {
  /** Without `pem`, the certificate is self-signed: `publicKey` is the other half of the key. */
  readonly issuer: { readonly pem?: string | undefined; readonly key: KeyObject }
  /** DER of a Name, such as that of a request, or the parts of a new one. */
  readonly subject: SubjectName | Buffer
  readonly altNames?: AltNames | undefined
  readonly publicKey: KeyObject
  readonly purpose: Purpose
  /** 16 to 20 bytes of a positive number whose first byte is not zero, for example from `newSerial` */
  readonly serial: Buffer
  readonly notBefore: Date
  /** If later than the issuer's, the issuer's is used. */
  readonly notAfter: Date
  readonly crlUrl?: string | undefined
  readonly ocspUrl?: string | undefined
}

const broken = (sentence: string, cause?: unknown) => new Refusal('RULE_BROKEN', sentence, { cause })

const [SERIAL_BYTES_LEAST, SERIAL_BYTES_MOST] = [16, 20]

/** 158 random bits, always of 20 bytes. @see RFC 5280 §4.1.2.2 */
export function newSerial(): Buffer {
  const serial = randomBytes(SERIAL_BYTES_MOST)
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40
  return serial
}

function serialInteger(serial: Buffer): Buffer {
  const first = serial[0] ?? 0
  const fits = serial.length >= SERIAL_BYTES_LEAST && serial.length <= SERIAL_BYTES_MOST
  if (!fits || first === 0 || first >= 0x80) throw new RangeError('not a serial number')
  return der(TAG.integer, serial)
}

/** @throws Refusal RULE_BROKEN */
function validity(notBefore: Date, notAfter: Date, issuer: Issuer | undefined): Buffer {
  const end = issuer !== undefined && notAfter > issuer.notAfter ? issuer.notAfter : notAfter
  if (!isWritable(notBefore) || !isWritable(end)) throw broken('a certificate is valid within the years 1950 to 9999')
  if (notBefore >= end) throw broken('a certificate must not end before it begins, or begin after its issuer ends')
  return sequence(time(notBefore), time(end))
}

/** Rules between purpose, names and issuer. @throws Refusal RULE_BROKEN */
function assertNames(purpose: Purpose, cn: string | undefined, isEmpty: boolean, altNames: AltNames): void {
  if (purpose !== 'server' && [...altNames.dns, cn ?? ''].some(isWildcard))
    throw broken(`a certificate of purpose ${purpose} must have no wildcard in its names`)
  if (isEmpty && (purpose === 'ca' || !hasAltNames(altNames))) throw broken('a certificate must have a subject') // RFC 5280 §4.1.2.6
}

/** @throws Refusal RULE_BROKEN */
function nameOf(subject: SubjectName | Buffer): { name: Buffer; cn: string | undefined } {
  const name = Buffer.isBuffer(subject) ? subject : encodeName(subject)
  return { name, cn: assertName(name) }
}

/**
 * Issues a certificate, in PEM. @see RFC 5280 §4
 * @throws Refusal RULE_BROKEN for errors of the requester, TOO_MANY_REQUESTS; TypeError, RangeError or DerError,
 * faults, for an invalid serial number, issuer or URL
 */
export async function issueCertificate(order: CertificateOrder): Promise<string> {
  const { publicKey, purpose, altNames = NO_ALT_NAMES } = order
  const { key, pem } = order.issuer
  const issuer = pem === undefined ? undefined : issuerOf(pem, key)
  if (issuer === undefined && !isPairOf(key, publicKey)) throw new TypeError('not the key that signs for itself')
  if (purpose === 'ca' && issuer?.pathLength === 0) throw broken('this authority must not certify other authorities')
  await requireCertifiable(publicKey)
  const { name, cn } = nameOf(order.subject)
  const hasSubject = membersOf(readDer(name, TAG.sequence)).length > 0
  assertNames(purpose, cn, !hasSubject, altNames)
  const content = sequence(
    der(TAG.context0, derInteger(2)), // version 3
    serialInteger(order.serial),
    signingAlgorithm(key),
    issuer?.name ?? name,
    validity(order.notBefore, order.notAfter, issuer),
    name,
    spkiOf(publicKey),
    der(
      0xa3,
      certificateExtensions({
        ...{ purpose, publicKey, hasSubject, crlUrl: order.crlUrl, ocspUrl: order.ocspUrl },
        issuerKeyIdentifier: issuer?.keyIdentifier,
        altNames: encodeAltNames(altNames),
      }),
    ),
  )
  return pemOf(CERTIFICATE, await signed(content, key))
}

const CERTIFICATE = 'CERTIFICATE'

/** Ours: most characters of the PEM text, checked before it is parsed. */
const PEM_CHARACTERS_MOST = 64 * 1024

export interface CertificateFacts {
  /** In the text form of RFC 4514, such as `CN=shop,O=Shop`. */
  readonly subject: string
  readonly issuer: string
  /** in hex, lower case, whole bytes */
  readonly serialNumber: string
  /** RFC 3339 */
  readonly notBefore: string
  readonly notAfter: string
  /** in hex, lower case */
  readonly sha1Fingerprint: string
  readonly sha256Fingerprint: string
  readonly sha512Fingerprint: string
  /** Whether it may sign certificates. @see RFC 5280 §4.2.1.9 */
  readonly isAuthority: boolean
  readonly publicKey: KeyObject
  /** DER of the SubjectPublicKeyInfo */
  readonly spki: Buffer
}

/**
 * Parses one certificate in PEM. Neither its signature nor its validity nor the strength of its key is checked. A private
 * key beside it is refused, because the text of a certificate is stored, shown and audited.
 * @throws Refusal RULE_BROKEN
 */
export function readCertificate(pem: string): CertificateFacts {
  if (pem.length > PEM_CHARACTERS_MOST)
    throw broken(`a certificate must have at most ${PEM_CHARACTERS_MOST} characters`)
  if (pem.includes('PRIVATE KEY-----')) throw broken('a certificate must be given without a private key beside it')
  const bytes = bytesOfPem(pem, [CERTIFICATE])
  if (!Buffer.isBuffer(bytes)) throw broken(`there must be one certificate in PEM form: ${bytes.fault}`)
  try {
    return factsOf(bytes)
  } catch (cause) {
    throw broken('the certificate is not in the form of X.509', cause)
  }
}

/** @throws Error for any other bytes */
function factsOf(bytes: Buffer): CertificateFacts {
  const certificate = new X509Certificate(bytes)
  if (!certificate.raw.equals(bytes)) throw new DerError('more than a certificate')
  const { publicKey, serialNumber } = certificate
  const members = membersOf(memberAt(membersOf(readDer(bytes, TAG.sequence)), 0, TAG.sequence))
  const at = members[0]?.tag === TAG.context0 ? 1 : 0 // version 1 omits the version
  const fingerprint = (name: string) => createHash(name).update(bytes).digest('hex')
  return {
    subject: nameText(memberAt(members, at + 4, TAG.sequence).whole),
    issuer: nameText(memberAt(members, at + 2, TAG.sequence).whole),
    serialNumber: serialNumber.toLowerCase(),
    notBefore: certificate.validFromDate.toISOString(),
    notAfter: certificate.validToDate.toISOString(),
    sha1Fingerprint: fingerprint('sha1'),
    sha256Fingerprint: fingerprint('sha256'),
    sha512Fingerprint: fingerprint('sha512'),
    isAuthority: certificate.ca,
    publicKey,
    spki: memberAt(members, at + 5, TAG.sequence).whole,
  }
}

/**
 * Whether a certificate names an authority as its issuer and has its key's signature. False for malformed certificates
 * and, ours, for keys and algorithms that keymgr would not certify or sign with.
 */
export function isSignedBy(pem: string, issuerPem: string): boolean {
  try {
    const [certificate, issuer] = [new X509Certificate(pem), new X509Certificate(issuerPem)]
    const { ca, publicKey } = issuer
    const isIssued = ca && certificate.checkIssued(issuer) && certificate.verify(publicKey)
    return isIssued && isSignedWith(readSigned(certificate.raw), publicKey)
  } catch {
    return false
  }
}
