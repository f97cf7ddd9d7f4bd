import { constants, generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { der, derInteger, oid, TAG } from '../../../shared/crypto/asn1/der.ts'
import { bitString, extension, sequence, time } from '../../../shared/crypto/x509/encoding.ts'

export interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export const ecPair = (namedCurve = 'P-256'): Pair => generateKeyPairSync('ec', { namedCurve })
export const rsaPair = (): Pair => generateKeyPairSync('rsa', { modulusLength: 2048 })

/** An authority of evidence. */
export interface TestAuthority extends Pair {
  readonly name: string
  readonly certificate: X509Certificate
  /** Whether it signs with RSASSA-PSS and SHA-384, as authorities of processors do. */
  readonly pss: boolean
}

interface Order {
  readonly subject: string
  readonly publicKey: KeyObject
  readonly issuer: Pick<TestAuthority, 'name' | 'privateKey' | 'pss'>
  readonly from?: Date | undefined
  readonly until?: Date | undefined
  readonly extensions?: readonly Buffer[]
}

const SHA384 = sequence(oid('2.16.840.1.101.3.4.2.2'))
const PSS = sequence(
  oid('1.2.840.113549.1.1.10'),
  sequence(der(0xa0, SHA384), der(0xa1, sequence(oid('1.2.840.113549.1.1.8'), SHA384)), der(0xa2, derInteger(48))),
)
const RSA_SHA256 = sequence(oid('1.2.840.113549.1.1.11'), der(TAG.null))
const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))

function algorithmOf({ privateKey, pss }: Order['issuer']): Buffer {
  if (pss) return PSS
  return privateKey.asymmetricKeyType === 'rsa' ? RSA_SHA256 : ECDSA_SHA256
}

const signatureOf = (content: Buffer, { privateKey: key, pss }: Order['issuer']): Buffer =>
  pss
    ? sign('sha384', content, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 })
    : sign('sha256', content, key)

const nameOf = (text: string): Buffer =>
  sequence(...(text === '' ? [] : [der(TAG.set, sequence(oid('2.5.4.3'), der(TAG.utf8String, Buffer.from(text))))]))

const DAY_MS = 86_400_000
/** The time of all evidence in tests, unless a test needs another one. */
export const EVIDENCE_TIME = new Date('2026-06-01T12:00:00Z')
const around = (days: number): Date => new Date(EVIDENCE_TIME.getTime() + days * DAY_MS)

export function certificateOf({ subject, publicKey, issuer, from, until, extensions = [] }: Order): X509Certificate {
  const serial = randomBytes(8)
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40
  const content = sequence(
    der(TAG.context0, derInteger(2)),
    der(TAG.integer, serial),
    algorithmOf(issuer),
    nameOf(issuer.name),
    sequence(time(from ?? around(-3650)), time(until ?? around(3650))),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  )
  return new X509Certificate(sequence(content, algorithmOf(issuer), bitString(signatureOf(content, issuer))))
}

/** basicConstraints of an authority. */
export const authorityExtension = (pathLength?: number): Buffer =>
  extension(
    '2.5.29.19',
    true,
    sequence(der(TAG.boolean, Buffer.of(0xff)), ...(pathLength === undefined ? [] : [derInteger(pathLength)])),
  )

interface AuthorityOptions {
  readonly below?: TestAuthority
  readonly pss?: boolean
  readonly pathLength?: number
  readonly until?: Date
  readonly extensions?: readonly Buffer[]
}

/** A root, or an authority below another one. */
export function testAuthority(name: string, options: AuthorityOptions = {}): TestAuthority {
  const { below, pss = false, pathLength, until, extensions = [] } = options
  const pair = pss ? rsaPair() : ecPair()
  const certificate = certificateOf({
    subject: name,
    publicKey: pair.publicKey,
    issuer: below ?? { name, pss, privateKey: pair.privateKey },
    until,
    extensions: [authorityExtension(pathLength), ...extensions],
  })
  return { ...pair, name, pss, certificate }
}
