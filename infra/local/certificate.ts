import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { FILES, writeWhole } from './data-directory.ts'
import { StartRefusal } from './start-refusal.ts'

/** PEM texts. `anchor` is what a client must trust, when the certificate is of our own making. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
  readonly anchor?: string
}

/** What clients accept for a server certificate at most, with a day to spare. */
const VALID_DAYS = 397
const DAY_MS = 86_400_000
/** Remade when less than this is left. */
const RENEW_BELOW_DAYS = 7

/** @throws StartRefusal if the files cannot be read or do not belong together */
export function readIdentity(certificateFile: string, keyFile: string): TlsIdentity {
  let cert: string, key: string
  try {
    cert = fs.readFileSync(certificateFile, 'utf8')
    key = fs.readFileSync(keyFile, 'utf8')
  } catch (error) {
    throw new StartRefusal(`The TLS certificate or key cannot be read: ${(error as Error).message}.`, { cause: error })
  }
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return { cert, key }
  } catch {
    // no certificate or no key in PEM: said below
  }
  throw new StartRefusal(`The TLS certificate ${certificateFile} and the key ${keyFile} do not belong together.`)
}

/** The self-made identity of a data directory; made anew when there is none or it runs out. In memory without one. */
export function ownIdentity(directory: string | undefined, now: Date): TlsIdentity {
  const files =
    directory === undefined
      ? undefined
      : [FILES.certificate, FILES.certificateKey].map((name) => path.join(directory, name))
  const [certificateFile, keyFile] = files ?? []
  if (
    certificateFile !== undefined &&
    keyFile !== undefined &&
    fs.existsSync(certificateFile) &&
    fs.existsSync(keyFile)
  ) {
    try {
      const identity = readIdentity(certificateFile, keyFile)
      const left = Date.parse(new X509Certificate(identity.cert).validTo) - now.getTime()
      if (left > RENEW_BELOW_DAYS * DAY_MS) return { ...identity, anchor: identity.cert }
    } catch (error) {
      if (!(error instanceof StartRefusal)) throw error // a pair cut short between its two files is remade
    }
  }
  const { cert, key } = selfSigned(now)
  if (certificateFile !== undefined && keyFile !== undefined) {
    writeWhole(keyFile, key)
    writeWhole(certificateFile, cert)
  }
  return { cert, key, anchor: cert }
}

/*
 * X.509 version 3 (RFC 5280 section 4.1) in DER, for the one certificate we need. Ours: written out, because the
 * certificate library at hand needs a second package loaded before it, for what are a few lines here.
 */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  utf8: 0x0c,
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
const extension = (name: keyof typeof OID, critical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(name), ...(critical ? [der(TAG.boolean, Buffer.of(0xff))] : []), der(TAG.octets, value))
/** GeneralizedTime, which section 4.1.2.5 allows from 2050; readers take it earlier too, but there UTCTime is the rule. */
const time = (date: Date): Buffer => {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(TAG.time, Buffer.from(digits))
}

function selfSigned(now: Date): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('ecdsaWithSha256'))
  const name = sequence(
    der(TAG.set, sequence(oid('commonName'), der(TAG.utf8, Buffer.from('keymgr local deployment')))),
  )
  const loopback6 = Buffer.concat([Buffer.alloc(15), Buffer.of(1)])
  const names = sequence(
    der(CONTEXT.dns, Buffer.from('localhost')),
    der(CONTEXT.ip, Buffer.of(127, 0, 0, 1)),
    der(CONTEXT.ip, loopback6),
  )
  const serial = randomBytes(16)
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40 // positive and without a leading zero octet
  const from = new Date(now.getTime() - 3_600_000) // an hour for clocks that lag
  const signed = sequence(
    der(CONTEXT.version, der(TAG.integer, Buffer.of(2))),
    der(TAG.integer, serial),
    algorithm,
    name,
    sequence(time(from), time(new Date(from.getTime() + VALID_DAYS * DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      CONTEXT.extensions,
      sequence(
        extension('subjectAltName', false, names),
        extension('basicConstraints', true, sequence()),
        extension('keyUsage', true, der(TAG.bits, Buffer.of(7, 0x80))), // digitalSignature
        extension('extendedKeyUsage', false, sequence(oid('serverAuth'))),
      ),
    ),
  )
  const signature = der(TAG.bits, Buffer.of(0), sign('sha256', signed, privateKey))
  const lines = sequence(signed, algorithm, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
