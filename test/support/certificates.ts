import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { der, oid } from '../../shared/crypto/asn1/der.ts'

/** PEM texts of a certificate and its private key. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

/** A test authority that issues certificates with any name. */
export interface Authority {
  /** its own certificate, PEM */
  readonly cert: string
  readonly issue: (commonName: string, validity?: Validity) => Certified
}

export interface Validity {
  readonly from: Date
  readonly until: Date
}

const SEQUENCE = 0x30
const sequence = (...parts: Uint8Array[]): Buffer => der(SEQUENCE, ...parts)
const named = (commonName: string): Buffer =>
  sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(commonName)))))
const timed = (date: Date): Buffer =>
  der(
    0x17,
    Buffer.from(
      date
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2),
    ),
  )
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.of(0), bytes)
const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))

const DAY_MS = 86_400_000
const now = Date.now()
const GOOD: Validity = { from: new Date(now - DAY_MS), until: new Date(now + 30 * DAY_MS) }

interface Wanted {
  readonly issuer: string
  readonly subject: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly isAuthority: boolean
  readonly validity: Validity
}

/** X.509 version 3 (RFC 5280 §4.1) with the one extension that distinguishes authorities. */
function certificate({ issuer, subject, publicKey, signer, isAuthority, validity }: Wanted): string {
  const serial = randomBytes(8)
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40
  const constraints = sequence(...(isAuthority ? [der(0x01, Buffer.of(0xff))] : []))
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    named(issuer),
    sequence(timed(validity.from), timed(validity.until)),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('2.5.29.19'), der(0x01, Buffer.of(0xff)), der(0x04, constraints)))),
  )
  const body = sequence(signed, ECDSA_WITH_SHA256, bits(sign('sha256', signed, signer))).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

export function authority(name: string): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const common = { issuer: name, signer: own.privateKey }
  return {
    cert: certificate({ ...common, subject: name, publicKey: own.publicKey, isAuthority: true, validity: GOOD }),
    issue: (subject, validity = GOOD) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return {
        cert: certificate({ ...common, subject, publicKey, isAuthority: false, validity }),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}
