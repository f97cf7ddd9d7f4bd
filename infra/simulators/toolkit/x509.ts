import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

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
  /** Signs itself without one. */
  readonly issuer?: Issuer
  readonly purpose: 'server' | 'client' | 'authority'
  /** DNS names and addresses of a server. */
  readonly names?: { readonly dns: readonly string[]; readonly ip: readonly Uint8Array[] }
  readonly from: Date
  readonly to: Date
}

/*
 * X.509 version 3 (RFC 5280 section 4.1) in DER, for the few certificates we need. Ours: written by hand, because
 * the certificate library at hand needs a second package.
 */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  utf8: 0x0c,
  shortTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const
/** Context tags: `[0]` version and `[3]` extensions; in GeneralName `[2]` dNSName and `[7]` iPAddress. */
const CONTEXT = { version: 0xa0, extensions: 0xa3, dns: 0x82, ip: 0x87 } as const
/** Object identifiers, encoded: RFC 5280 sections 4.2.1 and RFC 5758 section 3.2. */
const OID = {
  commonName: '0603550403',
  ecdsaWithSha256: '06082a8648ce3d040302',
  subjectAltName: '0603551d11',
  keyUsage: '0603551d0f',
  extendedKeyUsage: '0603551d25',
  basicConstraints: '0603551d13',
  serverAuth: '06082b06010505070301',
  clientAuth: '06082b06010505070302',
} as const

function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body])
  const hex = body.length.toString(16)
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, body])
}

const oid = (name: keyof typeof OID): Buffer => Buffer.from(OID[name], 'hex')
const sequence = (...content: readonly Uint8Array[]): Buffer => der(TAG.sequence, ...content)
const TRUE = der(TAG.boolean, Buffer.of(0xff))
const extension = (name: keyof typeof OID, critical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(name), ...(critical ? [TRUE] : []), der(TAG.octets, value))
const nameOf = (commonName: string): Buffer =>
  sequence(der(TAG.set, sequence(oid('commonName'), der(TAG.utf8, Buffer.from(commonName)))))

/** GeneralizedTime, which section 4.1.2.5 allows from 2050; readers take it earlier too, but there UTCTime is the rule. */
const time = (date: Date): Buffer => {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050
    ? der(TAG.shortTime, Buffer.from(digits.slice(2)))
    : der(TAG.time, Buffer.from(digits))
}

/** Key usage as named bits, the number of unused ones first: digitalSignature, or keyCertSign. */
const SIGNS_DATA = Buffer.of(7, 0x80)
const SIGNS_CERTIFICATES = Buffer.of(2, 0x04)

function extensionsOf({ purpose, names }: Certificate): Buffer {
  const alternatives = [
    ...(names?.dns ?? []).map((name) => der(CONTEXT.dns, Buffer.from(name))),
    ...(names?.ip ?? []).map((address) => der(CONTEXT.ip, address)),
  ]
  const isAuthority = purpose === 'authority'
  return sequence(
    ...(alternatives.length > 0 ? [extension('subjectAltName', false, sequence(...alternatives))] : []),
    extension('basicConstraints', true, isAuthority ? sequence(TRUE) : sequence()),
    extension('keyUsage', true, der(TAG.bits, isAuthority ? SIGNS_CERTIFICATES : SIGNS_DATA)),
    ...(isAuthority
      ? []
      : [extension('extendedKeyUsage', false, sequence(oid(purpose === 'server' ? 'serverAuth' : 'clientAuth')))]),
  )
}

/** Positive and without a leading zero octet. */
function newSerial(): Buffer {
  const serial = randomBytes(16)
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40
  return serial
}

/** A certificate in PEM for a key that another holds. @param issuer on P-256 */
export function certify(certificate: Certificate & { readonly issuer: Issuer }, publicKey: KeyObject): string {
  const { commonName, issuer, from, to } = certificate
  const algorithm = sequence(oid('ecdsaWithSha256'))
  const signed = sequence(
    der(CONTEXT.version, der(TAG.integer, Buffer.of(2))),
    der(TAG.integer, newSerial()),
    algorithm,
    nameOf(issuer.commonName),
    sequence(time(from), time(to)),
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(CONTEXT.extensions, extensionsOf(certificate)),
  )
  const signature = der(TAG.bits, Buffer.of(0), sign('sha256', signed, issuer.key))
  const lines = sequence(signed, algorithm, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

/** Makes a key pair on P-256 and its certificate. */
export function issueCertificate(certificate: Certificate): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { commonName, issuer = { commonName, key: privateKey } } = certificate
  return {
    cert: certify({ ...certificate, issuer }, publicKey),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
