import { createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto'
import { der, derInteger, oid, TAG } from '../../../shared/crypto/der.ts'
import { pemOf as pemBlockOf } from '../../../shared/crypto/pem.ts'
import { bitString, extension, sequence, time } from '../../../shared/crypto/x509/encoding.ts'
import { badParameter } from './errors.ts'

/*
 * Certificates (RFC 5280) and requests for them (RFC 2986) over keys that exist already, in RSA and EC. The toolkit's
 * make a key of their own.
 */

export interface CertificateContent {
  /** Distinguished name as a text, such as `CN=shop.example, O=Shop`. */
  readonly subject: string
  readonly dnsNames: readonly string[]
  readonly emails: readonly string[]
  /** such as `digitalSignature` */
  readonly keyUsage: readonly string[]
  /** Object identifiers of extended uses. */
  readonly ekus: readonly string[]
}

const ATTRIBUTES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  S: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  E: '1.2.840.113549.1.9.1',
}
const USAGES = [
  ...['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'dataEncipherment', 'keyAgreement'],
  ...['keyCertSign', 'cRLSign', 'encipherOnly', 'decipherOnly'],
]
const OID = {
  rsaSha256: '1.2.840.113549.1.1.11',
  ecdsaSha256: '1.2.840.10045.4.3.2',
  subjectAltName: '2.5.29.17',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  basicConstraints: '2.5.29.19',
  extensionRequest: '1.2.840.113549.1.9.14',
} as const
/** Context tags: `[0]` version or attributes, `[3]` extensions; in GeneralName `[1]` rfc822Name, `[2]` dNSName. */
const CONTEXT = { zero: 0xa0, extensions: 0xa3, email: 0x81, dns: 0x82 } as const
const NULL = der(TAG.null)

/** @throws ApiError BadParameter */
export function nameDer(subject: string): Buffer {
  const parts = subject.split(',').map((part) => {
    const [, type = '', value = ''] = /^\s*([A-Za-z]+)\s*=\s*(.+?)\s*$/.exec(part) ?? []
    const attribute = ATTRIBUTES[type.toUpperCase()]
    if (attribute === undefined) throw badParameter(`Property policy has invalid value '${subject}' of subject.`)
    return der(TAG.set, sequence(oid(attribute), der(TAG.utf8String, Buffer.from(value.replace(/^"(.*)"$/, '$1')))))
  })
  return sequence(...parts)
}

/** Named bits, the first one highest. @throws ApiError BadParameter for an unknown use */
function usageBits(uses: readonly string[]): Buffer {
  let value = 0
  for (const use of uses) {
    const place = USAGES.indexOf(use)
    if (place < 0) throw badParameter(`Property policy has invalid value '${use}' of key_usage.`)
    value |= 0x8000 >>> place
  }
  const unused = value === 0 ? 0 : Math.log2(value & -value)
  return unused >= 8
    ? bitString(Buffer.of(value >>> 8), unused - 8)
    : bitString(Buffer.of(value >>> 8, value & 0xff), unused)
}

function extensionsOf({ dnsNames, emails, keyUsage, ekus }: CertificateContent): Buffer {
  const names = [
    ...dnsNames.map((name) => der(CONTEXT.dns, Buffer.from(name))),
    ...emails.map((email) => der(CONTEXT.email, Buffer.from(email))),
  ]
  return sequence(
    ...(names.length > 0 ? [extension(OID.subjectAltName, false, sequence(...names))] : []),
    ...(keyUsage.length > 0 ? [extension(OID.keyUsage, true, usageBits(keyUsage))] : []),
    ...(ekus.length > 0 ? [extension(OID.extendedKeyUsage, false, sequence(...ekus.map(oid)))] : []),
    extension(OID.basicConstraints, false, sequence()),
  )
}

const algorithmOf = (key: KeyObject): Buffer =>
  key.asymmetricKeyType === 'rsa' ? sequence(oid(OID.rsaSha256), NULL) : sequence(oid(OID.ecdsaSha256))

const signed = (content: Buffer, key: KeyObject): Buffer =>
  sequence(content, algorithmOf(key), bitString(sign('sha256', content, key)))

const spki = (key: KeyObject): Buffer => createPublicKey(key).export({ format: 'der', type: 'spki' })

/** A certificate in DER that its own key signs. @param key private @throws ApiError BadParameter */
export function selfSigned(content: CertificateContent, key: KeyObject, from: number, to: number): Buffer {
  const serial = randomBytes(16)
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40
  const name = nameDer(content.subject)
  const body = sequence(
    der(CONTEXT.zero, derInteger(2)),
    der(TAG.integer, serial),
    algorithmOf(key),
    ...[name, sequence(time(new Date(from)), time(new Date(to))), name],
    spki(key),
    der(CONTEXT.extensions, extensionsOf(content)),
  )
  return signed(body, key)
}

/** A certificate request in DER (PKCS #10). @param key private @throws ApiError BadParameter */
export function certificateRequest(content: CertificateContent, key: KeyObject): Buffer {
  const attribute = sequence(oid(OID.extensionRequest), der(TAG.set, extensionsOf(content)))
  const body = sequence(derInteger(0), nameDer(content.subject), spki(key), der(CONTEXT.zero, attribute))
  return signed(body, key)
}

export const pemOf = (cer: Buffer): string => pemBlockOf('CERTIFICATE', cer)
