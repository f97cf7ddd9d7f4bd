import { generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto'
import {
  bits,
  der,
  integer,
  NULL,
  octets,
  oid,
  parsed,
  sequence,
  set,
  tagged,
  taggedBytes,
  time,
  TRUE,
  utf8,
  type Asn1,
} from './asn1.ts'
import { namesOf } from './by-name.ts'

/** PEM texts. */
export interface Issued {
  readonly cert: string
  readonly key: string
}

/** Signing key and its common name. */
export interface Issuer {
  readonly commonName: string
  readonly key: KeyObject
}

/** Content of a certificate. */
export interface Certificate {
  readonly commonName: string
  /** Default: the certificate is self-signed. */
  readonly issuer?: Issuer
  readonly purpose: 'server' | 'client' | 'authority'
  /** DNS names and IP addresses of a server. */
  readonly names?: { readonly dns: readonly string[]; readonly ip: readonly Uint8Array[] }
  readonly from: Date
  readonly to: Date
}

/** Fields of any certificate. */
export interface CertificateFields {
  readonly issuer: Asn1
  readonly subject: Asn1
  readonly publicKey: KeyObject
  readonly from: Date
  readonly to: Date
  readonly extensions: Asn1
}

/** Object identifiers: RFC 5280 sections 4.1.2.4 and 4.2.1, RFC 4055 section 5, RFC 5758 section 3.2. */
const OID = {
  commonName: '2.5.4.3',
  rsaWithSha256: '1.2.840.113549.1.1.11',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectAltName: '2.5.29.17',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  basicConstraints: '2.5.29.19',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const

/** Key usages by name, in the order of their bits. @see RFC 5280 §4.2.1.3 */
export const KEY_USAGES = [
  ...['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'dataEncipherment', 'keyAgreement'],
  ...['keyCertSign', 'cRLSign', 'encipherOnly', 'decipherOnly'],
]

/** @param attributes pairs of an object identifier and its text */
export const nameOf = (attributes: readonly (readonly [type: string, text: string])[]): Asn1 =>
  sequence(...attributes.map(([type, text]) => set(sequence(oid(type), utf8(text)))))

const extension = (id: string, critical: boolean, value: Asn1): Asn1 =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octets(der(value)))

/** GeneralName: `[1]` rfc822Name, `[2]` dNSName, `[7]` iPAddress. */
const NAME_TAGS = { email: 1, dns: 2, ip: 7 } as const

type Alternatives = Partial<Record<keyof typeof NAME_TAGS, readonly (string | Uint8Array)[]>>

/** The extension with alternative names, if any exist. */
export function alternativeNames(names: Alternatives): Asn1[] {
  const kinds = namesOf(NAME_TAGS)
  const all = kinds.flatMap((kind) =>
    (names[kind] ?? []).map((name) =>
      taggedBytes(NAME_TAGS[kind], typeof name === 'string' ? Buffer.from(name) : name),
    ),
  )
  return all.length === 0 ? [] : [extension(OID.subjectAltName, false, sequence(...all))]
}

/** @param uses of `KEY_USAGES` */
export function keyUsage(uses: readonly string[]): Asn1 {
  const flags = KEY_USAGES.map((name) => (uses.includes(name) ? '1' : '0'))
    .join('')
    .replace(/0+$/, '')
  const bytes = (flags.match(/.{1,8}/g) ?? []).map((eight) => parseInt(eight.padEnd(8, '0'), 2))
  return extension(OID.keyUsage, true, bits(Buffer.from(bytes), bytes.length * 8 - flags.length))
}

export const extendedKeyUsage = (ids: readonly string[]): Asn1 =>
  extension(OID.extendedKeyUsage, false, sequence(...ids.map(oid)))

export const basicConstraints = (critical: boolean, isAuthority: boolean): Asn1 =>
  extension(OID.basicConstraints, critical, isAuthority ? sequence(TRUE) : sequence())

/** Positive and without a leading zero octet. */
function newSerial(): bigint {
  const serial = randomBytes(16)
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40
  return BigInt(`0x${serial.toString('hex')}`)
}

const algorithmOf = ({ asymmetricKeyType }: KeyObject): Asn1 =>
  asymmetricKeyType === 'rsa' ? sequence(oid(OID.rsaWithSha256), NULL) : sequence(oid(OID.ecdsaWithSha256))

export const publicKeyInfo = (publicKey: KeyObject): Asn1 => parsed(publicKey.export({ type: 'spki', format: 'der' }))

/** Content, algorithm and signature in DER: the form of certificates and certificate requests. @param key private */
export const signed = (content: Asn1, key: KeyObject): Buffer =>
  der(sequence(content, algorithmOf(key), bits(sign('sha256', der(content), key))))

/** A certificate in DER, of version 3. @param key of the issuer, private @see RFC 5280 §4.1 */
export function signedCertificate(fields: CertificateFields, key: KeyObject): Buffer {
  const { issuer, subject, publicKey, from, to, extensions } = fields
  const content = sequence(
    tagged(0, integer(2)),
    integer(newSerial()),
    algorithmOf(key),
    issuer,
    sequence(time(from), time(to)),
    subject,
    publicKeyInfo(publicKey),
    tagged(3, extensions),
  )
  return signed(content, key)
}

export const pemOf = (certificate: Buffer): string => new X509Certificate(certificate).toString()

function extensionsOf({ purpose, names }: Certificate): Asn1 {
  const isAuthority = purpose === 'authority'
  return sequence(
    ...alternativeNames(names ?? {}),
    basicConstraints(true, isAuthority),
    keyUsage([isAuthority ? 'keyCertSign' : 'digitalSignature']),
    ...(isAuthority ? [] : [extendedKeyUsage([purpose === 'server' ? OID.serverAuth : OID.clientAuth])]),
  )
}

const commonNameOf = (commonName: string): Asn1 => nameOf([[OID.commonName, commonName]])

/** A certificate in PEM for another holder's key. */
export function certify(certificate: Certificate & { readonly issuer: Issuer }, publicKey: KeyObject): string {
  const { commonName, issuer, from, to } = certificate
  const [subject, issuerName] = [commonNameOf(commonName), commonNameOf(issuer.commonName)]
  const fields = { issuer: issuerName, subject, publicKey, from, to, extensions: extensionsOf(certificate) }
  return pemOf(signedCertificate(fields, issuer.key))
}

/** Creates a key pair on P-256 and its certificate. */
export function issueCertificate(certificate: Certificate): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { commonName, issuer = { commonName, key: privateKey } } = certificate
  return {
    cert: certify({ ...certificate, issuer }, publicKey),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
